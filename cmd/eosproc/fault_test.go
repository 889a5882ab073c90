package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"
)

func TestParseFaults(t *testing.T) {
	file := filepath.Join(t.TempDir(), "rules.json")
	require.NoError(t, os.WriteFile(file, []byte(`[{"group":"g"},{"topic":"t"}]`), 0o600))
	uuid := [16]byte{0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef, 0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef}
	tests := map[string]struct {
		rule, in string
		want     []kfake.Fault
		err      string
	}{
		"pairs":         {rule: "topic=foo,error=NOT_LEADER_OR_FOLLOWER,count=3", want: []kfake.Fault{{Topic: "foo", Err: kerr.NotLeaderForPartition, Count: 3}}},
		"lists":         {rule: "keys=fetch,keys=Produce,partitions=0,partitions=2", want: []kfake.Fault{{Keys: []kmsg.Key{kmsg.Fetch, kmsg.Produce}, Partitions: []int32{0, 2}}}},
		"one of a list": {rule: "nodes=1", want: []kfake.Fault{{Nodes: []int32{1}}}},
		"numbers":       {rule: "keys=26,error=15,count=-1", want: []kfake.Fault{{Keys: []kmsg.Key{kmsg.EndTxn}, Err: kerr.CoordinatorNotAvailable, Count: -1}}},
		"digits topic":  {rule: "topic=5,observe=true,top_level=true", want: []kfake.Fault{{Topic: "5", Observe: true, TopLevel: true}}},
		"uuid":          {rule: "topic_id={01234567-89ab-cdef-0123-456789abcdef}", want: []kfake.Fault{{TopicID: uuid}}},
		"object":        {rule: `{"keys":["EndTxn", 0],"txn_id":"a","error":"NOT_COORDINATOR"}`, want: []kfake.Fault{{Keys: []kmsg.Key{kmsg.EndTxn, kmsg.Produce}, TxnID: "a", Err: kerr.NotCoordinator}}},
		"array":         {rule: `[{"group":"g"},{"resource":"r"}]`, want: []kfake.Fault{{Group: "g"}, {Resource: "r"}}},
		"file":          {rule: "@" + file, want: []kfake.Fault{{Group: "g"}, {Topic: "t"}}},
		"stdin":         {rule: "@-", in: `{"group":"g"}`, want: []kfake.Fault{{Group: "g"}}},

		"unknown name":     {rule: "topik=foo", err: `unknown field "topik"`},
		"unknown in JSON":  {rule: `{"topik":"foo"}`, err: `unknown field "topik"`},
		"unknown error":    {rule: "error=NOPE", err: `Kafka has no error "NOPE"`},
		"unknown request":  {rule: "keys=nope", err: `no request of Kafka is called "nope"`},
		"no value":         {rule: "topic", err: `"topic": want name=value`},
		"twice":            {rule: "topic=a,topic=b", err: `"topic" stands twice`},
		"wrong kind":       {rule: "count=many", err: "cannot unmarshal string"},
		"no uuid":          {rule: "topic_id=12", err: `"12" is no UUID`},
		"empty":            {rule: "", err: "the rule is empty"},
		"trailing":         {rule: `{"group":"g"} x`, err: "invalid character"},
		"no file":          {rule: "@nowhere.json", err: "no such file"},
		"two JSON objects": {rule: `[] []`, err: "more than one JSON document"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := parseFaults(strings.NewReader(tc.in), []string{tc.rule})
			if tc.err != "" {
				require.ErrorContains(t, err, tc.err)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, tc.want, got)
		})
	}
}
