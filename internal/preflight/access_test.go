package preflight

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"
)

func allow(resource kmsg.ACLResourceType, name string, ops ...kmsg.ACLOperation) []kfake.ACL {
	var acls []kfake.ACL
	for _, op := range ops {
		acls = append(acls, kfake.ACL{Resource: resource, Name: name, Pattern: kmsg.ACLResourcePatternTypeLiteral, Operation: op, Allow: true})
	}
	return acls
}

func allowPrefixed(resource kmsg.ACLResourceType, name string, ops ...kmsg.ACLOperation) []kfake.ACL {
	acls := allow(resource, name, ops...)
	for i := range acls {
		acls[i].Pattern = kmsg.ACLResourcePatternTypePrefixed
	}
	return acls
}

func guarded(t *testing.T, acls ...[]kfake.ACL) *kfake.Cluster {
	var all []kfake.ACL
	for _, a := range acls {
		all = append(all, a...)
	}
	return seeded(t, kfake.EnableSASL(), kfake.EnableACLs(), kfake.Superuser("PLAIN", "admin", "pw"), kfake.User("PLAIN", "alice", "pw", all...))
}

var alice = props{"security.protocol": "SASL_PLAINTEXT", "sasl.mechanism": "PLAIN", "sasl.username": "alice", "sasl.password": "pw", "eosproc.allow.plaintext.sasl": "true"}

func TestNoRightsAtAll(t *testing.T) {
	c := guarded(t)
	o := run(t, c.ListenAddrs(), repartitioning(t), alice)
	require.ErrorIs(t, o.err, ErrNotAuthorized)
	acls := "kafka-acls.sh --bootstrap-server " + c.ListenAddrs()[0] + " --add --allow-principal 'User:alice' "
	internal := acls + "--operation Read --operation Write --operation Describe --operation Create --operation Delete --topic app- --resource-pattern-type prefixed"
	assert.Equal(t, strings.Join([]string{
		`internal topic "app-by-shop-repartition": not authorized to Read, Write and Describe it: ` + internal,
		`internal topic "app-by-user-repartition": not authorized to Read, Write and Describe it: ` + internal,
		`input topic "orders": not authorized to Read and Describe it: ` + acls + `--operation Read --operation Describe --topic orders`,
		`output topic "payments": not authorized to Write and Describe it: ` + acls + `--operation Write --operation Describe --topic payments`,
		`group "app": not authorized to use it: ` + acls + `--operation Read --operation Describe --group app`,
		`transactional ids "app-…": not authorized to use it: ` + acls + `--operation Write --operation Describe --transactional-id app- --resource-pattern-type prefixed`,
	}, "\n"), o.text())
}

// TestLeastPrivilege grants what the remedies say and nothing more.
func TestLeastPrivilege(t *testing.T) {
	c := guarded(t,
		allow(kmsg.ACLResourceTypeTopic, "orders", kmsg.ACLOperationRead, kmsg.ACLOperationDescribe),
		allow(kmsg.ACLResourceTypeTopic, "payments", kmsg.ACLOperationWrite, kmsg.ACLOperationDescribe),
		allow(kmsg.ACLResourceTypeGroup, "app", kmsg.ACLOperationRead, kmsg.ACLOperationDescribe),
		allowPrefixed(kmsg.ACLResourceTypeTransactionalId, "app-", kmsg.ACLOperationWrite, kmsg.ACLOperationDescribe),
		allowPrefixed(kmsg.ACLResourceTypeTopic, "app-", kmsg.ACLOperationRead, kmsg.ACLOperationWrite, kmsg.ACLOperationDescribe, kmsg.ACLOperationCreate),
	)
	o := run(t, c.ListenAddrs(), repartitioning(t), alice)
	require.NoError(t, o.err)
	assert.Equal(t, 3, o.found.Partitions["app-by-shop-repartition"])
	assert.Equal(t, 1048576, o.found.MaxRecordBytes("payments"), "without DescribeConfigs the setting holds")
	assert.Contains(t, o.log, "level=DEBUG msg=\"broker setting is not known\"")
}

func TestReadAndWriteAreToldApart(t *testing.T) {
	c := guarded(t,
		allow(kmsg.ACLResourceTypeTopic, "orders", kmsg.ACLOperationDescribe),
		allow(kmsg.ACLResourceTypeTopic, "payments", kmsg.ACLOperationRead),
		allow(kmsg.ACLResourceTypeGroup, "app", kmsg.ACLOperationRead),
		allowPrefixed(kmsg.ACLResourceTypeTransactionalId, "app-", kmsg.ACLOperationDescribe),
	)
	o := run(t, c.ListenAddrs(), copying(t), alice)
	require.ErrorIs(t, o.err, ErrNotAuthorized)
	assert.Contains(t, o.text(), `input topic "orders": not authorized to Read it:`)
	assert.Contains(t, o.text(), `output topic "payments": not authorized to Write it:`)
	assert.Contains(t, o.text(), `transactional ids "app-…": not authorized`, "Describe alone does not do")
	assert.NotContains(t, o.text(), `group "app"`)
}

func TestGroupMayOnlyBeDescribed(t *testing.T) {
	c := seeded(t)
	c.ControlKey(kmsg.Heartbeat.Int16(), func(req kmsg.Request) (kmsg.Response, error, bool) {
		resp := req.ResponseKind().(*kmsg.HeartbeatResponse)
		resp.ErrorCode = kerr.GroupAuthorizationFailed.Code
		return resp, nil, true
	})
	o := run(t, c.ListenAddrs(), copying(t), nil)
	require.ErrorIs(t, o.err, ErrNotAuthorized)
	assert.Contains(t, o.text(), `group "app": not authorized`)
}

func TestProbesLeaveNothingBehind(t *testing.T) {
	c := seeded(t)
	require.NoError(t, run(t, c.ListenAddrs(), copying(t), nil).err)
	adm := admin(t, c.ListenAddrs())
	groups, err := adm.ListGroups(t.Context())
	require.NoError(t, err)
	assert.Empty(t, groups)
	txns, err := adm.ListTransactions(t.Context(), nil, nil)
	require.NoError(t, err)
	assert.Empty(t, txns)
}

func TestCreateIsDenied(t *testing.T) {
	c := seeded(t)
	c.ControlKey(kmsg.CreateTopics.Int16(), func(req kmsg.Request) (kmsg.Response, error, bool) {
		resp := req.ResponseKind().(*kmsg.CreateTopicsResponse)
		for _, rt := range req.(*kmsg.CreateTopicsRequest).Topics {
			st := kmsg.NewCreateTopicsResponseTopic()
			st.Topic, st.ErrorCode = rt.Topic, kerr.TopicAuthorizationFailed.Code
			resp.Topics = append(resp.Topics, st)
		}
		return resp, nil, true
	})
	o := run(t, c.ListenAddrs(), repartitioning(t), nil)
	require.ErrorIs(t, o.err, ErrInternalTopic)
	require.ErrorIs(t, o.err, ErrNotAuthorized)
	assert.Contains(t, o.text(), `internal topic "app-by-user-repartition": not authorized to Create it: kafka-acls.sh`)
}
