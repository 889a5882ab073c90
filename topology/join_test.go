package topology_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/eosproc/eosproc/codec"
	"github.com/eosproc/eosproc/eostest"
	"github.com/eosproc/eosproc/statestore"
	"github.com/eosproc/eosproc/topology"
)

func summed(l, r string) string { return l + "+" + r }

func historyOf(name string) statestore.Versioned[string, string] {
	return statestore.NewVersioned(name, codec.String, codec.String, statestore.VersionedConfig{HistoryRetention: time.Minute})
}

func joinStores(name string) topology.JoinStores[string, string, string] {
	return topology.NewJoinStores(name, codec.String, codec.String, codec.String)
}

// joining makes a driver for a topology of joins.
func joining(t eostest.T, define func(b *topology.Builder), opts ...eostest.Option) *eostest.Driver {
	b := topology.NewBuilder()
	define(b)
	topo, err := b.Build()
	if err != nil {
		t.Fatalf("build: %v", err)
	}
	return eostest.New(t, topo, opts...)
}

// linesOf shows what came out as "key=value@timestamp".
func linesOf(d *eostest.Driver) []string {
	var all []string
	for _, r := range eostest.Read(d, out) {
		value := r.Value
		if r.ValueIsNull() {
			value = "null"
		}
		all = append(all, fmt.Sprintf("%s=%s@%d", r.Key, value, r.Timestamp))
	}
	return all
}

// refusing fails on values that contain "bad".
func refusing(s topology.Stream[string, string]) topology.Stream[string, string] {
	return topology.Process(s, func(ctx *topology.Context[string, string]) func(topology.Record[string, string]) error {
		return func(r topology.Record[string, string]) error {
			if strings.Contains(r.Value, "bad") {
				return assert.AnError
			}
			return ctx.Forward(r)
		}
	})
}

func TestJoinFaultsAreToldByBuild(t *testing.T) {
	table := func(b *topology.Builder) topology.Table[string, string] {
		return topology.TableFrom(b, users, rowsOf("names"))
	}
	old := func(b *topology.Builder) topology.Table[string, string] {
		return topology.TableFrom(b, users, historyOf("names"))
	}
	hold := topology.NewBuffer("wait", codec.String, codec.String)
	streams := func(b *topology.Builder, w topology.JoinWindows, s topology.JoinStores[string, string, string]) {
		topology.JoinStreams(topology.From(b, clicks), topology.From(b, payments), w, s, summed)
	}
	tests := map[string]struct {
		define func(b *topology.Builder)
		want   string
	}{
		"grace without versions": {func(b *topology.Builder) {
			topology.Join(topology.From(b, clicks), table(b), summed, topology.JoinGrace(time.Second, hold))
		}, "needs a table that is kept in a versioned store"},
		"grace beyond history": {func(b *topology.Builder) {
			topology.Join(topology.From(b, clicks), old(b), summed, topology.JoinGrace(time.Hour, hold))
		}, "history goes back only 1m0s"},
		"negative grace": {func(b *topology.Builder) {
			topology.Join(topology.From(b, clicks), old(b), summed, topology.JoinGrace(-time.Second, hold))
		}, "JoinGrace of -1000 ms"},
		"grace of another type": {func(b *topology.Builder) {
			topology.Join(topology.From(b, clicks), old(b), summed, topology.JoinGrace(time.Second, topology.NewBuffer("wait", codec.String, codec.Int64)))
		}, "JoinGrace is for another stream"},
		"grace elsewhere": {func(b *topology.Builder) {
			topology.From(b, clicks).Filter(func(_, _ string) bool { return true }, topology.JoinGrace(time.Second, hold))
		}, "the option JoinGrace does not apply"},
		"null keys elsewhere": {func(b *topology.Builder) {
			topology.From(b, clicks).Filter(func(_, _ string) bool { return true }, topology.KeepNullKeys())
		}, "the option KeepNullKeys does not apply"},
		"inverted window": {func(b *topology.Builder) {
			streams(b, topology.Within(time.Second).Before(-2*time.Second), joinStores("j"))
		}, "end before they start"},
		"negative grace of windows": {func(b *topology.Builder) {
			streams(b, topology.Within(time.Second).Grace(-1*time.Second), joinStores("j"))
		}, "a grace of -1000 ms"},
		"no stores": {func(b *topology.Builder) {
			streams(b, topology.Within(time.Second), topology.JoinStores[string, string, string]{})
		}, "see NewJoinStores"},
		"stores of another join": {func(b *topology.Builder) {
			l, r := topology.From(b, clicks), topology.From(b, payments)
			topology.JoinStreams(l, r, topology.Within(time.Second), joinStores("j"), summed)
			topology.JoinStreams(l, r, topology.Within(time.Second), joinStores("j"), summed)
		}, "each needs its own"},
		"foreign keys without codecs": {func(b *topology.Builder) {
			topology.JoinForeignKey(table(b), topology.TableFrom(b, payments, rowsOf("paid")), paidBy,
				topology.ForeignKeys[string, string, string, string]{Name: "fk"}, summed, rowsOf("joined"))
		}, "all four codecs"},
		"foreign keys twice": {func(b *topology.Builder) {
			l, r := topology.TableFrom(b, payments, rowsOf("paid")), table(b)
			topology.JoinForeignKey(l, r, paidBy, paying, summed, rowsOf("joined"))
			topology.JoinForeignKey(l, r, paidBy, paying, summed, rowsOf("again"))
		}, "names must differ"},
		"a global topic twice": {func(b *topology.Builder) {
			topology.From(b, users)
			topology.GlobalTableFrom(b, users)
		}, "read by KSTREAM-SOURCE-0000000000 and a global table"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			b := topology.NewBuilder()
			tc.define(b)
			_, err := b.Build()
			require.ErrorContains(t, err, tc.want)
		})
	}
}

