//go:build linux

package faulttest

import (
	"fmt"
	"slices"
	"strings"
)

// allowance is what a guarantee lets pass.
type allowance struct{ duplicates, losses bool }

// evidence is all that was written and all that was read.
type evidence struct {
	topology  string
	out, dlq  string
	written   [][]entry
	committed map[int32]int64 // input offsets at the end
	live      []seen          // read during the faults
	final     []seen          // read at the end
	sampled   []string        // faults that the watcher found (C2, C10)
	hanging   []string        // open transactions, stable offsets behind the end (C11)
	allowed   allowance
}

// verdict is what the checks found; counts are for people.
type verdict struct {
	faults                               []string
	inputs, aborted, outputs, duplicates int
	missing                              int
}

// judge runs all checks. A fault begins with the name of its check and gives the
// first offender.
func judge(e *evidence) verdict {
	v := verdict{faults: append(slices.Clone(e.sampled), e.hanging...)}
	add := func(check, format string, args ...any) {
		v.faults = append(v.faults, check+": "+fmt.Sprintf(format, args...))
	}
	counts := v.tally(e, add)
	v.exact(e, counts, add)
	v.ordered(e, add)
	v.sameAsLive(e, add)
	return v
}

type adder func(check, format string, args ...any)

// tally counts the outputs of every input record, and finds those that should
// not be there at all (C5).
func (v *verdict) tally(e *evidence, add adder) map[uid]int {
	counts := map[uid]int{}
	aborted, strange := 0, 0
	for _, s := range e.final {
		u, err := s.uid()
		switch {
		case err != nil:
			if strange++; strange == 1 {
				add("C1", "%s-%d@%d holds what nothing should have produced: %v", s.topic, s.partition, s.offset, err)
			}
			continue
		case u.fate == dies:
			if aborted++; aborted == 1 {
				add("C5", "%s was aborted and yet is visible at %s-%d@%d", u, s.topic, s.partition, s.offset)
			}
		case u.routed(e.topology) == filtered, s.topic != map[route]string{toOutput: e.out, toDeadLetters: e.dlq}[u.routed(e.topology)]:
			add("C14", "%s went to %s", u, s.topic)
		}
		counts[u]++
	}
	v.outputs = len(e.final)
	return counts
}

// exact compares the outputs of every committed input with what is expected (C1).
func (v *verdict) exact(e *evidence, counts map[uid]int, add adder) {
	var lost, repeated, early []string
	for _, list := range e.written {
		for _, in := range list {
			if in.uid.fate == dies {
				v.aborted++
				continue
			}
			v.inputs++
			want := 1
			if in.uid.routed(e.topology) == filtered {
				want = 0
			}
			n := counts[in.uid]
			switch covered := in.offset < e.committed[in.uid.partition]; {
			case n > want:
				v.duplicates += n - want
				repeated = append(repeated, in.uid.String())
			case n < want && covered:
				v.missing++
				lost = append(lost, in.uid.String())
			case n > 0 && !covered:
				early = append(early, in.uid.String())
			}
		}
	}
	if len(lost) > 0 && !e.allowed.losses {
		add("C1", "%d inputs are committed without output, first %s", len(lost), lost[0])
	}
	if len(repeated) > 0 && !e.allowed.duplicates {
		add("C1", "%d inputs have more than one output, first %s", len(repeated), repeated[0])
	}
	if len(early) > 0 && !e.allowed.duplicates {
		add("C2", "%d inputs have an output without being committed, first %s", len(early), early[0])
	}
}

// ordered checks that outputs of one input partition come in its order (C3).
func (v *verdict) ordered(e *evidence, add adder) {
	if e.allowed.duplicates {
		return
	}
	type lane struct {
		topic string
		in    int32
		out   int32
	}
	last := map[lane]int64{}
	reported := false
	for _, s := range e.final {
		u, err := s.uid()
		if err != nil {
			continue
		}
		l := lane{s.topic, u.partition, s.partition}
		if before, ok := last[l]; ok && u.seq <= before && !reported {
			reported = true
			add("C3", "%s comes after sequence %d in %s-%d@%d", u, before, s.topic, s.partition, s.offset)
		}
		last[l] = u.seq
	}
}

// sameAsLive compares what a reader saw during the faults with the end (C6).
func (v *verdict) sameAsLive(e *evidence, add adder) {
	byPartition := func(all []seen) map[string][]string {
		out := map[string][]string{}
		for _, s := range all {
			lane := fmt.Sprintf("%s-%d", s.topic, s.partition)
			out[lane] = append(out[lane], fmt.Sprintf("%d:%s", s.offset, s.value))
		}
		return out
	}
	live, final := byPartition(e.live), byPartition(e.final)
	for lane, want := range final {
		got := live[lane]
		for i := range max(len(got), len(want)) {
			switch {
			case i >= len(got):
				add("C6", "the reader during the faults did not see %s of %s", want[i], lane)
			case i >= len(want) || got[i] != want[i]:
				add("C6", "the reader during the faults saw %s in %s, which is not there at the end", got[i], lane)
			default:
				continue
			}
			break
		}
	}
	for lane, got := range live {
		if len(final[lane]) == 0 {
			add("C6", "the reader during the faults saw %s in %s, which is not there at the end", got[0], lane)
		}
	}
}

func (s seen) uid() (uid, error) {
	return parseValue([]byte(strings.TrimPrefix(s.value, string(mapped))))
}

func (v verdict) String() string {
	return fmt.Sprintf("%d inputs (%d aborted), %d outputs, %d duplicates, %d missing", v.inputs+v.aborted, v.aborted, v.outputs, v.duplicates, v.missing)
}
