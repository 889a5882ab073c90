package topology_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/eosproc/eosproc/eostest"
	"github.com/eosproc/eosproc/topology"
)

func payer(_, payment string) string { return strings.Fields(payment)[0] }

func TestGlobalTables(t *testing.T) {
	d := joining(t, func(b *topology.Builder) {
		topology.JoinGlobal(topology.From(b, payments), topology.GlobalTableFrom(b, users), payer, summed).To(out)
	})
	at(d, payments, 1, "p", "u1 1€")
	at(d, users, 2, "u1", "Ann")
	at(d, payments, 3, "p", "u1 2€")
	eostest.SendRecord(d, users, topology.Record[string, string]{Key: "u1", Timestamp: 4}.WithNullValue())
	at(d, payments, 5, "p", "u1 3€")
	d.SendRaw("users", topology.RawRecord{Value: []byte("without a key")})
	eostest.SendRecord(d, payments, topology.Record[string, string]{Key: "p", Timestamp: 6}.WithNullValue())
	assert.Equal(t, []string{"p=u1 2€+Ann@3"}, linesOf(d))
	assert.Equal(t, 1, d.Dropped(topology.DropNullValue))
}

// A topology writes the topic of a global table like any other.
func TestGlobalTableOfAWrittenTopic(t *testing.T) {
	d := joining(t, func(b *topology.Builder) {
		topology.From(b, clicks).To(users)
		topology.JoinGlobal(topology.From(b, payments), topology.GlobalTableFrom(b, users), payer, summed).To(out)
	})
	at(d, clicks, 1, "u1", "Ann")
	at(d, payments, 2, "p", "u1 1€")
	assert.Equal(t, []string{"p=u1 1€+Ann@2"}, linesOf(d))
}

func TestGlobalTablesAreNoSources(t *testing.T) {
	b := topology.NewBuilder()
	topology.JoinGlobal(topology.From(b, payments), topology.GlobalTableFrom(b, users), payer, summed).To(out)
	topo, err := b.Build()
	require.NoError(t, err)
	require.Len(t, topo.SubTopologies(), 1)
	assert.Len(t, topo.SubTopologies()[0].Sources(), 1)
	globals := topo.NewGlobals()
	assert.Equal(t, []string{"users"}, globals.Topics())
	assert.False(t, globals.Apply(&topology.RawRecord{Topic: "payments", Key: []byte("k"), Value: []byte("v")}))

	_, err = topo.SubTopologies()[0].NewInstance(0, topology.Env{})
	require.ErrorContains(t, err, "Env.Globals is nil", "a runtime that does not read it must not look empty rows up")
}

func TestGlobalTableFromAnotherBuilder(t *testing.T) {
	b, foreign := topology.NewBuilder(), topology.NewBuilder()
	topology.JoinGlobal(topology.From(b, payments), topology.GlobalTableFrom(foreign, users), payer, summed)
	_, err := b.Build()
	require.ErrorContains(t, err, "belongs to another builder")
}
