package bench

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestWorkloadValidate(t *testing.T) {
	require.NoError(t, small(1).Validate())
	for name, broken := range map[string]func(*Workload){
		"records":    func(w *Workload) { w.Records = 0 },
		"bytes":      func(w *Workload) { w.RecordBytes = 15 },
		"partitions": func(w *Workload) { w.Partitions = 0 },
		"keys":       func(w *Workload) { w.Keys = 0 },
	} {
		w := small(1)
		broken(&w)
		err := w.Validate()
		require.ErrorIs(t, err, ErrInvalidConfig, name)
		assert.ErrorContains(t, err, name)
	}
}

func TestNumber(t *testing.T) {
	buf := make([]byte, numberBytes)
	for _, n := range []uint64{0, 1, 0xabcdef, math.MaxUint64} {
		putNumber(buf, n)
		got, ok := number(buf)
		assert.True(t, ok)
		assert.Equal(t, n, got)
	}
	for _, bad := range []string{"", "123", "not a number at all"} {
		_, ok := number([]byte(bad))
		assert.False(t, ok, bad)
	}
}

func TestRecordMaker(t *testing.T) {
	a, b, other := newRecordMaker(10, 1), newRecordMaker(10, 1), newRecordMaker(10, 2)
	value := func(m *recordMaker, seq uint64) string {
		v := make([]byte, 200)
		m.fill(v, seq)
		return string(v)
	}
	differs := false
	keys := make(map[string]bool)
	for seq := range uint64(500) {
		assert.Equal(t, value(a, seq), value(b, seq))
		assert.Equal(t, a.key(seq), b.key(seq))
		assert.NotContains(t, value(a, seq), "\x00", "the value is filled to its end")
		differs = differs || value(a, seq) != value(other, seq)
		keys[string(a.key(seq))] = true
	}
	assert.True(t, differs, "the seed changes the values")
	assert.Len(t, keys, 10, "every key is used")

	timed := make([]byte, 100)
	a.fillTimed(timed, 42, 123456789)
	seq, ok := number(timed)
	assert.True(t, ok)
	assert.EqualValues(t, 42, seq)
	at, ok := number(timed[numberBytes:])
	assert.True(t, ok)
	assert.EqualValues(t, 123456789, at)
}
