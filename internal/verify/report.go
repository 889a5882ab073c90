package verify

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"
)

// Verdict is the whole answer in a word.
type Verdict string

// The verdicts.
const (
	// Exact: every check passed.
	Exact Verdict = "exact"
	// Violated: at least one check failed.
	Violated Verdict = "violated"
)

// The names of the checks, in the order of a report.
const (
	CheckLoss       = "no_loss"             // every required input is in the output
	CheckDuplicates = "no_duplicates"       // no input is in the output more often than in the input
	CheckUnexpected = "no_unexpected"       // every output has an input
	CheckContent    = "same_content"        // mode copy with an identity: key and value are unchanged
	CheckKeyOrder   = "order_per_key"       // outputs of one key from one input partition keep its order, in one partition
	CheckOrder      = "order_per_partition" // outputs keep their input partition's order within each output partition
	CheckAborted    = "no_aborted_visible"  // nothing aborted is visible, nor made from aborted input
	CheckFuture     = "no_future"           // with a group: no output of an input at or above its committed offset
	CheckOpen       = "no_open_transaction" // the outputs hold no undecided transaction
	CheckIdentity   = "identified"          // every record has an identity
)

// Status is the outcome of one check.
type Status string

// The outcomes.
const (
	Pass Status = "pass"
	Fail Status = "fail"
	Skip Status = "skip" // the check does not apply; Note says why
)

// Report is the result of a verification. Its JSON form is stable: fields may be
// added, never renamed.
type Report struct {
	Verdict          Verdict           `json:"verdict"`
	Group            string            `json:"group,omitempty"`
	Mode             Mode              `json:"mode"`
	Isolation        Isolation         `json:"isolation"`
	InputIsolation   Isolation         `json:"input_isolation"`
	Input            SideReport        `json:"input"`
	Output           SideReport        `json:"output"`
	Checks           []Check           `json:"checks"`
	OpenTransactions []OpenTransaction `json:"open_transactions"`
	// Seconds is how long it took.
	Seconds float64 `json:"seconds"`
}

// SideReport is what was read on one side.
type SideReport struct {
	Topics     []string          `json:"topics"`
	Counts     Counts            `json:"counts"`
	Partitions []PartitionReport `json:"partitions"`
}

// PartitionReport is what was read of one partition: offsets Start up to, not
// including, End.
type PartitionReport struct {
	Topic     string `json:"topic"`
	Partition int32  `json:"partition"`
	Start     int64  `json:"start"`
	End       int64  `json:"end"`
	// Required is the end of the inputs that must be in the output; only on the
	// input side.
	Required *int64 `json:"required,omitempty"`
	Counts   Counts `json:"counts"`
}

// Counts are numbers of records.
type Counts struct {
	// Visible are those that the audited isolation level shows.
	Visible int64 `json:"visible"`
	// Aborted were written by transactions that aborted.
	Aborted int64 `json:"aborted"`
	// Undecided are at or above the last stable offset.
	Undecided int64 `json:"undecided"`
	// Markers are control records.
	Markers int64 `json:"markers"`
	// Filtered were left out by the Identify function.
	Filtered int64 `json:"filtered"`
}

func (c *Counts) add(other Counts) {
	c.Visible += other.Visible
	c.Aborted += other.Aborted
	c.Undecided += other.Undecided
	c.Markers += other.Markers
	c.Filtered += other.Filtered
}

// Check is the outcome of one check.
type Check struct {
	Name   string `json:"name"`
	Status Status `json:"status"`
	// Checked is how many records (for order_per_key: keys' records) were judged.
	Checked int64 `json:"checked"`
	// Violations counts all; First holds the first of them in log order.
	Violations int64       `json:"violations"`
	First      []Violation `json:"first"`
	Note       string      `json:"note,omitempty"`
}

// Violation is one offending record.
type Violation struct {
	// Input and Output are the records concerned, where there are such.
	Input  *Position `json:"input,omitempty"`
	Output *Position `json:"output,omitempty"`
	// Other is the record that Output contradicts: its first copy, or the one
	// that it should have come before.
	Other  *Position `json:"other,omitempty"`
	Detail string    `json:"detail"`
}

