package verify

import (
	"strconv"
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"
)

func TestIdentities(t *testing.T) {
	header := func(record *kgo.Record, id string) *kgo.Record {
		record.Headers = []kgo.RecordHeader{{Key: "uid", Value: []byte("stale")}, {Key: "uid", Value: []byte(id)}}
		return record
	}
	byHeader := func(c *Config) { c.Identity.Header, c.Mode = "uid", ModeID }
	byField := func(c *Config) { c.Identity.JSONPath, c.Mode = "order.id", ModeID }
	tests := []struct {
		name    string
		config  func(*Config)
		in, out []*kgo.Record
		failed  []any
	}{
		{
			"header, values changed", byHeader,
			[]*kgo.Record{header(rec("in", 0, "a:1"), "u1"), header(rec("in", 0, "a:1"), "u2")},
			[]*kgo.Record{header(rec("out", 0, "b:x"), "u1"), header(rec("out", 0, "b:y"), "u2")}, nil,
		},
		{
			"header, one doubled and one lost", byHeader,
			[]*kgo.Record{header(rec("in", 0, "a:1"), "u1"), header(rec("in", 0, "a:1"), "u2")},
			[]*kgo.Record{header(rec("out", 0, "b:x"), "u1"), header(rec("out", 0, "b:y"), "u1")},
			[]any{CheckDuplicates, 1, CheckLoss, 1},
		},
		{
			"header, copy with a changed value", func(c *Config) { c.Identity.Header = "uid" },
			[]*kgo.Record{header(rec("in", 0, "a:1"), "u1"), header(rec("in", 0, "a:2"), "u2")},
			[]*kgo.Record{header(rec("out", 0, "a:1"), "u1"), header(rec("out", 0, "a:3"), "u2")},
			[]any{CheckContent, 1},
		},
		{
			"header absent in an output", byHeader,
			[]*kgo.Record{header(rec("in", 0, "a:1"), "u1")},
			[]*kgo.Record{header(rec("out", 0, "a:1"), "u1"), rec("out", 0, "a:2")},
			[]any{CheckIdentity, 1},
		},
		{
			"header absent in an input", byHeader,
			[]*kgo.Record{header(rec("in", 0, "a:1"), "u1"), rec("in", 0, "a:2")},
			[]*kgo.Record{header(rec("out", 0, "a:1"), "u1")},
			[]any{CheckIdentity, 1},
		},
		{
			"JSON field", byField,
			recs("in", 0, `k:{"order":{"id":9007199254740993,"n":1}}`, `k:{"order":{"id":"7"}}`),
			recs("out", 1, `x:{"order":{"id":9007199254740993}}`, `x:{"order": {"id" : "\u0037"}}`), nil,
		},
		{
			"JSON field, large integers and types told apart", byField,
			recs("in", 0, `k:{"order":{"id":9007199254740993}}`, `k:{"order":{"id":"7"}}`),
			recs("out", 1, `x:{"order":{"id":9007199254740992}}`, `x:{"order":{"id":7}}`),
			[]any{CheckLoss, 2, CheckUnexpected, 2},
		},
		{
			"JSON field absent", byField,
			recs("in", 0, `k:{"order":{"id":1}}`),
			recs("out", 0, `k:{"order":{"id":1}}`, `k:{}`, `k:not json`, `k:{"order":{"id":null}}`),
			[]any{CheckIdentity, 3},
		},
		{
			"key alone", func(c *Config) { c.Identity.Key, c.Mode = true, ModeID },
			recs("in", 0, "a:1", "b:1", "c:1"), recs("out", 0, "a:9", "b:8", "b:7"),
			[]any{CheckLoss, 1, CheckDuplicates, 1},
		},
		{
			"a filter, its losses allowed", func(c *Config) { c.AllowMissing = true },
			recs("in", 0, "a:1", "b:1", "c:1"), recs("out", 0, "a:1", "c:1"), nil,
		},
		{
			"a filter, allowed, still doubles nothing", func(c *Config) { c.AllowMissing = true },
			recs("in", 0, "a:1", "b:1", "c:1"), recs("out", 0, "a:1", "c:1", "c:1"), []any{CheckDuplicates, 1},
		},
		{
			"a filter known in code", keepEven,
			recs("in", 0, "a:1", "a:2", "a:3", "a:4"), recs("out", 0, "b:2", "b:4"), nil,
		},
		{
			"a filter known in code, ignored for one and lost for another", keepEven,
			recs("in", 0, "a:1", "a:2", "a:3", "a:4"), recs("out", 0, "b:2", "b:3"), []any{CheckLoss, 1, CheckUnexpected, 1},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := newRig(t)
			r.write(tt.in...)
			r.write(tt.out...)
			expect(t, r.verify(tt.config), tt.failed...)
		})
	}
}

func keepEven(c *Config) {
	c.Mode = ModeID
	c.Identify = func(_ Side, record *kgo.Record) ([]byte, bool, error) {
		n, err := strconv.Atoi(string(record.Value))
		return record.Value, n%2 == 0, err
	}
}
