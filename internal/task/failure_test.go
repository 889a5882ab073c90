package task_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/eosproc/eosproc/codec"
	"github.com/eosproc/eosproc/internal/task"
	"github.com/eosproc/eosproc/topology"
)

var errBad = errors.New("bad value")

// moody is a codec that fails as the value says.
type moody struct{ outage *bool }

func (m moody) Append(dst []byte, v string) ([]byte, error) {
	if strings.HasPrefix(v, "unencodable") {
		return nil, errBad
	}
	return append(dst, v...), nil
}

func (m moody) Decode(b []byte) (string, error) {
	if m.outage != nil && *m.outage && !bytes.HasPrefix(b, []byte("ok")) {
		return "", fmt.Errorf("schema 7: %w", codec.ErrUnavailable)
	}
	if bytes.HasPrefix(b, []byte("undecodable")) {
		return "", fmt.Errorf("%w: no", codec.ErrMalformed)
	}
	return string(b), nil
}

// fragile forwards each value twice and fails, behind the first, for "bad…" or panics for "panic…".
func fragile(m moody) func(*topology.Builder) {
	return func(b *topology.Builder) {
		s := topology.From(b, topology.NewTopic[string, string]("a", codec.String, m))
		topology.Process(s, func(ctx *topology.Context[string, string]) func(record) error {
			return func(r record) error {
				first := r
				first.Value += "/1"
				if err := ctx.Forward(first); err != nil {
					return err
				}
				switch {
				case strings.HasPrefix(r.Value, "bad"):
					return fmt.Errorf("check: %w", errBad)
				case strings.HasPrefix(r.Value, "panic"):
					panic("oh dear")
				}
				r.Value += "/2"
				return ctx.Forward(r)
			}
		}, topology.Named("fragile")).To(topology.NewTopic[string, string]("out", codec.String, m))
	}
}

func TestFailHandlerStops(t *testing.T) {
	for _, value := range []string{"undecodable", "bad", "panic", "unencodable"} {
		r := newRig(t, fragile(moody{}), task.Config{}, "a")
		r.add("a", 0, 1, "x")
		r.add("a", 1, 2, value)
		r.add("a", 2, 3, "y")
		n, err := r.task.Process(10, r.emit)
		require.Equal(t, 1, n)
		failure, ok := errors.AsType[*topology.RecordError](err)
		require.True(t, ok, "%v", err)
		require.EqualValues(t, 1, failure.Offset)
		require.Equal(t, "a", failure.Topic)
		require.Equal(t, "x/1 x/2", r.take(), value)
		require.EqualValues(t, 1, r.in("a").Position())
		require.NotContains(t, err.Error(), value+"/1", "the content of a record is not for logs")
	}
}

// A record that fails leaves nothing behind but what its handler writes; its neighbours lose nothing.
func TestHandlers(t *testing.T) {
	tests := map[string]struct {
		value string
		stage string
	}{
		"decode": {"undecodable", "deserialization"},
		"error":  {"bad", "processing"},
		"panic":  {"panic", "processing"},
		"encode": {"unencodable", "production"},
	}
	for name, c := range tests {
		for _, action := range []task.Action{task.Continue, task.DeadLetter} {
			t.Run(name+"/"+action.String(), func(t *testing.T) {
				h := task.Handlers{DeadLetterTopic: "dlq"}
				switch c.stage {
				case "deserialization":
					h.Deserialization = action
				case "processing":
					h.Processing = action
				case "production":
					h.Production = action
				}
				r := newRig(t, fragile(moody{}), task.Config{Handlers: h}, "a")
				r.add("a", 0, 1, "x")
				raw := r.in("a").Add(1, 7)
				*raw = topology.RawRecord{Topic: "a", Partition: 0, Offset: 1, Timestamp: 77, Key: nil, Value: []byte(c.value),
					Headers: topology.Headers{{Key: "own", Value: []byte("1")}, {Key: "own", Value: nil}}}
				r.add("a", 2, 3, "y")
				require.Equal(t, 3, r.process(10))
				require.Equal(t, []task.Action{action}, r.failed)
				require.EqualValues(t, 3, r.in("a").Position())
				if action == task.Continue {
					require.Equal(t, "x/1 x/2 y/1 y/2", r.take())
					return
				}
				require.Len(t, r.out, 5)
				letter := r.out[2]
				require.Equal(t, "dlq", letter.Topic)
				require.Less(t, letter.Partition, int32(0), "the key decides")
				require.Nil(t, letter.Key)
				require.Equal(t, c.value, string(letter.Value))
				require.EqualValues(t, 77, letter.Timestamp)
				require.EqualValues(t, 1, letter.offset)
				checkHeaders(t, letter.Headers, name)
			})
		}
	}
}

