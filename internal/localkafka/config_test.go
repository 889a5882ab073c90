package localkafka

import (
	"net"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestValidate(t *testing.T) {
	require.NoError(t, Config{}.withDefaults().validate())
	three := 3
	for name, c := range map[string]struct {
		cfg  Config
		want string
	}{
		"two brokers":         {Config{Brokers: 2}, "brokers: want 1 or 3, have 2"},
		"transaction version": {Config{TransactionVersion: &three}, "transaction version: want 0, 1 or 2, have 3"},
		"heap":                {Config{HeapMB: 64}, "heap: want at least 128 MiB"},
		"port":                {Config{Port: 70000}, "port: want 0 to 65535"},
		"last port":           {Config{Port: 65534, Brokers: 3}, "port: want 0 to 65535"},
		"detached":            {Config{Detached: true}, "detached: needs a directory"},
		"line break":          {Config{Properties: map[string]string{"a": "b\nc=d"}}, `property "a"`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Start(t.Context(), c.cfg)
			require.ErrorContains(t, err, c.want)
		})
	}
	_, err := Start(t.Context(), Config{Brokers: 2, HeapMB: 1})
	require.ErrorContains(t, err, "brokers:")
	require.ErrorContains(t, err, "heap:", "all faults are told at once")
}

func TestProperties(t *testing.T) {
	nodes := []node{
		{id: 1, client: 1001, internal: 1002, controller: 1003, advertised: "127.0.0.1:9"},
		{id: 2, client: 2001, internal: 2002, controller: 2003, advertised: "127.0.0.1:2001"},
		{id: 3, client: 3001, internal: 3002, controller: 3003, advertised: "127.0.0.1:3001"},
	}
	cfg := Config{Properties: map[string]string{"min.insync.replicas": "1", "log.segment.bytes": "1048576"}}
	lines := strings.Split(properties(cfg, nodes, nodes[0], "/data"), "\n")
	for _, want := range []string{
		"node.id=1",
		"controller.quorum.voters=1@127.0.0.1:1003,2@127.0.0.1:2003,3@127.0.0.1:3003",
		"advertised.listeners=CLIENT://127.0.0.1:9,INTERNAL://127.0.0.1:1002",
		"transaction.state.log.replication.factor=3",
		"transaction.state.log.min.isr=2",
		"min.insync.replicas=1",
		"log.segment.bytes=1048576",
		"auto.create.topics.enable=false",
	} {
		assert.Contains(t, lines, want)
	}
	assert.Contains(t, properties(cfg, nodes[:1], nodes[0], "/data"), "transaction.state.log.min.isr=1\n")
}

func TestFreePortsDifferAndAreFree(t *testing.T) {
	ports, err := freePorts(9)
	require.NoError(t, err)
	seen := make(map[int]bool)
	for _, p := range ports {
		assert.False(t, seen[p], "port %d twice", p)
		seen[p] = true
		l, err := net.Listen("tcp", net.JoinHostPort(loopback, strconv.Itoa(p)))
		require.NoError(t, err)
		require.NoError(t, l.Close())
	}
}
