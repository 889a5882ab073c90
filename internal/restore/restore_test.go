package restore_test

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/eosproc/eosproc/internal/kafkatest"
	"github.com/eosproc/eosproc/internal/restore"
	"github.com/eosproc/eosproc/statestore"
)

func TestMain(m *testing.M) { os.Exit(kafkatest.Main(m)) }

// onBoth runs a test on the fake and, where there is one, on a real broker.
func onBoth(t *testing.T, test func(t *testing.T, bootstrap string)) {
	t.Run("fake", func(t *testing.T) {
		_, bootstrap := kafkatest.Fake(t)
		test(t, bootstrap)
	})
	t.Run("real", func(t *testing.T) { test(t, kafkatest.Shared(t).Bootstrap()) })
}

// store is what a changelog restores: the newest value of each key.
type store struct {
	rows  map[string]string
	next  int64
	wiped bool
	calls int
}

func newStore() *store { return &store{rows: map[string]string{}, next: -1} }

func (s *store) changelog(topic string) restore.Changelog {
	return restore.Changelog{
		Topic: topic, Position: s.next,
		Apply: func(records []statestore.ChangelogRecord, next int64) error {
			s.calls++
			for _, r := range records {
				if r.Value == nil {
					delete(s.rows, string(r.Key))
				} else {
					s.rows[string(r.Key)] = string(r.Value)
				}
			}
			s.next = next
			return nil
		},
		Wipe: func() error { s.rows, s.next, s.wiped = map[string]string{}, -1, true; return nil },
	}
}

func run(t *testing.T, bootstrap string, changelogs ...restore.Changelog) error {
	return restore.Run(t.Context(), kafkatest.Client(t, bootstrap), [][]restore.Changelog{changelogs}, restore.Listener{})
}

func topic(t *testing.T, bootstrap string) string {
	name := kafkatest.Name("changelog")
	kafkatest.CreateTopic(t, bootstrap, name, 1, map[string]string{"cleanup.policy": "compact"})
	return name
}

// Only what is committed is restored, and the store is complete although the
// changelog's end is aborted: no record is at its last offsets.
func TestCommittedRecordsOnly(t *testing.T) {
	onBoth(t, func(t *testing.T, bootstrap string) {
		name := topic(t, bootstrap)
		kafkatest.ProduceTxn(t, bootstrap, "one", kgo.TryCommit, kafkatest.Record(name, "a", "1"), kafkatest.Record(name, "b", "1"))
		kafkatest.ProduceTxn(t, bootstrap, "one", kgo.TryAbort, kafkatest.Record(name, "a", "never"))
		kafkatest.ProduceTxn(t, bootstrap, "one", kgo.TryCommit, &kgo.Record{Topic: name, Key: []byte("b")}, kafkatest.Record(name, "c", "1"))
		kafkatest.ProduceTxn(t, bootstrap, "one", kgo.TryAbort, kafkatest.Record(name, "c", "never"), kafkatest.Record(name, "d", "never"))
		s := newStore()
		require.NoError(t, run(t, bootstrap, s.changelog(name)))
		assert.Equal(t, map[string]string{"a": "1", "c": "1"}, s.rows)
		end := kafkatest.EndOffsets(t, bootstrap, name)[0]
		assert.Equal(t, end, s.next)

		kafkatest.ProduceTxn(t, bootstrap, "one", kgo.TryCommit, kafkatest.Record(name, "a", "2"))
		s.rows = map[string]string{} // so that only what is read now is seen
		require.NoError(t, run(t, bootstrap, s.changelog(name)))
		assert.Equal(t, map[string]string{"a": "2"}, s.rows, "it goes on where it was")
	})
}

// A transaction that a lost predecessor has left open is waited for: what it
// holds belongs to the state or not, and nobody knows yet.
func TestAnOpenTransactionIsWaitedFor(t *testing.T) {
	onBoth(t, func(t *testing.T, bootstrap string) {
		name := topic(t, bootstrap)
		kafkatest.ProduceTxn(t, bootstrap, kafkatest.Name("before"), kgo.TryCommit, kafkatest.Record(name, "a", "1"))
		open := kafkatest.Client(t, bootstrap, kgo.TransactionalID(kafkatest.Name("open")))
		require.NoError(t, open.BeginTransaction())
		require.NoError(t, open.ProduceSync(t.Context(), kafkatest.Record(name, "b", "1")).FirstErr())

		s := newStore()
		began := make(chan struct{})
		done := make(chan error, 1)
		client := kafkatest.Client(t, bootstrap)
		go func() {
			done <- restore.Run(t.Context(), client, [][]restore.Changelog{{s.changelog(name)}}, restore.Listener{
				Restored: func(_ *restore.Changelog, records int, _ int64) {
					if records > 0 {
						select {
						case <-began:
						default:
							close(began)
						}
					}
				},
			})
		}()
		<-began
		select {
		case err := <-done:
			t.Fatalf("complete before the open transaction has ended: %v", err)
		case <-time.After(300 * time.Millisecond):
		}
		require.NoError(t, open.EndTransaction(t.Context(), kgo.TryCommit))
		require.NoError(t, <-done)
		assert.Equal(t, map[string]string{"a": "1", "b": "1"}, s.rows)
	})
}

