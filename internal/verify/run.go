package verify

import (
	"context"
	"fmt"
	"math"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
	"golang.org/x/sync/errgroup"
)

// openPoll is the pause between looks at partitions with an open transaction.
const openPoll = 50 * time.Millisecond

// Run verifies and reports. A Report with the verdict [Violated] is no error; an
// error means that no verdict could be reached: a missing topic ([ErrNoTopic]), a
// group without offsets ([ErrNoOffsets]), a Config that cannot be run
// ([ErrConfig]), records deleted meanwhile ([ErrTruncated]), or the brokers'
// fault. Run blocks until all that it started has ended.
func Run(ctx context.Context, config Config) (Report, error) {
	begin := time.Now()
	config, err := config.validate()
	if err != nil {
		return Report{}, err
	}
	a := audit{config: &config}
	defer a.close()
	if err := a.connect(); err != nil {
		return Report{}, err
	}
	if err := a.plan(ctx); err != nil {
		return Report{}, fmt.Errorf("plan verification: %w", err)
	}
	if err := a.read(ctx); err != nil {
		return Report{}, fmt.Errorf("read topics: %w", err)
	}
	// The matching needs large tables, and by now most of the heap is answers that
	// have been decoded: given back first, the peak stays at what is really needed.
	debug.FreeOSMemory()
	if err := a.countable(); err != nil {
		return Report{}, err
	}
	open, openErr := a.openTransactions(ctx)
	if openErr != nil && ctx.Err() != nil {
		return Report{}, openErr
	}
	report := a.judge(open, openErr)
	report.Seconds = time.Since(begin).Seconds()
	return report, nil
}

// audit is one run.
type audit struct {
	config  *Config
	client  *kgo.Client
	admin   *kadm.Client
	readers chan *reader // idle ones
	clients []*kgo.Client

	inputs, outputs []*partitionLog
	sources         map[*partitionLog]*source
	targets         map[*partitionLog]int64
}

func (a *audit) connect() error {
	open := func() (*kgo.Client, error) {
		client, err := kgo.NewClient(a.config.Client...)
		if err != nil {
			return nil, fmt.Errorf("open client: %w", err)
		}
		a.clients = append(a.clients, client)
		return client, nil
	}
	var err error
	if a.client, err = open(); err != nil {
		return err
	}
	a.admin = kadm.NewClient(a.client)
	a.readers = make(chan *reader, a.config.Readers)
	for range a.config.Readers {
		client, err := open()
		if err != nil {
			return err
		}
		a.readers <- &reader{client: client, admin: kadm.NewClient(client), plan: a.config, unpack: kgo.DefaultDecompressor()}
	}
	return nil
}

// countable fails if the rows of one side outnumber what a row number holds.
func (a *audit) countable() error {
	for _, logs := range [][]*partitionLog{a.inputs, a.outputs} {
		chunks := 0
		for _, log := range logs {
			chunks += len(log.chunks)
		}
		if chunks >= 1<<(32-chunkShift)-1 {
			return fmt.Errorf("%w: more than four billion records; verify it in parts, with start offsets", ErrConfig)
		}
	}
	return nil
}

func (a *audit) close() {
	for _, client := range a.clients {
		client.Close()
	}
}

