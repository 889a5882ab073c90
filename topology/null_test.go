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

// pointers writes a *string as text, so that null has a Go value.
type pointers struct{}

func (pointers) Append(dst []byte, v *string) ([]byte, error) {
	if v == nil {
		return dst, codec.ErrNil
	}
	return append(dst, *v...), nil
}

func (pointers) Decode(b []byte) (*string, error) {
	s := string(b)
	return &s, nil
}

func driver(t testing.TB, define func(*topology.Builder), opts ...eostest.Option) *eostest.Driver {
	t.Helper()
	return eostest.New(t, build(t, define), opts...)
}

// shown writes a record's key and value, null as "null".
func shown(o topology.Output) string {
	side := func(b []byte) string {
		if b == nil {
			return "null"
		}
		return string(b)
	}
	return side(o.Key) + "=" + side(o.Value)
}

// Each operator is given a null key, then a null value, once with string, which
// cannot express null, and once with *string, which can.
func TestNullRules(t *testing.T) {
	type op[T any] func(topology.Stream[T, T]) topology.Stream[T, T]
	suffix := func(v string) string { return v + "!" }
	suffixP := func(v *string) *string {
		if v == nil {
			return nil
		}
		s := *v + "!"
		return &s
	}
	const fails = "fails"
	tests := map[string]struct {
		plain    op[string]
		pointer  op[*string]
		want     []string // of null=v, then k=null, for string
		wantWith []string // and for *string
	}{
		"pass": {
			func(s topology.Stream[string, string]) topology.Stream[string, string] { return s },
			func(s topology.Stream[*string, *string]) topology.Stream[*string, *string] { return s },
			[]string{"null=v", "k=null"}, []string{"null=v", "k=null"},
		},
		"filter": {
			func(s text) text { return s.Filter(yes) },
			func(s topology.Stream[*string, *string]) topology.Stream[*string, *string] {
				return s.Filter(func(k, v *string) bool { return true })
			},
			[]string{"null=v"}, []string{"null=v", "k=null"},
		},
		"filter not": {
			func(s text) text { return s.FilterNot(yes) },
			func(s topology.Stream[*string, *string]) topology.Stream[*string, *string] {
				return s.FilterNot(func(k, v *string) bool { return v != nil })
			},
			[]string{"k=null"}, []string{"k=null"},
		},
		"split": {
			func(s text) text { split := s.Split(); split.Branch(yes); return split.Default() },
			func(s topology.Stream[*string, *string]) topology.Stream[*string, *string] {
				split := s.Split()
				split.Branch(func(_, v *string) bool { return v != nil })
				return split.Default()
			},
			[]string{"k=null"}, []string{"k=null"},
		},
		"map values": {
			func(s text) text { return topology.MapValues(s, suffix) },
			func(s topology.Stream[*string, *string]) topology.Stream[*string, *string] {
				return topology.MapValues(s, suffixP)
			},
			[]string{"null=v!", "k=null"}, []string{"null=v!", "k=null"},
		},
		"flat map values": {
			func(s text) text { return topology.FlatMapValues(s, func(v string) []string { return []string{v, v} }) },
			func(s topology.Stream[*string, *string]) topology.Stream[*string, *string] {
				return topology.FlatMapValues(s, func(v *string) []*string { return []*string{v, nil} })
			},
			[]string{"null=v", "null=v"}, []string{"null=v", "null=null", "k=null", "k=null"},
		},
		"map": {
			func(s text) text { return topology.Map(s, func(k, v string) (string, string) { return k, v }) },
			func(s topology.Stream[*string, *string]) topology.Stream[*string, *string] {
				return topology.Map(s, func(k, v *string) (*string, *string) { return v, k })
			},
			[]string{"=v", fails}, []string{"v=null", "null=k"},
		},
		"select key": {
			func(s text) text { return topology.SelectKey(s, func(k, v string) string { return v }) },
			func(s topology.Stream[*string, *string]) topology.Stream[*string, *string] {
				return topology.SelectKey(s, func(k, v *string) *string { return v })
			},
			[]string{"v=v", fails}, []string{"v=v", "null=null"},
		},
		"flat map": {
			func(s text) text {
				return topology.FlatMap(s, func(k, v string) []topology.Pair[string, string] {
					return []topology.Pair[string, string]{{Key: v, Value: k}}
				})
			},
			func(s topology.Stream[*string, *string]) topology.Stream[*string, *string] {
				return topology.FlatMap(s, func(k, v *string) []topology.Pair[*string, *string] {
					return []topology.Pair[*string, *string]{{Key: v, Value: k}, {}}
				})
			},
			[]string{"v=", fails}, []string{"v=null", "null=null", "null=k", "null=null"},
		},
		"process": {
			func(s text) text {
				return topology.Process(s, func(ctx *topology.Context[string, string]) func(record) error {
					return func(r record) error {
						if r.ValueIsNull() {
							r = r.WithValue("was null")
						} else {
							r = r.WithNullValue()
						}
						return ctx.Forward(r)
					}
				})
			},
			func(s topology.Stream[*string, *string]) topology.Stream[*string, *string] {
				return topology.Process(s, func(ctx *topology.Context[*string, *string]) func(topology.Record[*string, *string]) error {
					return func(r topology.Record[*string, *string]) error {
						r.Key, r.Value = r.Value, r.Key // no WithKey: the nil of the type decides
						return ctx.Forward(r)
					}
				})
			},
			[]string{"null=null", "k=was null"}, []string{"v=null", "null=k"},
		},
		"repartition": {
			func(s text) text { return s.Repartition(textTopic("r")) },
			func(s topology.Stream[*string, *string]) topology.Stream[*string, *string] {
				return s.Repartition(topology.NewTopic("r", pointers{}, pointers{}))
			},
			[]string{"k=null"}, []string{"k=null"},
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			pointer := func(name string) topology.Topic[*string, *string] {
				return topology.NewTopic(name, pointers{}, pointers{})
			}
			plain := driver(t, func(b *topology.Builder) { tc.plain(read(b, "in")).To(textTopic("out")) }, eostest.Errors())
			withNil := driver(t, func(b *topology.Builder) { tc.pointer(topology.From(b, pointer("in"))).To(pointer("out")) }, eostest.Errors())
			for _, side := range []struct {
				d    *eostest.Driver
				want []string
			}{{plain, tc.want}, {withNil, tc.wantWith}} {
				side.d.SendRaw("in", topology.RawRecord{Value: []byte("v"), Timestamp: 1})
				side.d.SendRaw("in", topology.RawRecord{Key: []byte("k"), Timestamp: 2})
				var got []string
				for _, o := range side.d.ReadRaw("out") {
					got = append(got, shown(o))
				}
				for _, err := range side.d.Errors() {
					require.ErrorIs(t, err, topology.ErrNullValue)
					got = append(got, fails)
				}
				assert.Equal(t, side.want, got)
			}
		})
	}
}