func TestPositionsThatDoNotFit(t *testing.T) {
	onBoth(t, func(t *testing.T, bootstrap string) {
		name := kafkatest.Name("changelog")
		kafkatest.CreateTopic(t, bootstrap, name, 1, nil)
		kafkatest.Produce(t, bootstrap, kafkatest.Record(name, "a", "1"), kafkatest.Record(name, "b", "1"), kafkatest.Record(name, "c", "1"))
		client := kafkatest.Client(t, bootstrap)
		before := kadm.Offsets{}
		before.AddOffset(name, 0, 2, -1)
		_, err := kadm.NewClient(client).DeleteRecords(t.Context(), before)
		require.NoError(t, err)

		s := newStore()
		s.rows["old"], s.next = "1", 1
		require.NoError(t, run(t, bootstrap, s.changelog(name)))
		assert.True(t, s.wiped, "what lies between the position and the beginning is unknown")
		assert.Equal(t, map[string]string{"c": "1"}, s.rows)

		s.next, s.calls = 4, 0
		err = run(t, bootstrap, s.changelog(name))
		require.ErrorIs(t, err, restore.ErrAhead)
		assert.ErrorContains(t, err, name+"-0")
		assert.ErrorContains(t, err, "position 4, end 3")
		assert.Zero(t, s.calls)

		require.ErrorIs(t, run(t, bootstrap, newStore().changelog(kafkatest.Name("missing"))), restore.ErrMissing)
	})
}

// Compaction takes records out of the middle and may leave none at the end; the
// position reaches the end all the same.
func TestCompactedChangelog(t *testing.T) {
	c := kafkatest.Shared(t)
	name := kafkatest.Name("changelog")
	kafkatest.CreateTopic(t, c.Bootstrap(), name, 1, map[string]string{
		"cleanup.policy": "compact", "segment.ms": "100", "min.cleanable.dirty.ratio": "0.001", "delete.retention.ms": "0", "max.compaction.lag.ms": "100",
	})
	for i := range 20 {
		kafkatest.ProduceTxn(t, c.Bootstrap(), "compacted", kgo.TryCommit, kafkatest.Record(name, "a", strings.Repeat("x", i+1)))
	}
	compacted := func() bool { return len(kafkatest.ReadAll(t, c.Bootstrap(), name, kgo.ReadCommitted())) < 20 }
	require.Eventually(t, func() bool {
		kafkatest.ProduceTxn(t, c.Bootstrap(), "compacted", kgo.TryCommit, kafkatest.Record(name, "a", strings.Repeat("x", 21)))
		kafkatest.ProduceTxn(t, c.Bootstrap(), "compacted", kgo.TryAbort, kafkatest.Record(name, "a", "never"))
		return compacted()
	}, time.Minute, 300*time.Millisecond, "the broker does not compact")
	s := newStore()
	require.NoError(t, run(t, c.Bootstrap(), s.changelog(name)))
	assert.Equal(t, map[string]string{"a": strings.Repeat("x", 21)}, s.rows)
	assert.Equal(t, kafkatest.EndOffsets(t, c.Bootstrap(), name)[0], s.next)
}

func TestSeveralTasksAndAnInterruption(t *testing.T) {
	_, bootstrap := kafkatest.Fake(t)
	var stores []*store
	var tasks [][]restore.Changelog
	for range 9 {
		name := topic(t, bootstrap)
		kafkatest.Produce(t, bootstrap, kafkatest.Record(name, "a", name))
		s := newStore()
		stores, tasks = append(stores, s), append(tasks, []restore.Changelog{s.changelog(name)})
	}
	client := kafkatest.Client(t, bootstrap)
	require.NoError(t, restore.Run(t.Context(), client, tasks, restore.Listener{}))
	for i, s := range stores {
		assert.Equal(t, map[string]string{"a": tasks[i][0].Topic}, s.rows)
	}

	ctx, cancel := context.WithCancel(t.Context())
	interrupted := newStore()
	waiting := interrupted.changelog(tasks[0][0].Topic)
	apply := waiting.Apply
	waiting.Apply = func(r []statestore.ChangelogRecord, next int64) error { cancel(); return apply(r, next) }
	later := newStore()
	err := restore.Run(ctx, client, [][]restore.Changelog{{waiting, later.changelog(tasks[1][0].Topic)}}, restore.Listener{})
	require.ErrorIs(t, err, context.Canceled)
	assert.NotEmpty(t, interrupted.rows, "what was applied stays")
	assert.Zero(t, later.calls)
}
