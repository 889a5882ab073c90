package topology_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/eosproc/eosproc/codec"
	"github.com/eosproc/eosproc/eostest"
	"github.com/eosproc/eosproc/topology"
)

// limited is a table of in held for a second.
func limited(hold topology.Buffer[string, string]) func(*topology.Builder) {
	return func(b *topology.Builder) {
		t := topology.TableFrom(b, textTopic("in"), textRows("rows"))
		topology.UntilTimeLimit(t, time.Second, hold).Changes().To(textTopic("out"))
	}
}

func buffer() topology.Buffer[string, string] {
	return topology.NewBuffer("hold", codec.String, codec.String)
}

func TestABufferKeepsAllOfAnUpdate(t *testing.T) {
	d := driver(t, limited(buffer()))
	in := textTopic("in")
	headers := topology.Headers{{Key: "h", Value: []byte("1")}, {Key: "h"}, {Key: "", Value: []byte{}}}
	eostest.SendRecord(d, in, record{Key: "a", Value: "1", Timestamp: 1})
	eostest.SendRecord(d, in, record{Key: "a", Value: "", Timestamp: 2, Headers: headers})
	eostest.SendRecord(d, in, record{Key: "b", Value: "1", Timestamp: 2})
	eostest.SendRecord(d, in, record{Key: "b", Timestamp: 3}.WithNullValue())
	assert.Empty(t, eostest.Read(d, textTopic("out")))
	eostest.SendRecord(d, in, record{Key: "c", Value: "x", Timestamp: 1002})
	assert.Equal(t, []record{
		{Key: "a", Value: "", Timestamp: 2, Headers: headers},
		record{Key: "b", Timestamp: 3}.WithNullValue(),
	}, eostest.Read(d, textTopic("out")))
}

func TestAFullBufferEmitsTheOldest(t *testing.T) {
	one := len("ka") + 16 + 1 + 1 + 1 + 1 // key; times; the value and its length; no old value; no headers
	for name, hold := range map[string]topology.Buffer[string, string]{
		"records": buffer().MaxRecords(2),
		"bytes":   buffer().MaxBytes(int64(2*one + 1)),
	} {
		t.Run(name, func(t *testing.T) {
			d := driver(t, limited(hold))
			for i, key := range []string{"a", "b", "a", "c", "d"} {
				eostest.Send(d, textTopic("in"), key, "1", time.UnixMilli(int64(10-i)))
			}
			var keys []string
			for _, r := range eostest.Read(d, textTopic("out")) {
				keys = append(keys, r.Key)
			}
			assert.Equal(t, []string{"c", "d"}, keys, "those with the lowest times, however late they come")
		})
	}
}

// The bound holds in a task that begins with a buffer from before.
func TestABufferIsCountedAnew(t *testing.T) {
	k := newTask(t, build(t, limited(buffer().MaxRecords(1))))
	assert.Zero(t, k.process("x", 1))
	k.abort(k.commit())
	s, _ := k.in.Open("in")
	require.NoError(t, k.in.Process(s, &topology.RawRecord{Topic: "in", Key: []byte("other"), Value: []byte("y"), Timestamp: 2}))
	out := k.in.Outputs()
	require.Len(t, out, 1)
	assert.Equal(t, "k", string(out[0].Key))
}

// What is final must not come out early: the record fails, and nothing of it stays.
func TestAFullBufferOfWindowsFails(t *testing.T) {
	hold := topology.NewBuffer("hold", codec.TimeWindowed(codec.String, time.Minute), codec.Int64).MaxRecords(1)
	store := minutes("m", codec.Int64)
	d := driver(t, func(b *topology.Builder) {
		w := topology.CountWindows(topology.GroupByKey(read(b, "in")), topology.Tumbling(time.Minute), store)
		topology.UntilWindowCloses(w, hold, topology.Named("wait")).Changes().To(minuteCounts("out"))
	}, eostest.Errors())
	eostest.Send(d, textTopic("in"), "a", "1", time.UnixMilli(1))
	eostest.Send(d, textTopic("in"), "b", "1", time.UnixMilli(2))
	errs := d.Errors()
	require.Len(t, errs, 1)
	require.ErrorIs(t, errs[0], topology.ErrBufferFull)
	assert.ErrorContains(t, errs[0], "in wait")
	_, _, ok, err := store.Open(d.Opener(store)).Get("b", 0)
	require.NoError(t, err)
	assert.False(t, ok)
	eostest.Send(d, textTopic("in"), "a", "1", time.UnixMilli(60_000))
	out := eostest.Read(d, minuteCounts("out"))
	require.Len(t, out, 1, "the window that came out made room for the next")
	assert.Equal(t, "a", out[0].Key.Key)
	assert.Empty(t, d.Errors())
}

// A group that was told of a row's value must be told of that value, and no
// other, when the row leaves it: not of one that was never passed on.
func TestOldValuesAreThoseSeenBehind(t *testing.T) {
	d := driver(t, func(b *topology.Builder) {
		rows := topology.TableFrom(b, textTopic("in"), textRows("rows"))
		held := topology.UntilTimeLimit(rows, 10*time.Millisecond, buffer())
		topology.CountTable(topology.GroupTable(held, swapped, textTopic("g")), countRows("counts")).Changes().To(counts("out"))
	})
	for i, v := range []string{"x", "y", "z"} {
		eostest.Send(d, textTopic("in"), "k", v, time.UnixMilli(int64(20*i)))
		eostest.Send(d, textTopic("in"), "k", v+"'", time.UnixMilli(int64(20*i+1)))
	}
	eostest.Send(d, textTopic("in"), "end", "end", time.UnixMilli(100))
	left := map[string]int64{}
	for _, r := range eostest.Read(d, counts("out")) {
		left[r.Key] = r.Value
	}
	assert.Equal(t, map[string]int64{"y": 0, "z": 0, "z'": 1}, left, "x, x' and y' were never seen there")
}
