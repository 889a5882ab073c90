package bench

import (
	"encoding/json"
	"fmt"
	"io"
	"text/tabwriter"
	"time"
)

// Report is a result that can print itself for people.
type Report interface {
	// Table writes the summary as aligned text, the arms' settings first.
	Table(w io.Writer) error
}

// WriteJSON writes a result as one indented JSON document.
func WriteJSON(w io.Writer, r Report) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	if err := enc.Encode(r); err != nil {
		return fmt.Errorf("write result: %w", err)
	}
	return nil
}

// table writes rows of cells under a header, columns aligned.
type table struct{ w *tabwriter.Writer }

func newTable(w io.Writer, header string) table {
	t := table{tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)}
	fmt.Fprintln(t.w, header) // tabwriter keeps the first error for Flush
	return t
}

func (t table) row(format string, args ...any) { fmt.Fprintf(t.w, format+"\n", args...) }

func (t table) flush() error {
	if err := t.w.Flush(); err != nil {
		return fmt.Errorf("write table: %w", err)
	}
	return nil
}

func printArms(w io.Writer, arms []Arm) error {
	for _, a := range arms {
		if _, err := fmt.Fprintf(w, "%s: %s\n", a.Name, a.Settings()); err != nil {
			return fmt.Errorf("write settings: %w", err)
		}
	}
	return nil
}

// Table implements [Report].
func (r ThroughputResult) Table(w io.Writer) error {
	if err := printArms(w, r.Config.Arms); err != nil {
		return err
	}
	wl := r.Config.Workload
	fmt.Fprintf(w, "%d records of %d bytes, %d partitions, commit interval %v; medians of %d rounds, ratios to %s\n\n",
		wl.Records, wl.RecordBytes, wl.Partitions, r.Config.Interval, r.Config.Repeat, r.Config.Arms[0].Name)
	t := newTable(w, "arm\trecords/s\tfrom start\tCPU-s/M\tpeak MB\tfirst output\tspeed\tCPU\texact")
	for _, s := range r.Summary {
		t.row("%s\t%.0f\t%.0f\t%.3f\t%.0f\t%s\t%.3fx\t%.3fx\t%v",
			s.Arm, s.Rate, s.StartRate, s.CPUPerM, megabytes(s.PeakRSS), ms(s.FirstOutput), s.RateRatio, s.CPURatio, s.Exact)
	}
	return t.flush()
}

// Table implements [Report].
func (r LatencyResult) Table(w io.Writer) error {
	if err := printArms(w, r.Config.Arms); err != nil {
		return err
	}
	fmt.Fprintf(w, "%d records/s of %d bytes, %d partitions; intended send time to visible (read_committed), %d x %v; ratios to %s's best\n\n",
		r.Config.Rate, r.Config.RecordBytes, r.Config.Partitions, r.Config.Repeat, r.Config.Duration, r.Config.Arms[0].Name)
	t := newTable(w, "arm\tinterval\tp50\tp90\tp99\tp99.9\tmax\tCPU-s\tvalid\tbest\tp50 ratio\tp99 ratio")
	for _, s := range r.Summary {
		best, p50, p99 := "", "", ""
		if s.Best {
			best = "best"
			if s.P50Ratio > 0 {
				p50, p99 = fmt.Sprintf("%.3fx", s.P50Ratio), fmt.Sprintf("%.3fx", s.P99Ratio)
			}
		}
		l := s.Latency
		t.row("%s\t%v\t%s\t%s\t%s\t%s\t%s\t%.2f\t%v\t%s\t%s\t%s",
			s.Arm, s.Interval, ms(l.P50), ms(l.P90), ms(l.P99), ms(l.P999), ms(l.Max), s.CPU.Seconds(), s.Valid, best, p50, p99)
	}
	if err := t.flush(); err != nil {
		return err
	}
	for _, run := range r.Runs {
		for _, reason := range run.Verdict.Reasons {
			fmt.Fprintf(w, "invalid: %s at %v, %s: %s\n", run.Arm, run.Interval, roundName(run.Round), reason)
		}
	}
	return nil
}

// Table implements [Report].
func (r StartupResult) Table(w io.Writer) error {
	if err := printArms(w, r.Config.Arms); err != nil {
		return err
	}
	fmt.Fprintf(w, "process start to first visible output, commit interval %v\n\n", r.Config.Intervals[0])
	t := newTable(w, "arm\truns\tmedian\tmin\tmax")
	for _, s := range r.Summary {
		t.row("%s\t%d\t%s\t%s\t%s", s.Arm, s.Runs, ms(s.Median), ms(s.Min), ms(s.Max))
	}
	return t.flush()
}

// String is one line for a progress log.
func (r ThroughputRun) String() string {
	return fmt.Sprintf("%s %s: %.0f records/s, %.3f CPU-s/M, %.0f MB, first output %s, exact=%v",
		roundName(r.Round), r.Arm, r.Rate, r.CPUPerM, megabytes(r.Usage.PeakRSS), ms(r.FirstOutput), r.Tally.Exact())
}

// String is one line for a progress log.
func (r LatencyRun) String() string {
	return fmt.Sprintf("%s %s at %v: p50 %s p99 %s, start-up %s, valid=%v",
		roundName(r.Round), r.Arm, r.Interval, ms(r.Latency.P50), ms(r.Latency.P99), ms(r.Startup), r.Verdict.Valid)
}

// String is one line for a progress log.
func (r StartupRun) String() string {
	return fmt.Sprintf("%s %s: %s", roundName(r.Round), r.Arm, ms(r.Startup))
}

func roundName(round int) string {
	if round < 0 {
		return "warm-up"
	}
	return fmt.Sprintf("round %d", round+1)
}

func ms(d time.Duration) string { return fmt.Sprintf("%.1f ms", float64(d)/float64(time.Millisecond)) }

func megabytes(b int64) float64 { return float64(b) / 1e6 }