// checkHeaders: the record's own headers first, then those of KIP-1034, then ours.
func checkHeaders(t *testing.T, h topology.Headers, name string) {
	var keys []string
	for _, x := range h {
		keys = append(keys, x.Key)
	}
	want := []string{"own", "own", "__streams.errors.exception", "__streams.errors.message", "__streams.errors.stacktrace",
		"__streams.errors.topic", "__streams.errors.partition", "__streams.errors.offset",
		"eosproc.application.id", "eosproc.task.id"}
	if name != "panic" { // which has left the operators behind
		want = append(want, "eosproc.processor.node.id")
	}
	require.Equal(t, want, keys)
	require.Equal(t, "1", string(h[0].Value))
	require.Nil(t, h[1].Value)
	get := func(key string) string { v, _ := h.Get(key); return string(v) }
	assert.Equal(t, "a", get(task.HeaderTopic))
	assert.Equal(t, "0", get(task.HeaderPartition))
	assert.Equal(t, "1", get(task.HeaderOffset))
	assert.Equal(t, "app", get(task.HeaderApplication))
	assert.Equal(t, "0_0", get(task.HeaderTask))
	assert.NotEmpty(t, get(task.HeaderException))
	assert.NotEmpty(t, get(task.HeaderMessage))
	assert.Equal(t, name == "panic", get(task.HeaderStacktrace) != "", "only a panic has a stack")
	if name == "error" {
		assert.Equal(t, "*errors.errorString", get(task.HeaderException), "the class of the cause")
		assert.Equal(t, "check: bad value", get(task.HeaderMessage))
		assert.Equal(t, "fragile", get(task.HeaderNode))
	}
}

func TestRetries(t *testing.T) {
	h := task.Handlers{Processing: task.DeadLetter, DeadLetterTopic: "dlq", Retries: 3, Backoff: 100 * time.Millisecond, MaxBackoff: 250 * time.Millisecond}
	r := newRig(t, fragile(moody{}), task.Config{Handlers: h}, "a")
	r.add("a", 0, 1, "bad")
	r.add("a", 1, 1, "x")
	for try := range 3 {
		require.Zero(t, r.process(10))
		require.Equal(t, try+1, r.retried)
		at, ok := r.task.WakeAt()
		require.True(t, ok)
		require.LessOrEqual(t, at.Sub(r.now), min(100*time.Millisecond<<try, 250*time.Millisecond))
		if at.After(r.now) {
			r.now = at.Add(-time.Nanosecond)
			require.Zero(t, r.process(10))
			require.Equal(t, try+1, r.retried, "it is not tried before its time")
		}
		r.now = at
	}
	require.Equal(t, 2, r.process(10))
	require.Len(t, r.out, 3)
	attempts, _ := r.out[0].Headers.Get(task.HeaderAttempts)
	require.Equal(t, "4", string(attempts))
	_, ok := r.task.WakeAt()
	require.False(t, ok)

	// The next record has all its attempts, and a rewind gives them back.
	r.add("a", 2, 1, "bad")
	require.Zero(t, r.process(10))
	require.NoError(t, r.task.Rewind())
	_, ok = r.task.WakeAt()
	require.False(t, ok)
}

// A record that waits for its next try keeps its attempts, whatever arrives meanwhile.
func TestRetryStaysWithItsRecord(t *testing.T) {
	r := newRig(t, func(b *topology.Builder) {
		s := topology.From(b, text("a")).Merge(topology.From(b, text("b")))
		topology.Process(s, func(ctx *topology.Context[string, string]) func(record) error {
			return func(r record) error {
				if r.Value == "bad" {
					return errBad
				}
				return ctx.Forward(r)
			}
		}).To(text("out"))
	}, task.Config{MaxIdle: -1, Handlers: task.Handlers{Processing: task.Continue, Retries: 2}}, "a", "b")
	r.add("a", 0, 100, "bad")
	for i := range int64(5) {
		require.LessOrEqual(t, r.process(1), 1)
		r.add("b", i, i, "older")
	}
	require.Equal(t, 2, r.retried)
	for r.process(10) > 0 {
	}
	require.Equal(t, 2, r.retried)
	require.Equal(t, "older older older older older", r.take())
}

