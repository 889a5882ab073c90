package topology_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/eosproc/eosproc/codec"
	"github.com/eosproc/eosproc/eostest"
	"github.com/eosproc/eosproc/statestore"
	"github.com/eosproc/eosproc/topology"
)

// A type without a nil cannot show null: a window does not count such a value
// as its zero.
func TestNullOfATypeWithoutNil(t *testing.T) {
	d := driver(t, func(b *topology.Builder) {
		g := topology.GroupByKey(read(b, "in"))
		topology.CountWindows(g, topology.Tumbling(time.Minute), minutes("counted", codec.Int64)).Changes().To(minuteCounts("counted"))
		r := topology.ReduceWindows(g, topology.Tumbling(time.Minute), func(acc, v string) string { return acc + v }, minutes("reduced", codec.String))
		r.Changes().To(topology.NewTopic("reduced", codec.TimeWindowed(codec.String, time.Minute), codec.String))
	})
	in := textTopic("in")
	eostest.SendRecord(d, in, record{Key: "a", Value: "x", Timestamp: 1})
	eostest.SendRecord(d, in, record{Key: "a", Timestamp: 2}.WithNullValue())
	eostest.SendRecord(d, in, record{Timestamp: 3, Value: "y"}.WithNullKey())
	counted := eostest.Read(d, minuteCounts("counted"))
	require.Len(t, counted, 2)
	assert.Equal(t, int64(2), counted[1].Value, "a count does not look at the value")
	assert.Len(t, d.ReadRaw("reduced"), 1)
	assert.Equal(t, 1, d.Dropped(topology.DropNullValue))
	assert.Equal(t, 2, d.Dropped(topology.DropNullKey), "once for each aggregation")
}

// An update that is older than a versioned table's history changes nothing, one
// that is not its key's newest changes no group.
func TestUpdatesOfAVersionedTable(t *testing.T) {
	store := statestore.NewVersioned("rows", codec.String, codec.String, statestore.VersionedConfig{HistoryRetention: 100 * time.Millisecond})
	d := driver(t, func(b *topology.Builder) {
		rows := topology.TableFrom(b, textTopic("in"), store)
		rows.Changes().To(textTopic("all"))
		topology.CountTable(topology.GroupTable(rows, swapped, textTopic("g")), countRows("counts")).Changes().To(counts("groups"))
	})
	in := textTopic("in")
	eostest.SendRecord(d, in, record{Key: "k", Value: "x", Timestamp: 200})
	eostest.SendRecord(d, in, record{Key: "k", Value: "y", Timestamp: 150})
	eostest.SendRecord(d, in, record{Key: "k", Timestamp: 160}.WithNullValue())
	eostest.SendRecord(d, in, record{Key: "k", Value: "z", Timestamp: 99})
	assert.Equal(t, "x y ", values(d, "all"))
	assert.Equal(t, 2, d.Dropped(topology.DropOutOfOrder))
	assert.Equal(t, 1, d.Dropped(topology.DropExpired))
	assert.Len(t, eostest.Read(d, counts("groups")), 1)
	h := store.Open(d.Opener(store))
	v, _, _, err := h.GetAsOf("k", 155)
	require.NoError(t, err)
	assert.Equal(t, "y", v)
	eostest.SendRecord(d, in, record{Key: "k", Timestamp: 201}.WithNullValue())
	groups := eostest.Read(d, counts("groups"))
	require.Len(t, groups, 1)
	assert.Equal(t, int64(0), groups[0].Value, "the newest deletion counts")
}

// What cannot be read is a failure of the record, not of the task.
func TestGroupTopicWithForeignContent(t *testing.T) {
	d := driver(t, func(b *topology.Builder) {
		rows := topology.TableFrom(b, textTopic("in"), textRows("rows"))
		topology.CountTable(topology.GroupTable(rows, swapped, textTopic("g")), countRows("counts"))
	}, eostest.Errors())
	for name, value := range map[string][]byte{"empty": {}, "flag": {7}, "length": {0x80, 2}, "too long": {100, 'a', 2}} {
		d.SendRaw("g-repartition", topology.RawRecord{Key: []byte("k"), Value: value})
		errs := d.Errors()
		require.Len(t, errs, 1, name)
		require.ErrorIs(t, errs[0], codec.ErrMalformed, name)
	}
}
