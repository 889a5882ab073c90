package demo

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"time"
)

// lines shows text that can go into a file: a line per event and per second.
type lines struct {
	w    io.Writer
	last time.Duration
}

func (l *lines) happened(e event) {
	_, _ = fmt.Fprintf(l.w, " %s  %s\n", e.Time.Format(time.TimeOnly), e.Text) // a closed terminal must not stop the demo
}

func (l *lines) progressed(p progress) {
	if p.since-l.last < time.Second {
		return
	}
	l.last = p.since.Truncate(time.Second)
	_, _ = fmt.Fprintln(l.w, p.line()) // as above
}

func (l *lines) ended(r *report) error {
	_, err := io.WriteString(l.w, "\n"+r.text())
	return err
}

func (p progress) line() string {
	return fmt.Sprintf(" %5.1fs  orders %s (%s placed)   payments %s   in open transactions %s   duplicates %s   aborted %s",
		p.since.Seconds(), grouped(p.in), grouped(p.expected), grouped(p.out), grouped(p.open), grouped(p.duplicates), grouped(p.aborted))
}

// block shows the counts at the bottom of a terminal, below the events.
type block struct {
	w     io.Writer
	drawn int // lines that the block takes now
	last  progress
}

func (b *block) happened(e event) {
	b.erase()
	_, _ = fmt.Fprintf(b.w, " \x1b[2m%s\x1b[0m  %s\n", e.Time.Format(time.TimeOnly), e.Text) // a closed terminal must not stop the demo
	b.draw()
}

func (b *block) progressed(p progress) {
	b.last = p
	b.erase()
	b.draw()
}

func (b *block) ended(r *report) error {
	b.erase()
	_, err := io.WriteString(b.w, "\n"+r.text())
	return err
}

func (b *block) erase() {
	if b.drawn > 0 {
		_, _ = fmt.Fprintf(b.w, "\x1b[%dA\x1b[J", b.drawn) // as above
	}
	b.drawn = 0
}

func (b *block) draw() {
	p := b.last
	rows := []struct {
		name  string
		value int64
	}{
		{"orders", p.in}, {"of them placed", p.expected}, {"payments", p.out}, {"to be paid", max(p.expected-p.out+p.duplicates, 0)},
		{"in open transactions", p.open}, {"duplicates", p.duplicates}, {"aborted", p.aborted},
	}
	var s strings.Builder
	fmt.Fprintf(&s, "\n \x1b[1m%.1f s\x1b[0m\n", p.since.Seconds())
	for _, r := range rows {
		fmt.Fprintf(&s, "   %-22s %12s\n", r.name, grouped(r.value))
	}
	b.drawn = strings.Count(s.String(), "\n")
	_, _ = io.WriteString(b.w, s.String()) // as above
}

// machine writes JSON: one object at the end, and a line per event if wanted.
type machine struct {
	w      io.Writer
	events bool
}

func (m *machine) happened(e event) {
	if m.events {
		_ = json.NewEncoder(m.w).Encode(e) // a reader that is gone shows at the end
	}
}

func (m *machine) progressed(progress) {}

func (m *machine) ended(r *report) error { return json.NewEncoder(m.w).Encode(r) }

// isTerminal reports whether w is a terminal that understands ANSI sequences.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok || os.Getenv("TERM") == "dumb" || os.Getenv("TERM") == "" {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