func TestTooLarge(t *testing.T) {
	limits := map[string]int{"out": 2000, "dlq": 4000}
	cfg := task.Config{MaxRecordBytes: func(topic string) int { return limits[topic] }}
	value := strings.Repeat("v", 1950)
	t.Run("fits", func(t *testing.T) {
		r := newRig(t, copied, cfg, "a")
		r.add("a", 0, 1, value[:1800])
		require.Equal(t, 1, r.process(1))
	})
	t.Run("fail", func(t *testing.T) {
		r := newRig(t, copied, cfg, "a")
		r.add("a", 0, 1, value)
		_, err := r.task.Process(1, r.emit)
		require.ErrorIs(t, err, task.ErrTooLarge)
		require.Empty(t, r.out)
	})
	cfg.Handlers = task.Handlers{Production: task.DeadLetter, DeadLetterTopic: "dlq"}
	t.Run("dead letter", func(t *testing.T) {
		r := newRig(t, copied, cfg, "a")
		r.add("a", 0, 1, "x")
		r.add("a", 1, 1, value)
		r.add("a", 2, 1, "y")
		require.Equal(t, 3, r.process(10))
		require.Equal(t, value, string(r.out[1].Value))
		_, omitted := r.out[1].Headers.Get(task.HeaderOmitted)
		require.False(t, omitted)
	})
	t.Run("value omitted", func(t *testing.T) {
		limits["dlq"] = 1500
		r := newRig(t, copied, cfg, "a")
		r.add("a", 0, 1, value)
		require.Equal(t, 1, r.process(10))
		require.NotNil(t, r.out[0].Value, "a null would be a tombstone")
		require.Empty(t, r.out[0].Value)
		size, _ := r.out[0].Headers.Get(task.HeaderOmitted)
		require.Equal(t, "1950", string(size))
	})
	t.Run("nothing helps", func(t *testing.T) {
		limits["dlq"] = 100
		r := newRig(t, copied, cfg, "a")
		r.add("a", 0, 1, value)
		_, err := r.task.Process(1, r.emit)
		require.ErrorIs(t, err, task.ErrTooLarge)
		require.Zero(t, r.in("a").Position(), "never skipped")
	})
}

// No broker took the record's output: its handler decides when it comes again, once.
func TestRefused(t *testing.T) {
	cause := fmt.Errorf("produce to topic out: %w", errBad)
	r := newRig(t, copied, task.Config{Handlers: task.Handlers{Production: task.DeadLetter, DeadLetterTopic: "dlq"}}, "a")
	r.add("a", 0, 1, "x")
	r.add("a", 1, 2, "refused")
	r.process(10)
	r.out = nil
	require.False(t, r.in("a").Refused(1))
	r.in("a").Refuse(1, cause)
	require.True(t, r.in("a").Refused(1))
	for range 2 { // also when the transaction with the dead letter is aborted in turn (F3)
		require.NoError(t, r.task.Rewind())
		r.add("a", 0, 1, "x")
		r.add("a", 1, 2, "refused")
		r.add("a", 2, 3, "y")
		require.Equal(t, 3, r.process(10))
		require.Equal(t, "dlq", r.out[1].Topic)
		require.Equal(t, "x refused y", r.take())
	}
	require.Len(t, r.failed, 2)
	r.commit()
	require.NoError(t, r.task.Rewind())
	require.EqualValues(t, 3, r.in("a").Position())
	require.False(t, r.in("a").Refused(1))
	r.in("a").SetPosition(1, -1, -1) // set back by an operator: it is tried again
	r.add("a", 1, 2, "refused")
	require.Equal(t, 1, r.process(10))
	require.Equal(t, "out", r.out[0].Topic)

	failing := newRig(t, copied, task.Config{}, "a")
	failing.in("a").Refuse(0, cause)
	failing.add("a", 0, 1, "x")
	_, err := failing.task.Process(1, failing.emit)
	require.ErrorIs(t, err, errBad)
	failure, ok := errors.AsType[*topology.RecordError](err)
	require.True(t, ok)
	require.Equal(t, topology.Production, failure.Stage)
}