func TestRepartitionCountsWhatItDrops(t *testing.T) {
	d := driver(t, func(b *topology.Builder) { read(b, "in").Repartition(textTopic("r")).To(textTopic("out")) })
	d.SendRaw("in", topology.RawRecord{Value: []byte("v")})
	eostest.Send(d, textTopic("in"), "k", "v", time.UnixMilli(1))
	assert.Equal(t, 1, d.Dropped(topology.DropNullKey))
	assert.Len(t, d.ReadRaw("out"), 1)
}

// A copy of a topic with pass-through codecs copies no bytes.
func TestAliasedBytesArePassedOn(t *testing.T) {
	bytes := func(name string) topology.Topic[[]byte, []byte] {
		return topology.NewTopic(name, codec.Bytes, codec.Bytes)
	}
	topo := build(t, func(b *topology.Builder) { topology.From(b, bytes("in")).To(bytes("out")) })
	in, err := topo.SubTopologies()[0].NewInstance(0, topology.Env{Now: func() int64 { return 0 }})
	require.NoError(t, err)
	s, ok := in.Open("in")
	require.True(t, ok)
	value := []byte("large")
	require.NoError(t, in.Process(s, &topology.RawRecord{Topic: "in", Key: []byte{}, Value: value}))
	o := in.Outputs()
	require.Len(t, o, 1)
	assert.Same(t, &value[0], &o[0].Value[0], "a pass-through value is not copied")
	assert.NotNil(t, o[0].Key, "an empty key is no null")
}
