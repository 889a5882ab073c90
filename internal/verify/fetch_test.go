package verify

import (
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// planned returns an audit whose bounds are taken and that has read nothing.
func planned(r *rig) *audit {
	r.t.Helper()
	config, err := Config{Client: r.brokers(), Inputs: []string{"in"}, Outputs: []string{"out"}, OpenTransactionWait: -1}.validate()
	require.NoError(r.t, err)
	a := &audit{config: &config}
	r.t.Cleanup(a.close)
	require.NoError(r.t, a.connect())
	require.NoError(r.t, a.plan(r.t.Context()))
	return a
}

func TestLeaderMovesBeforeReading(t *testing.T) {
	r := newRig(t)
	r.write(recs("in", 0, "a:1")...)
	r.write(recs("out", 0, "a:1")...)
	a := planned(r)
	for _, topic := range []string{"in", "out"} {
		for partition := range int32(2) {
			leader := r.cluster.LeaderFor(topic, partition)
			require.NoError(t, r.cluster.MoveTopicPartition(topic, partition, 1-leader))
		}
	}
	require.NoError(t, a.read(t.Context()))
	expect(t, a.judge(nil, nil))
}

func TestRecordsDeletedWhileReading(t *testing.T) {
	r := newRig(t)
	r.write(recs("in", 0, "a:1", "a:2")...)
	a := planned(r)
	deleted := make(kadm.Offsets)
	deleted.AddOffset("in", 0, 1, -1)
	_, err := r.admin.DeleteRecords(t.Context(), deleted)
	require.NoError(t, err)
	err = a.read(t.Context())
	require.ErrorIs(t, err, ErrTruncated)
	assert.ErrorContains(t, err, "in[0] at offset 0", "the error says where")
}

func TestTopicMadeAnewWhileReading(t *testing.T) {
	r := newRig(t)
	r.write(recs("in", 0, "a:1")...)
	a := planned(r)
	_, err := r.admin.DeleteTopics(t.Context(), "in")
	require.NoError(t, err)
	_, err = r.admin.CreateTopics(t.Context(), 2, 1, nil, "in")
	require.NoError(t, err)
	require.ErrorIs(t, a.read(t.Context()), ErrTruncated)
}

func TestErrorThatStaysIsReported(t *testing.T) {
	r := newRig(t)
	r.write(recs("in", 0, "a:1")...)
	a := planned(r)
	r.cluster.ControlKey(kmsg.Fetch.Int16(), func(req kmsg.Request) (kmsg.Response, error, bool) {
		r.cluster.KeepControl()
		resp := req.ResponseKind().(*kmsg.FetchResponse)
		resp.ErrorCode = kerr.ClusterAuthorizationFailed.Code
		return resp, nil, true
	})
	require.ErrorIs(t, a.read(t.Context()), kerr.ClusterAuthorizationFailed)
}

// A compacted log has gaps; one wider than a chunk's offset column starts a new
// chunk, and row numbers stay addresses.
func TestRowsWithGaps(t *testing.T) {
	log := &partitionLog{side: Output, topic: "out", partition: 3}
	var numbers []int
	offsets := []int64{5, 6, 6 + 1<<31, 7 + 1<<33, 8 + 1<<33, 1 << 50}
	for i, offset := range offsets {
		numbers = append(numbers, log.add(offset, row{id: [2]uint64{uint64(i), 1}, key: uint64(i)}))
	}
	table := newTable([]*partitionLog{log})
	for i, n := range numbers {
		assert.Equal(t, &Position{Topic: "out", Partition: 3, Offset: offsets[i]}, table.at(uint32(n)))
		c, at := table.get(uint32(n))
		assert.Equal(t, uint64(i), c.id[at][0])
	}
	assert.Equal(t, []int{0, 1, 2, chunkRows, chunkRows + 1, 2 * chunkRows}, numbers)

	var fate fateTracker
	for _, n := range numbers[1:5] {
		fate.data(7, n)
	}
	fate.data(8, numbers[5])
	fate.marker(log, 7, []byte{0, 0, 0, 0})
	fate.marker(log, 9, []byte{0, 0, 0, 1}) // of a producer without rows
	fate.marker(log, 8, []byte{0})          // malformed
	var got []flags
	for _, n := range numbers {
		c, at := table.get(uint32(n))
		got = append(got, c.flags[at])
	}
	assert.Equal(t, []flags{0, aborted, aborted, aborted, aborted, 0}, got)
	fate.marker(log, 8, []byte{0, 0, 0, 1})
	c, at := table.get(uint32(numbers[5]))
	assert.Equal(t, committed, c.flags[at])
}

func TestAfterBatches(t *testing.T) {
	batch := func(first int64, lastDelta int32, magic byte) []byte {
		raw := make([]byte, 61)
		binary.BigEndian.PutUint64(raw, uint64(first))
		binary.BigEndian.PutUint32(raw[8:], uint32(len(raw)-12))
		raw[16] = magic
		binary.BigEndian.PutUint32(raw[23:], uint32(lastDelta))
		return raw
	}
	two := append(batch(10, 4, 2), batch(20, 0, 2)...)
	assert.EqualValues(t, 21, afterBatches(two, 0))
	assert.EqualValues(t, 15, afterBatches(two[:100], 0), "a batch cut off does not count")
	assert.EqualValues(t, 11, afterBatches(batch(10, 0, 1), 0))
	assert.EqualValues(t, 30, afterBatches(two, 30), "never back")
	assert.EqualValues(t, 7, afterBatches(nil, 7))
}

func FuzzBatches(f *testing.F) {
	f.Add(make([]byte, 61))
	f.Add([]byte("\x00\x00\x00\x00\x00\x00\x00\x01\xff\xff\xff\xff----\x02"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		total := 0
		for batch := range batches(raw) {
			require.Greater(t, len(batch), 17)
			total += len(batch)
		}
		require.LessOrEqual(t, total, len(raw))
		require.GreaterOrEqual(t, afterBatches(raw, 5), int64(5))
	})
}