// An extractor that fails once does not mark the record for good.
func TestFailedTimestampIsNotKeptOverARewind(t *testing.T) {
	fail := true
	r := newRig(t, func(b *topology.Builder) {
		topology.From(b, text("a"), topology.Timestamps(func(r record, _ int64) (int64, bool, error) {
			if fail {
				return 0, false, errBad
			}
			return r.Timestamp, true, nil
		})).To(text("out"))
	}, task.Config{Handlers: task.Handlers{Deserialization: task.DeadLetter, DeadLetterTopic: "dlq"}}, "a")
	r.add("a", 0, 4242, "x")
	require.Equal(t, 1, r.process(1))
	require.Equal(t, "dlq", r.out[0].Topic)
	require.EqualValues(t, 4242, r.out[0].Timestamp, "the timestamp with which the record came")
	require.EqualValues(t, -1, r.in("a").Time())
	fail = false
	require.NoError(t, r.task.Rewind())
	r.add("a", 0, 4242, "x")
	require.Equal(t, 1, r.process(1))
	require.Equal(t, "out", r.out[1].Topic)
}

// A schema registry that is down is no fault of the record: whatever the handlers
// say, the record waits for it, until task.timeout.ms is used up.
func TestUnavailable(t *testing.T) {
	handlers := task.Handlers{Deserialization: task.DeadLetter, Processing: task.Continue, Production: task.Continue, DeadLetterTopic: "dlq"}
	for name, define := range map[string]func(moody) func(*topology.Builder){
		"decode": fragile,
		"timestamp": func(m moody) func(*topology.Builder) {
			return func(b *topology.Builder) {
				topology.From(b, topology.NewTopic[string, string]("a", codec.String, m), topology.Timestamps(topology.FailOnInvalidTimestamp[string, string])).
					To(text("out"))
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			outage := true
			r := newRig(t, define(moody{&outage}), task.Config{Handlers: handlers, Timeout: time.Minute}, "a")
			r.add("a", 0, 1, "ok")
			r.add("a", 1, 2, "x")
			r.add("a", 2, 3, "y")
			require.Equal(t, 1, r.process(10))
			tries := 0
			start := r.now
			for ; r.now.Sub(start) < 30*time.Second; tries++ {
				require.Zero(t, r.process(10))
				at, ok := r.task.WakeAt()
				require.True(t, ok)
				r.now = at.Add(time.Millisecond)
			}
			require.Greater(t, tries, 10)
			require.Empty(t, r.failed)
			require.EqualValues(t, 1, r.in("a").Position())
			outage = false
			require.Equal(t, 2, r.process(10))
			require.Empty(t, r.failed)
			require.NotContains(t, r.take(), "dlq")

			// The next outage has a minute of its own.
			outage = true
			r.add("a", 3, 4, "z")
			require.Zero(t, r.process(10))
			r.now = r.now.Add(59 * time.Second)
			require.Zero(t, r.process(10))
			r.now = r.now.Add(2 * time.Second)
			_, err := r.task.Process(10, r.emit)
			require.ErrorIs(t, err, codec.ErrUnavailable)
			require.ErrorContains(t, err, "task.timeout.ms")
			require.EqualValues(t, 3, r.in("a").Position())
		})
	}
	t.Run("no timeout stops at once", func(t *testing.T) {
		outage := true
		r := newRig(t, fragile(moody{&outage}), task.Config{Handlers: handlers}, "a")
		r.add("a", 0, 1, "x")
		_, err := r.task.Process(1, r.emit)
		require.ErrorIs(t, err, codec.ErrUnavailable)
	})
}

// A punctuation that fails takes nothing with it but its own output.
func TestFailedPunctuation(t *testing.T) {
	define := func(b *topology.Builder) {
		topology.Process(topology.From(b, text("a")), func(ctx *topology.Context[string, string]) func(record) error {
			ctx.Schedule(10*time.Millisecond, topology.StreamTime, func(now int64) error {
				if err := ctx.Forward(record{Key: "t", Value: "half", Timestamp: now}); err != nil {
					return err
				}
				return errBad
			})
			return ctx.Forward
		}).To(text("out"))
	}
	r := newRig(t, define, task.Config{Handlers: task.Handlers{Processing: task.DeadLetter, DeadLetterTopic: "dlq"}}, "a")
	r.add("a", 0, 15, "x")
	r.add("a", 1, 25, "y")
	require.Equal(t, 2, r.process(10))
	require.Equal(t, "x y", r.take())
	require.Equal(t, []task.Action{task.Continue, task.Continue}, r.failed)

	r = newRig(t, define, task.Config{}, "a")
	r.add("a", 0, 15, "x")
	_, err := r.task.Process(1, r.emit)
	require.ErrorIs(t, err, errBad)
}