// plan takes the bounds. The order matters beside a running pipeline: what the
// group has committed by now was written before, so it lies below the outputs'
// high watermarks taken after.
func (a *audit) plan(ctx context.Context) error {
	c := a.config
	details, err := describe(ctx, a.admin, slices.Concat(c.Inputs, c.Outputs))
	if err != nil {
		return err
	}
	starts, err := list(ctx, a.admin.ListStartOffsets, slices.Concat(c.Inputs, c.Outputs))
	if err != nil {
		return err
	}
	var committedOffsets offsets
	if c.Group != "" {
		if committedOffsets, err = groupOffsets(ctx, a.admin, c.Group, c.Inputs); err != nil {
			return err
		}
		if len(committedOffsets) == 0 {
			return fmt.Errorf("%w: group %q has none for %s; check the group's name", ErrNoOffsets, c.Group, strings.Join(c.Inputs, ", "))
		}
	}
	inputEnds, err := a.inputEnds(ctx)
	if err != nil {
		return err
	}
	outputEnds, err := list(ctx, a.admin.ListEndOffsets, c.Outputs)
	if err != nil {
		return err
	}
	a.sources, a.targets = make(map[*partitionLog]*source), make(map[*partitionLog]int64)
	build := func(side Side, topics []string, given map[string]map[int32]int64, ends offsets) (logs []*partitionLog) {
		for _, topic := range topics {
			for _, detail := range details[topic].Partitions.Sorted() {
				start := max(starts.get(topic, detail.Partition, 0), offsets(given).get(topic, detail.Partition, 0))
				log := &partitionLog{side: side, topic: topic, partition: detail.Partition, start: start, position: start, allowed: math.MaxInt64}
				end := ends.get(topic, detail.Partition, start)
				log.required = end
				if c.Group != "" {
					log.required = committedOffsets.get(topic, detail.Partition, 0)
				}
				a.sources[log] = &source{topic: topic, id: details[topic].ID, partition: detail.Partition, leader: detail.Leader}
				a.targets[log] = end
				logs = append(logs, log)
			}
		}
		return logs
	}
	a.inputs = build(Input, c.Inputs, c.InputStart, inputEnds)
	a.outputs = build(Output, c.Outputs, c.OutputStart, outputEnds)
	return nil
}

// inputEnds are the ends that the pipeline's consumer can see.
func (a *audit) inputEnds(ctx context.Context) (offsets, error) {
	if a.config.InputIsolation == ReadUncommitted {
		return list(ctx, a.admin.ListEndOffsets, a.config.Inputs)
	}
	return list(ctx, a.admin.ListCommittedOffsets, a.config.Inputs)
}

// read reads outputs and inputs, waits for transactions that were open in the
// outputs, and then reads on in the inputs: an output may come from an input
// that was written, or committed, after the start.
func (a *audit) read(ctx context.Context) error {
	if err := a.each(ctx, slices.Concat(a.outputs, a.inputs), ReadCommitted); err != nil {
		return err
	}
	if err := a.awaitOutputs(ctx); err != nil {
		return err
	}
	if err := a.each(ctx, a.outputs, ReadUncommitted); err != nil {
		return err
	}
	if a.config.Group != "" {
		after, err := groupOffsets(ctx, a.admin, a.config.Group, a.config.Inputs)
		if err != nil {
			return err
		}
		for _, log := range a.inputs {
			log.allowed = max(after.get(log.topic, log.partition, 0), log.required)
		}
	}
	stable, err := list(ctx, a.admin.ListCommittedOffsets, a.config.Inputs)
	if err != nil {
		return err
	}
	ends, err := list(ctx, a.admin.ListEndOffsets, a.config.Inputs)
	if err != nil {
		return err
	}
	for _, log := range a.inputs {
		a.targets[log] = stable.get(log.topic, log.partition, 0)
	}
	if err := a.each(ctx, a.inputs, ReadCommitted); err != nil {
		return err
	}
	for _, log := range a.inputs {
		a.targets[log] = ends.get(log.topic, log.partition, 0)
	}
	return a.each(ctx, a.inputs, ReadUncommitted)
}

// each reads logs to their targets, as many at a time as there are readers.
func (a *audit) each(ctx context.Context, logs []*partitionLog, isolation Isolation) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(cap(a.readers))
	for _, log := range logs {
		group.Go(func() error {
			r := <-a.readers
			defer func() { a.readers <- r }()
			if isolation == ReadUncommitted {
				return r.readTail(ctx, log, a.sources[log], a.targets[log])
			}
			return r.readTo(ctx, log, a.sources[log], a.targets[log], isolation)
		})
	}
	return group.Wait()
}

// awaitOutputs reads on in the outputs until what was open at the start is
// decided, or the patience is over.
func (a *audit) awaitOutputs(ctx context.Context) error {
	deadline := time.Now().Add(a.config.OpenTransactionWait)
	for a.config.OpenTransactionWait > 0 && time.Now().Before(deadline) {
		behind := slices.DeleteFunc(slices.Clone(a.outputs), func(log *partitionLog) bool { return log.position >= a.targets[log] })
		if len(behind) == 0 {
			return nil
		}
		if !pause(ctx, openPoll) {
			return fmt.Errorf("wait for open transactions: %w", ctx.Err())
		}
		if err := a.each(ctx, behind, ReadCommitted); err != nil {
			return err
		}
	}
	return nil
}
