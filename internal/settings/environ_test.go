package settings

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestFromEnviron(t *testing.T) {
	require.Equal(t, map[string]string{
		"processing.guarantee":                          "at_least_once",
		"consumer.fetch.max.bytes":                      "1",
		"eosproc.http.address":                          ":9090",
		"eosproc.instance.id":                           "orders-0",
		"group.instance.id":                             "orders",
		"rack.aware.assignment.non_overlap_cost":        "3",
		"topic.retention.ms":                            "a=b",
		"main.consumer.max.poll.records":                "5",
		"sasl.oauthbearer.client.credentials.client.id": "me",
	}, FromEnviron([]string{
		"EOSPROC_PROCESSING_GUARANTEE=at_least_once",
		"EOSPROC_CONSUMER_FETCH_MAX_BYTES=1",
		"EOSPROC_HTTP_ADDRESS=:9090",
		"EOSPROC_EOSPROC_INSTANCE_ID=orders-0",
		"EOSPROC_GROUP_INSTANCE_ID=orders",
		"EOSPROC_RACK_AWARE_ASSIGNMENT_NON_OVERLAP_COST=3",
		"EOSPROC_TOPIC_RETENTION_MS=a=b",
		"EOSPROC_MAIN_CONSUMER_MAX_POLL_RECORDS=5",
		"EOSPROC_SASL_OAUTHBEARER_CLIENT_CREDENTIALS_CLIENT_ID=me",
		"EOSPROC_STATE_DIR=",
		"EOSPROC_=x", "EOSPROC_ACKS", "PATH=/bin", "PROCESSING_GUARANTEE=at_most_once",
	}))
}

func TestMistypedVariableIsReported(t *testing.T) {
	props := FromEnviron([]string{"EOSPROC_PROCESING_GUARANTEE=at_least_once", "EOSPROC_STATE_DIRS=/x"}, "EOSPROC_STATE_DIRS")
	require.Equal(t, map[string]string{"procesing.guarantee": "at_least_once"}, props)
	_, problems := Parse(props)
	require.Equal(t, "processing.guarantee", problems[len(problems)-1].Suggestion)
}

// TestServiceVariables are what Kubernetes sets for a service named eosproc.
func TestServiceVariables(t *testing.T) {
	require.Empty(t, FromEnviron([]string{
		"EOSPROC_SERVICE_HOST=10.0.0.1", "EOSPROC_SERVICE_PORT=80", "EOSPROC_SERVICE_PORT_HTTP=80", "EOSPROC_PORT=tcp://10.0.0.1:80",
		"EOSPROC_PORT_80_TCP=tcp://10.0.0.1:80", "EOSPROC_PORT_80_TCP_PROTO=tcp", "EOSPROC_PORT_80_TCP_PORT=80", "EOSPROC_PORT_80_TCP_ADDR=10.0.0.1",
	}))
}

func TestVariablesAreUnambiguous(t *testing.T) {
	back := make(map[string]string)
	for _, form := range forms {
		name := environName(form)
		require.Empty(t, back[name], "%s and %s share a variable", form, back[name])
		back[name] = form
		require.Equal(t, form, environ[name])
	}
	require.NotContains(t, environ, "")
}
