package bench

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
)

// runner holds what all kinds of runs share: the admin client, names that no
// other run uses, and the line a user sees per cell.
type runner struct {
	adm     *kadm.Client
	brokers []string
	prefix  string
	cells   int
	logf    func(format string, args ...any)
}

func newRunner(brokers []string, logf func(string, ...any)) (*runner, error) {
	if len(brokers) == 0 {
		return nil, fmt.Errorf("%w: no broker given", ErrInvalidConfig)
	}
	adm, err := newAdmin(brokers)
	if err != nil {
		return nil, err
	}
	if logf == nil {
		logf = func(string, ...any) {}
	}
	return &runner{
		adm:     adm,
		brokers: brokers,
		prefix:  fmt.Sprintf("bench-%x", time.Now().UnixNano()),
		logf:    logf,
	}, nil
}

// cell is one run of one arm: fresh topics, a fresh group and a directory.
type cell struct {
	target
	arm    Arm
	topics []string
}

// cell prepares a run and its output topic. An empty input means a fresh
// topic of the cell's own.
func (r *runner) cell(ctx context.Context, a Arm, input string, partitions int32, interval time.Duration) (*cell, error) {
	r.cells++
	name := fmt.Sprintf("%s-%d", r.prefix, r.cells)
	c := &cell{arm: a, topics: []string{name + "-out"}, target: target{
		brokers: r.brokers, input: input, output: name + "-out", group: name, interval: interval,
	}}
	if input == "" {
		c.input = name + "-in"
		c.topics = append(c.topics, c.input)
	}
	var err error
	if c.dir, err = os.MkdirTemp("", "eosproc-bench-"); err != nil {
		return nil, fmt.Errorf("create run directory: %w", err)
	}
	if err := createTopics(ctx, r.adm, partitions, c.topics...); err != nil {
		return nil, errors.Join(err, os.RemoveAll(c.dir))
	}
	return c, nil
}

// discard removes what cell made, even after ctx has ended.
func (r *runner) discard(ctx context.Context, c *cell) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 30*time.Second)
	defer cancel()
	return errors.Join(deleteTopics(ctx, r.adm, c.topics...), os.RemoveAll(c.dir))
}

// rotated returns items beginning at position round, so that no arm always
// runs first or right after the same other one.
func rotated[T any](items []T, round int) []T {
	at := round % len(items)
	return append(append([]T(nil), items[at:]...), items[:at]...)
}
