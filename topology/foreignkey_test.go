package topology_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/eosproc/eosproc/codec"
	"github.com/eosproc/eosproc/eostest"
	"github.com/eosproc/eosproc/topology"
)

const (
	registering = "payer-subscription-registration-topic"
	responding  = "payer-subscription-response-topic"
)

func foreignKeys(b *topology.Builder) {
	left, right := topology.TableFrom(b, payments, rowsOf("paid")), topology.TableFrom(b, users, rowsOf("names"))
	topology.LeftJoinForeignKey(left, right, paidBy, paying, orNobody, rowsOf("named")).Changes().To(out)
}

// A driver has one partition; tasks of several show that an answer goes back to
// the partition from which the question came.
func TestForeignKeyAnswersGoBackToTheirPartition(t *testing.T) {
	b := topology.NewBuilder()
	foreignKeys(b)
	topo, err := b.Build()
	require.NoError(t, err)
	require.Len(t, topo.SubTopologies(), 2)
	run := func(partition int32, topic string, r topology.RawRecord) []topology.Output {
		for _, s := range topo.SubTopologies() {
			in, err := s.NewInstance(partition, topology.Env{InternalTopic: func(name string) string { return "app-" + name }})
			require.NoError(t, err)
			if source, ok := in.Open(topic); ok {
				require.NoError(t, in.Process(source, &r))
				return slices.Clone(in.Outputs())
			}
		}
		t.Fatalf("nobody reads %s", topic)
		return nil
	}
	asked := run(3, "payments", topology.RawRecord{Key: []byte("p"), Value: []byte("u1 3€"), Timestamp: 7})
	require.Len(t, asked, 1)
	assert.Equal(t, "app-"+registering, asked[0].Topic)
	assert.Equal(t, "u1", string(asked[0].Key))
	assert.Equal(t, topology.AnyPartition, asked[0].Partition)

	answered := run(1, registering, topology.RawRecord{Key: asked[0].Key, Value: asked[0].Value, Timestamp: 7})
	require.Len(t, answered, 1)
	assert.Equal(t, "app-"+responding, answered[0].Topic)
	assert.Equal(t, "p", string(answered[0].Key))
	assert.Equal(t, int32(3), answered[0].Partition)
}

// An answer to what the left row was before is thrown away.
func TestStaleForeignKeyAnswersAreThrownAway(t *testing.T) {
	d := joining(t, foreignKeys)
	at(d, users, 1, "u1", "Ann")
	at(d, payments, 2, "p", "u1 3€")
	stale := d.ReadRaw(responding)
	require.Len(t, stale, 1)
	at(d, payments, 3, "p", "u1 4€")
	linesOf(d)
	d.SendRaw(responding, topology.RawRecord{Key: stale[0].Key, Value: stale[0].Value, Timestamp: 4})
	assert.Empty(t, linesOf(d))
	eostest.SendRecord(d, payments, topology.Record[string, string]{Key: "p", Timestamp: 5}.WithNullValue())
	d.SendRaw(responding, topology.RawRecord{Key: stale[0].Key, Value: stale[0].Value, Timestamp: 6})
	assert.Equal(t, []string{"p=null@5"}, linesOf(d))
}

func TestMalformedForeignKeyMessagesFail(t *testing.T) {
	d := joining(t, foreignKeys, eostest.Errors())
	for _, topic := range []string{registering, responding} {
		for _, value := range []string{"", "short", "\x02 a flag that is none, then enough bytes"} {
			d.SendRaw(topic, topology.RawRecord{Key: []byte("k"), Value: []byte(value)})
			errs := d.Errors()
			require.Len(t, errs, 1, "%s %q", topic, value)
			assert.ErrorIs(t, errs[0], codec.ErrMalformed)
		}
	}
}

// After any changes of both tables, the result is what the tables hold.
func TestForeignKeyJoinIsWhatTheTablesHold(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := joining(t, foreignKeys)
		left, right, view := map[string]string{}, map[string]string{}, map[string]string{}
		set := func(topic topology.Topic[string, string], rows map[string]string, at int64, k, v string) {
			r := topology.Record[string, string]{Key: k, Value: v, Timestamp: at}
			rows[k] = v
			if v == "" {
				r = r.WithNullValue()
				delete(rows, k)
			}
			eostest.SendRecord(d, topic, r)
		}
		user := rapid.SampledFrom([]string{"u", "u1", "u11"})
		for i := range rapid.IntRange(1, 25).Draw(t, "changes") {
			if rapid.Bool().Draw(t, "left") {
				v := rapid.SampledFrom([]string{"", "cash", "u a", "u1 a", "u1 b", "u11 a"}).Draw(t, "payment")
				set(payments, left, int64(i), rapid.SampledFrom([]string{"p", "p1"}).Draw(t, "key"), v)
			} else {
				set(users, right, int64(i), user.Draw(t, "user"), rapid.SampledFrom([]string{"", "Ann", "Bob"}).Draw(t, "name"))
			}
		}
		for _, r := range eostest.Read(d, out) {
			if view[r.Key] = r.Value; r.ValueIsNull() {
				delete(view, r.Key)
			}
		}
		want := map[string]string{}
		for k, v := range left {
			u, points := paidBy(k, v)
			name, ok := right[u]
			want[k] = orNobody(v, name, ok && points)
		}
		if !assert.ObjectsAreEqual(want, view) {
			t.Fatalf("want %v\ngot  %v", want, view)
		}
	})
}

func TestCopartitionedTopics(t *testing.T) {
	b := topology.NewBuilder()
	topology.JoinStreams(topology.From(b, clicks), topology.From(b, lines), topology.Within(time.Second), joinStores("j"), summed)
	foreignKeys(b)
	topology.From(b, other).Peek(func(topology.Record[string, string]) {})
	topo, err := b.Build()
	require.NoError(t, err)
	var groups [][]string
	for _, s := range topo.SubTopologies() {
		groups = append(groups, s.Copartitioned()...)
	}
	assert.ElementsMatch(t, [][]string{{"clicks", "lines"}, {responding, "payments"}, {registering, "users"}}, groups)
}
