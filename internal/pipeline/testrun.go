package pipeline

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/eosproc/eosproc/internal/settings"
	"github.com/eosproc/eosproc/topology"
)

// runaway bounds the records that one test may set off.
const runaway = 100_000

// TestResult is the outcome of one test of a file.
type TestResult struct {
	Name string `json:"name"`
	// Line is where the test stands.
	Line int `json:"line"`
	// Failures says what is wrong, one finding each; empty if the test passes.
	Failures []string      `json:"failures,omitempty"`
	Elapsed  time.Duration `json:"elapsed_ns"`
}

// Passed reports whether the test has passed.
func (r TestResult) Passed() bool { return len(r.Failures) == 0 }

// RunTests runs the tests of the file, in order, each on a fresh copy of the
// topology and without a broker. The error is that of [File.Build], the errors of
// the tests themselves as [Problems], or ctx's.
//
// A record that fails is treated as the exception handlers of the config say. With
// fail, the default, it fails the test. Formats of a schema registry are JSON
// here, in raw values too: what a test shows is what the steps do.
func (f *File) RunTests(ctx context.Context) ([]TestResult, error) {
	if _, err := f.build(standIn); err != nil {
		return nil, err
	}
	c := f.compile(standIn)
	if err := f.lintTests(c).Err(); err != nil {
		return nil, err
	}
	s, _ := settings.Parse(f.Config(nil)) // its problems are no concern of the tests
	results := make([]TestResult, 0, len(f.doc.Tests))
	for i := range f.doc.Tests {
		if err := ctx.Err(); err != nil {
			return results, err
		}
		t := &f.doc.Tests[i]
		start := time.Now()
		r := TestResult{Name: t.Name.Value, Line: t.Pos.Line}
		run, err := newTestRun(c, s.Errors)
		if err == nil {
			err = run.feed(t.In)
			r.Failures = append(r.Failures, run.compare(t)...)
			err = errors.Join(err, run.close())
		}
		if err != nil {
			r.Failures = append([]string{err.Error()}, r.Failures...)
		}
		r.Elapsed = time.Since(start)
		results = append(results, r)
	}
	return results, nil
}

// testRun drives the sub-topologies of a topology as if every topic had one
// partition.
type testRun struct {
	c         *compiler
	handlers  settings.Errors
	instances []*topology.Instance
	offsets   map[string]int64
	times     map[string]int64
	queue     []topology.RawRecord
	outputs   []output
}

// output is what has come out, with the formats to read it.
type output struct {
	topology.Output
	formats topicFormat
}

func newTestRun(c *compiler, handlers settings.Errors) (*testRun, error) {
	t := &testRun{c: c, handlers: handlers, offsets: map[string]int64{}, times: map[string]int64{}}
	env := topology.Env{
		Now:           func() int64 { return 0 },
		InternalTopic: func(name string) string { return name },
	}
	for _, s := range c.topology.SubTopologies() {
		in, err := s.NewInstance(0, env)
		if err != nil {
			return nil, errors.Join(fmt.Errorf("start test: %w", err), t.close())
		}
		t.instances = append(t.instances, in)
	}
	return t, nil
}

func (t *testRun) close() error {
	var errs []error
	for _, in := range t.instances {
		errs = append(errs, in.Close())
	}
	return errors.Join(errs...)
}

// feed processes the records of a test and whatever follows from them.
func (t *testRun) feed(records []testInput) error {
	for i := range records {
		raw, err := t.c.input(&records[i])
		if err != nil {
			return err
		}
		t.queue = append(t.queue, raw)
		for n := 0; len(t.queue) > 0; n++ {
			if n == runaway {
				return fmt.Errorf("a record has set off %d others: the topology feeds itself", runaway)
			}
			next := t.queue[0]
			t.queue = t.queue[1:]
			if err := t.process(next); err != nil {
				return err
			}
		}
	}
	return nil
}

func (t *testRun) process(raw topology.RawRecord) error {
	raw.Offset = t.offsets[raw.Topic]
	t.offsets[raw.Topic]++
	for _, in := range t.instances {
		s, ok := in.Open(raw.Topic)
		if !ok {
			continue
		}
		r := raw
		err := t.one(in, s, &r)
		if err != nil {
			if err := t.failed(&raw, err); err != nil {
				return err
			}
		}
		for _, o := range in.Outputs() {
			t.emit(o)
		}
	}
	return nil
}

func (t *testRun) one(in *topology.Instance, s topology.Source, r *topology.RawRecord) error {
	if s.Timestamp != nil {
		before, ok := t.times[r.Topic]
		if !ok {
			before = -1
		}
		ms, take, err := s.Timestamp(r, before)
		if err != nil || !take {
			return err
		}
		r.Timestamp = ms
	}
	t.times[r.Topic] = max(t.times[r.Topic], r.Timestamp)
	return in.Process(s, r)
}

// emit takes an output: for its readers in the topology, and for the test unless
// the topic is internal.
func (t *testRun) emit(o topology.Output) {
	read := slices.ContainsFunc(t.instances, func(in *topology.Instance) bool { _, ok := in.Open(o.Topic); return ok })
	if read {
		t.queue = append(t.queue, topology.RawRecord{Topic: o.Topic, Timestamp: o.Timestamp, Key: o.Key, Value: o.Value, Headers: o.Headers})
	}
	if t.c.internal(o.Topic) {
		return
	}
	formats, ok := t.c.sinks[o.Topic]
	if !ok {
		formats = t.c.computed
	}
	t.outputs = append(t.outputs, output{o, formats})
}

// failed treats a failed record as its handler says.
func (t *testRun) failed(raw *topology.RawRecord, err error) error {
	re, ok := errors.AsType[*topology.RecordError](err)
	if !ok {
		return err
	}
	h := t.handlers.Processing
	switch re.Stage {
	case topology.Deserialization:
		h = t.handlers.Deserialization
	case topology.Production:
		h = t.handlers.Production
	}
	switch h {
	case settings.HandlerContinue:
		return nil
	case settings.HandlerDeadLetter:
		headers := raw.Headers
		for _, h := range [][2]string{
			{"topic", raw.Topic}, {"partition", strconv.Itoa(int(raw.Partition))}, {"offset", strconv.FormatInt(raw.Offset, 10)}, {"message", re.Err.Error()},
		} {
			headers = headers.With("__streams.errors."+h[0], []byte(h[1]))
		}
		t.outputs = append(t.outputs, output{topology.Output{
			Topic: t.handlers.DeadLetterTopic, Partition: topology.AnyPartition, Timestamp: raw.Timestamp,
			Key: raw.Key, Value: raw.Value, Headers: headers,
		}, t.c.readAs(raw.Topic)})
		return nil
	}
	return err
}