// A record that waits keeps its headers, and equal ones keep their order.
func TestJoinGraceKeepsRecords(t *testing.T) {
	d := joining(t, func(b *topology.Builder) {
		hold := topology.NewBuffer("wait", codec.String, codec.String)
		topology.LeftJoin(topology.From(b, clicks), topology.TableFrom(b, users, historyOf("names")), orNobody,
			topology.JoinGrace(5*time.Millisecond, hold)).To(out)
	})
	send := func(at int64, value string, h topology.Headers) {
		eostest.SendRecord(d, clicks, topology.Record[string, string]{Key: "k", Value: value, Timestamp: at, Headers: h})
	}
	headers := topology.Headers{{Key: "trace", Value: []byte("1")}, {Key: "none"}}
	send(2, "b", headers)
	send(2, "c", nil)
	send(1, "a", nil)
	send(7, "d", nil)
	records := eostest.Read(d, out)
	require.Len(t, records, 3)
	for i, want := range []string{"a+-", "b+-", "c+-"} {
		assert.Equal(t, want, records[i].Value)
	}
	assert.Equal(t, headers, records[1].Headers)
	assert.Empty(t, records[2].Headers)

	send(1, "late", nil)
	assert.Equal(t, []string{"k=late+-@1"}, linesOf(d), "beyond the grace")
}

// What an operator behind refuses has neither been stored, nor has it moved the
// join's time or let others come out.
func TestAFailedRecordLeavesNoTraceInJoins(t *testing.T) {
	d := joining(t, func(b *topology.Builder) {
		l, r := topology.From(b, clicks), topology.From(b, payments)
		refusing(topology.OuterJoinStreams(l, r, topology.Within(10*time.Millisecond), joinStores("j"), either)).To(out)
		refusing(l)
	}, eostest.Errors())
	at(d, clicks, 1, "k", "a")
	at(d, clicks, 100, "k", "bad")
	assert.Len(t, d.Errors(), 1)
	assert.Empty(t, linesOf(d), "the record at 1 still waits")
	at(d, payments, 5, "k", "x")
	at(d, clicks, 100, "k", "b")
	at(d, payments, 120, "k", "y")
	assert.Equal(t, []string{"k=a+x@5", "k=b+-@100"}, linesOf(d))
}