// Position is where a record is.
type Position struct {
	Topic     string `json:"topic"`
	Partition int32  `json:"partition"`
	Offset    int64  `json:"offset"`
}

// String returns topic[partition]@offset.
func (p Position) String() string { return fmt.Sprintf("%s[%d]@%d", p.Topic, p.Partition, p.Offset) }

// OpenTransaction is a transaction that held back a last stable offset when the
// reading ended.
type OpenTransaction struct {
	Side             Side   `json:"side"`
	Topic            string `json:"topic"`
	Partition        int32  `json:"partition"`
	LastStableOffset int64  `json:"last_stable_offset"`
	HighWatermark    int64  `json:"high_watermark"`
	ProducerID       int64  `json:"producer_id"`
	ProducerEpoch    int16  `json:"producer_epoch"`
	// TransactionalID is empty when the broker does not tell it.
	TransactionalID string `json:"transactional_id,omitempty"`
	StartOffset     int64  `json:"start_offset"`
	// LastTimestamp is the time of its last record, in ms since 1970.
	LastTimestamp int64 `json:"last_timestamp_ms"`
}

// Check returns the check of that name.
func (r Report) Check(name string) (Check, bool) {
	for _, check := range r.Checks {
		if check.Name == name {
			return check, true
		}
	}
	return Check{}, false
}

// WriteText writes the report for people: a table of checks, then what is wrong.
func (r Report) WriteText(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "SIDE\tTOPICS\tVISIBLE\tABORTED\tUNDECIDED\tMARKERS\n")
	for _, side := range []struct {
		name Side
		SideReport
	}{{Input, r.Input}, {Output, r.Output}} {
		c := side.Counts
		fmt.Fprintf(t, "%s\t%s\t%d\t%d\t%d\t%d\n", side.name, strings.Join(side.Topics, ","), c.Visible, c.Aborted, c.Undecided, c.Markers)
	}
	fmt.Fprintf(t, "\t\nCHECK\tSTATUS\tCHECKED\tVIOLATIONS\tNOTE\n")
	for _, check := range r.Checks {
		fmt.Fprintf(t, "%s\t%s\t%d\t%d\t%s\n", check.Name, check.Status, check.Checked, check.Violations, check.Note)
	}
	if err := t.Flush(); err != nil {
		return fmt.Errorf("write report: %w", err)
	}
	var text strings.Builder
	for _, check := range r.Checks {
		if len(check.First) == 0 {
			continue
		}
		fmt.Fprintf(&text, "\n%s: first %d of %d\n", check.Name, len(check.First), check.Violations)
		for _, violation := range check.First {
			fmt.Fprintf(&text, "  %s\n", violation)
		}
	}
	if len(r.OpenTransactions) > 0 {
		text.WriteString("\nopen transactions\n")
		for _, open := range r.OpenTransactions {
			id := open.TransactionalID
			if id == "" {
				id = "(unknown)"
			}
			fmt.Fprintf(&text, "  %s %s[%d]: %s, producer %d epoch %d, since offset %d, last record %s; readers stop at %d of %d\n",
				open.Side, open.Topic, open.Partition, id, open.ProducerID, open.ProducerEpoch, open.StartOffset,
				time.UnixMilli(open.LastTimestamp).UTC().Format(time.RFC3339), open.LastStableOffset, open.HighWatermark)
		}
	}
	fmt.Fprintf(&text, "\nverdict: %s (%.1f s)\n", r.Verdict, r.Seconds)
	if _, err := io.WriteString(w, text.String()); err != nil {
		return fmt.Errorf("write report: %w", err)
	}
	return nil
}

// String returns one line.
func (v Violation) String() string {
	var parts []string
	if v.Output != nil {
		parts = append(parts, "output "+v.Output.String())
	}
	if v.Input != nil {
		parts = append(parts, "input "+v.Input.String())
	}
	if v.Other != nil {
		parts = append(parts, "other "+v.Other.String())
	}
	return strings.Join(parts, ", ") + ": " + v.Detail
}
