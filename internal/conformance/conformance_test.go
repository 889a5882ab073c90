package conformance

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// supported lists the families whose cases must all be built and pass. Cases of
// the others are run as far as their operators are there: a wrong answer is a
// failure in any family, a missing operator only in these.
var supported = []string{
	"stateless", "ktable", "stream-aggregate", "window-tumbling", "window-hopping", "window-session", "window-sliding",
	"suppress", "emit-on-close", "cogroup", "processor",
	"join-stream-table", "join-table-table", "join-stream-stream", "join-stream-global", "join-foreign-key", "composition",
}

// extraDirs names the environment variable with further folders of case files,
// separated by colons.
const extraDirs = "EOSPROC_CONFORMANCE_DIR"

type score struct {
	passed, failed int
	missing        map[string]int
}

func (s *score) String() string {
	out := fmt.Sprintf("%d passed, %d failed", s.passed, s.failed)
	for _, op := range slices.Sorted(maps.Keys(s.missing)) {
		out += fmt.Sprintf(", %d %s", s.missing[op], op)
	}
	return out
}

func TestConformance(t *testing.T) {
	files := caseFiles(t)
	scores := map[string]*score{}
	for _, file := range files {
		cases, err := ReadFile(file)
		require.NoError(t, err)
		for i := range cases {
			c := &cases[i]
			s := scores[c.Family]
			if s == nil {
				s = &score{missing: map[string]int{}}
				scores[c.Family] = s
			}
			t.Run(c.Name, func(t *testing.T) { judge(t, c, s) })
		}
	}
	for _, family := range slices.Sorted(maps.Keys(scores)) {
		t.Logf("%-20s %s", family, scores[family])
	}
	for _, family := range supported {
		assert.Contains(t, scores, family, "no case of a supported family was found")
	}
}

func caseFiles(t *testing.T) []string {
	dirs := append([]string{"testdata", "testdata/cases"}, filepath.SplitList(os.Getenv(extraDirs))...)
	var files []string
	for _, dir := range dirs {
		found, err := filepath.Glob(filepath.Join(dir, "*.json"))
		require.NoError(t, err)
		require.NotEmpty(t, found, "no case files in %s", dir)
		files = append(files, found...)
	}
	return files
}

func judge(t *testing.T, c *Case, s *score) {
	unsupported := false
	defer func() { // also when a failing record ends the test
		switch {
		case t.Failed():
			s.failed++
		case !unsupported:
			s.passed++
		}
	}()
	difference, err := Run(t, c)
	if errors.Is(err, ErrUnsupported) && !slices.Contains(supported, c.Family) {
		unsupported = true
		s.missing[err.Error()]++
		return
	}
	require.NoError(t, err)
	if difference != "" {
		t.Fatalf("%s\n%s", c.About, difference)
	}
}

// A runner that finds no difference proves nothing unless it finds those that are there.
func TestCompareFindsDifferences(t *testing.T) {
	a := Record{Key: Key{Text: "a"}, Value: text("1"), Ts: 5, After: 0}
	change := func(f func(*Record)) []Record {
		r := a
		f(&r)
		return []Record{r}
	}
	tests := map[string]struct {
		got             []Record
		sequence, table string
	}{
		"equal":           {[]Record{a}, "", ""},
		"missing":         {nil, "none came", "no such row"},
		"twice":           {[]Record{a, a}, "none expected", ""},
		"key":             {change(func(r *Record) { r.Key.Text = "b" }), `"b" = "1"`, "no such row"},
		"null key":        {change(func(r *Record) { r.Key = Key{Null: true} }), `null = "1"`, "no such row"},
		"value":           {change(func(r *Record) { r.Value = text("2") }), `"a" = "2"`, `"2", ts 5`},
		"null value":      {change(func(r *Record) { r.Value = nil }), `"a" = null`, "no such row"},
		"timestamp":       {change(func(r *Record) { r.Ts = 6 }), "ts 6", "ts 6"},
		"after":           {change(func(r *Record) { r.After = 1 }), "after event 1", "after event 0"},
		"after the input": {change(func(r *Record) { r.After = 9 }), "after event 9", "after event 0"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			for way, want := range map[string]string{"sequence": tc.sequence, "table": tc.table} {
				c := &Case{Compare: way, Input: make([]Event, 2), Expect: map[string][]Record{"out": {a}}}
				got := compare(c, map[string][]Record{"out": tc.got})
				if want == "" {
					assert.Empty(t, got, way)
				} else {
					assert.Contains(t, got, want, way)
				}
			}
		})
	}
}

// TestNoTsComparesNoTs: with compareTs false a table's timestamps do not count.
func TestNoTsComparesNoTs(t *testing.T) {
	no := false
	c := &Case{Compare: "table", CompareTs: &no, Input: make([]Event, 1), Expect: map[string][]Record{
		"out": {{Key: Key{Text: "a"}, Value: text("1"), Ts: 5}},
	}}
	assert.Empty(t, compare(c, map[string][]Record{"out": {{Key: Key{Text: "a"}, Value: text("1"), Ts: 7}}}))
}

func TestCompareStoresFindsDifferences(t *testing.T) {
	a := Entry{Key: "a", Start: 1, End: 5, Value: "1", Ts: 5}
	change := func(f func(*Entry)) []Entry {
		e := a
		f(&e)
		return []Entry{e}
	}
	for name, tc := range map[string]struct {
		got  []Entry
		want string
	}{
		"equal":     {[]Entry{a}, ""},
		"missing":   {nil, "there is none"},
		"too many":  {[]Entry{a, a}, "none expected"},
		"key":       {change(func(e *Entry) { e.Key = "b" }), "Key:b"},
		"window":    {change(func(e *Entry) { e.End = 6 }), "End:6"},
		"value":     {change(func(e *Entry) { e.Value = "2" }), "Value:2"},
		"timestamp": {change(func(e *Entry) { e.Ts = 6 }), "Ts:6"},
	} {
		t.Run(name, func(t *testing.T) {
			c := &Case{ExpectStores: map[string][]Entry{"s": {a}}}
			got := compareStores(c, map[string][]Entry{"s": tc.got})
			if tc.want == "" {
				assert.Empty(t, got)
			} else {
				assert.Contains(t, got, tc.want)
			}
			no := false
			if c.CompareTs = &no; name == "timestamp" {
				assert.Empty(t, compareStores(c, map[string][]Entry{"s": tc.got}))
			}
		})
	}
}

// TestUnsupportedIsNamed: the report of a case that cannot be built names the operator.
func TestUnsupportedIsNamed(t *testing.T) {
	c := &Case{Nodes: []Node{{ID: "x", Op: "joinNothing"}}}
	_, err := Run(t, c)
	require.ErrorIs(t, err, ErrUnsupported)
	assert.True(t, strings.HasSuffix(err.Error(), "joinNothing"))
}
