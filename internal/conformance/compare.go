package conformance

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// compare returns the first difference between the expected records of each
// topic and those that came out; "" if there is none.
func compare(c *Case, got map[string][]Record) string {
	for _, topic := range slices.Sorted(maps.Keys(c.Expect)) {
		var d string
		switch c.Compare {
		case "sequence":
			d = compareSequence(c.Expect[topic], got[topic])
		case "table":
			d = compareTable(c.Expect[topic], got[topic], len(c.Input), c.CompareTs == nil || *c.CompareTs)
		default:
			d = fmt.Sprintf("unknown way to compare: %q", c.Compare)
		}
		if d != "" {
			return fmt.Sprintf("topic %s: %s", topic, d)
		}
	}
	return ""
}

// compareStores returns the first difference between the expected entries of
// each store and those that are in it.
func compareStores(c *Case, got map[string][]Entry) string {
	for _, store := range slices.Sorted(maps.Keys(c.ExpectStores)) {
		want, got := c.ExpectStores[store], got[store]
		for i := range max(len(want), len(got)) {
			switch {
			case i >= len(want):
				return fmt.Sprintf("store %s, entry %d: none expected\n  got   %+v", store, i, got[i])
			case i >= len(got):
				return fmt.Sprintf("store %s, entry %d: there is none\n  want  %+v", store, i, want[i])
			}
			g := got[i]
			if c.CompareTs != nil && !*c.CompareTs {
				g.Ts = want[i].Ts
			}
			if want[i] != g {
				return fmt.Sprintf("store %s, entry %d:\n  want  %+v\n  got   %+v", store, i, want[i], g)
			}
		}
	}
	return ""
}

func compareSequence(want, got []Record) string {
	for i := range max(len(want), len(got)) {
		switch {
		case i >= len(want):
			return fmt.Sprintf("record %d: none expected\n  got   %s", i, got[i])
		case i >= len(got):
			return fmt.Sprintf("record %d: none came\n  want  %s", i, want[i])
		case !equal(want[i], got[i]):
			return fmt.Sprintf("record %d:\n  want  %s\n  got   %s", i, want[i], got[i])
		}
	}
	return ""
}

func equal(a, b Record) bool {
	return a.Key == b.Key && a.Ts == b.Ts && a.After == b.After && equalText(a.Value, b.Value)
}

func equalText(a, b *string) bool {
	return (a == nil) == (b == nil) && (a == nil || *a == *b)
}

// compareTable compares the materialised views after each event.
func compareTable(want, got []Record, events int, ts bool) string {
	w, g := view{}, view{}
	for event := range events {
		want, got = w.apply(want, event), g.apply(got, event)
		for _, k := range slices.SortedFunc(maps.Keys(union(w, g)), compareKeys) {
			a, inWant := w[k]
			b, inGot := g[k]
			if inWant == inGot && a.value == b.value && (!ts || a.ts == b.ts) {
				continue
			}
			return fmt.Sprintf("after event %d, row %s:\n  want  %s\n  got   %s", event, k, row(a, inWant), row(b, inGot))
		}
	}
	if len(got) > 0 {
		return fmt.Sprintf("after the last event: %s", got[0])
	}
	return ""
}

type view map[Key]entry

type entry struct {
	value string
	ts    int64
}

// apply takes the records of an event into the view and returns the rest.
func (v view) apply(records []Record, event int) []Record {
	for len(records) > 0 && records[0].After == event {
		r := records[0]
		old, ok := v[r.Key]
		switch {
		case r.Value == nil:
			delete(v, r.Key)
		case !ok || old.value != *r.Value:
			v[r.Key] = entry{*r.Value, r.Ts}
		}
		records = records[1:]
	}
	return records
}

func union(a, b view) view {
	out := maps.Clone(a)
	maps.Copy(out, b)
	return out
}

func compareKeys(a, b Key) int {
	return cmp.Or(strings.Compare(a.Text, b.Text), cmp.Compare(a.Start, b.Start), cmp.Compare(a.End, b.End))
}

func row(e entry, there bool) string {
	if !there {
		return "no such row"
	}
	return fmt.Sprintf("%q, ts %d", e.value, e.ts)
}