// A record that waits alone is state: it comes out of a task that begins anew.
func TestUnmatchedRecordsSurviveARestart(t *testing.T) {
	b := topology.NewBuilder()
	topology.LeftJoinStreams(topology.From(b, clicks), topology.From(b, payments), topology.Within(10*time.Millisecond), joinStores("j"), orNobody).To(out)
	topo, err := b.Build()
	require.NoError(t, err)
	state := statestore.NewState(statestore.NewMemory())
	process := func(r topology.RawRecord) []topology.Output {
		in, err := topo.SubTopologies()[0].NewInstance(0, topology.Env{State: state})
		require.NoError(t, err)
		s, ok := in.Open("clicks")
		require.True(t, ok)
		require.NoError(t, in.Process(s, &r))
		return slices.Clone(in.Outputs())
	}
	require.Empty(t, process(topology.RawRecord{Topic: "clicks", Key: []byte("a"), Value: []byte("1"), Timestamp: 1}))
	got := process(topology.RawRecord{Topic: "clicks", Key: []byte("b"), Value: []byte("2"), Timestamp: 12})
	require.Len(t, got, 1)
	assert.Equal(t, "1+-", string(got[0].Value))
}

// Of records that come in order, an outer join gives each pair within the window
// once, and each record without a pair alone once.
func TestOuterJoinIsComplete(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		before := rapid.Int64Range(0, 6).Draw(t, "before")
		after := rapid.Int64Range(-before, 6).Draw(t, "after")
		w := topology.Within(0).Before(time.Duration(before) * time.Millisecond).After(time.Duration(after) * time.Millisecond)
		d := joining(t, func(b *topology.Builder) {
			topology.OuterJoinStreams(topology.From(b, clicks), topology.From(b, payments), w, joinStores("j"), either).To(out)
		})
		type sent struct {
			left       bool
			key, value string
			at         int64
		}
		var all []sent
		now := int64(0)
		for i := range rapid.IntRange(1, 30).Draw(t, "records") {
			now += rapid.Int64Range(0, 4).Draw(t, "step")
			r := sent{rapid.Bool().Draw(t, "left"), rapid.SampledFrom([]string{"a", "ab"}).Draw(t, "key"), fmt.Sprint(i), now}
			all = append(all, r)
			if r.left {
				at(d, clicks, r.at, r.key, r.value)
			} else {
				at(d, payments, r.at, r.key, r.value)
			}
		}
		var want []string
		for _, x := range all {
			alone := true
			for _, y := range all {
				l, r := x, y
				if !x.left {
					l, r = y, x
				}
				if l.left == r.left || l.key != r.key || r.at < l.at-before || r.at > l.at+after {
					continue
				}
				alone = false
				if x.left {
					want = append(want, fmt.Sprintf("%s=%s+%s@%d", l.key, l.value, r.value, max(l.at, r.at)))
				}
			}
			if alone && x.left {
				want = append(want, fmt.Sprintf("%s=%s+-@%d", x.key, x.value, x.at))
			} else if alone {
				want = append(want, fmt.Sprintf("%s=-+%s@%d", x.key, x.value, x.at))
			}
		}
		at(d, clicks, now+1000, "end", "end") // closes all windows
		got := slices.DeleteFunc(linesOf(d), func(line string) bool { return strings.HasPrefix(line, "end=") })
		slices.Sort(want)
		slices.Sort(got)
		if !slices.Equal(want, got) {
			t.Fatalf("want %q\ngot  %q", want, got)
		}
	})
}

// A row that a filter takes away is missing to a join, and its value is not seen.
func TestJoinsDoNotSeeFilteredRows(t *testing.T) {
	keep := func(_, v string) bool { return v != "hidden" }
	d := joining(t, func(b *topology.Builder) {
		names := topology.TableFrom(b, users, rowsOf("names")).Filter(keep)
		seen := func(l, r string, ok bool) string { return fmt.Sprintf("%s,%q,%v", l, r, ok) }
		topology.LeftJoin(topology.From(b, clicks), names, seen).To(out)
		topology.LeftJoinTables(topology.TableFrom(b, payments, rowsOf("paid")), names, seen).Changes().To(out)
	})
	at(d, users, 1, "k", "hidden")
	at(d, clicks, 2, "k", "c")
	at(d, payments, 3, "k", "p")
	assert.Equal(t, []string{`k=c,"",false@2`, `k=p,"",false@3`}, linesOf(d))
}
