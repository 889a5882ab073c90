package txn

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
	"github.com/twmb/franz-go/pkg/kversion"

	"github.com/eosproc/eosproc/fencing"
	"github.com/eosproc/eosproc/internal/failpoint"
	"github.com/eosproc/eosproc/internal/seeded"
)

const (
	keyOffsetCommit    = 8
	keyOffsetFetch     = 9
	keyEndTxn          = 26
	keyTxnOffsetCommit = 28
)

// producer is one slot of the rotation: a kgo client with a transactional id of
// its own. After a doubtful answer it is replaced by a new client, so that
// nothing which the old one still has in flight or in mind can matter.
type producer struct {
	id      fencing.TransactionalID
	opts    func() []kgo.Opt
	timeout time.Duration
	version int  // transaction.version of the cluster
	plain   bool // idempotent, without transactions
	ahead   bool // offsets are committed before processing: at most once
	client  *kgo.Client
	// adrift says that a TxnOffsetCommit was not answered and may still be under
	// way, with an epoch that stays the same from one transaction to the next.
	adrift bool
}

// init makes the client if there is none and initialises the producer id, which
// ends what a predecessor with the same id has left open.
func (p *producer) init(ctx context.Context) error {
	if p.client == nil {
		client, err := kgo.NewClient(p.options()...)
		if err != nil {
			return fmt.Errorf("make producer %s: %w", p.id, err)
		}
		p.client = client
	}
	for {
		_, _, err := p.client.ProducerID(ctx)
		if err == nil {
			return nil
		}
		d := fencing.Classify(fencing.InitProducerID, err, p.version)
		if d.Verdict != fencing.Retry || ctx.Err() != nil {
			return fmt.Errorf("initialise producer %s: %w", p.id, err)
		}
		if err := pause(ctx, retryPause); err != nil {
			return fmt.Errorf("initialise producer %s: %w", p.id, err)
		}
	}
}

func (p *producer) options() []kgo.Opt {
	max := Versions()
	if p.version < 2 {
		// v5 adds the group to the transaction by itself, which only transaction.version 2 allows.
		max.SetMaxKeyVersion(keyTxnOffsetCommit, 4)
	}
	opts := append(p.opts(), kgo.MaxVersions(max))
	opts = append(opts, kgo.RetryTimeoutFn(func(key int16) time.Duration {
		if p.sentOnce(key) {
			return time.Millisecond
		}
		return requestPatience
	}))
	if p.plain {
		return opts
	}
	if failpoint.Active() {
		opts = append(opts, kgo.WithHooks(endSent{}))
	}
	return append(opts, kgo.TransactionalID(string(p.id)), kgo.TransactionTimeout(p.timeout))
}

// sentOnce tells the requests that are never sent again when no answer comes: a
// first copy that arrives late, after its sender has reconnected and gone on, would undo
// what came after it.
//
// Before transaction.version 2 the epoch does not change from one transaction to
// the next, so a late EndTxn could end a later transaction (KAFKA-17754), and late
// offsets could become part of it. A plain OffsetCommit has no epoch at all; only at
// least once may go on from older offsets.
func (p *producer) sentOnce(key int16) bool {
	switch key {
	case keyEndTxn, keyTxnOffsetCommit:
		return p.version < 2
	case keyOffsetCommit:
		return !p.plain || p.ahead
	default:
		return false
	}
}

// Versions returns the newest request versions that the requests of this package
// can speak: those after them name topics by id, not by name. Clients that share
// offsets with a [Session] must be bound to them ([kgo.MaxVersions]).
func Versions() *kversion.Versions {
	v := kversion.Stable()
	v.SetMaxKeyVersion(keyOffsetCommit, 9)
	v.SetMaxKeyVersion(keyOffsetFetch, 9)
	v.SetMaxKeyVersion(keyTxnOffsetCommit, 5)
	return v
}

// endSent passes the failpoint between a sent EndTxn and its answer.
type endSent struct{}

// OnBrokerWrite implements [kgo.HookBrokerWrite].
func (endSent) OnBrokerWrite(_ kgo.BrokerMetadata, key int16, _ int, _, _ time.Duration, err error) {
	if key == keyEndTxn && err == nil {
		failpoint.Pass(failpoint.EndSent)
	}
}

// replace drops the client and initialises a new one.
func (p *producer) replace(ctx context.Context) error {
	p.close()
	p.adrift = false
	return p.init(ctx)
}

func (p *producer) close() {
	if p.client != nil {
		p.client.Close()
		p.client = nil
	}
}

// sendOffsets adds the offsets to the open transaction.
func (p *producer) sendOffsets(ctx context.Context, token fencing.Token, offsets []Offset, stamp Stamp) error {
	id, epoch, err := p.client.ProducerID(ctx)
	if err != nil {
		return &stepError{fencing.TxnOffsetCommit, err}
	}
	if p.version < 2 {
		if err := p.addGroup(ctx, token.Group, id, epoch); err != nil {
			return &stepError{fencing.AddOffsetsToTxn, err}
		}
	}
	req := kmsg.NewPtrTxnOffsetCommitRequest()
	req.TransactionalID = string(p.id)
	req.Group, req.Generation, req.MemberID = token.Group, token.Generation, token.MemberID
	if token.InstanceID != "" {
		req.InstanceID = &token.InstanceID
	}
	req.ProducerID, req.ProducerEpoch = id, epoch
	if seeded.Is(seeded.GenerationLeftOut) {
		req.Generation, req.MemberID, req.InstanceID = -1, "", nil
	}
	for _, o := range offsets {
		if n := len(req.Topics); n == 0 || req.Topics[n-1].Topic != o.Topic {
			t := kmsg.NewTxnOffsetCommitRequestTopic()
			t.Topic = o.Topic
			req.Topics = append(req.Topics, t)
		}
		part := kmsg.NewTxnOffsetCommitRequestTopicPartition()
		part.Partition, part.Offset, part.LeaderEpoch = o.Partition, o.Next, o.LeaderEpoch
		stamp.StreamTime = o.StreamTime
		metadata := stamp.Encode()
		part.Metadata = &metadata
		t := &req.Topics[len(req.Topics)-1]
		t.Partitions = append(t.Partitions, part)
	}
	return p.retry(ctx, fencing.TxnOffsetCommit, func() error {
		resp, err := req.RequestWith(ctx, p.client)
		p.adrift = p.sentOnce(keyTxnOffsetCommit) && unanswered(err)
		if err != nil {
			return err
		}
		for _, t := range resp.Topics {
			for _, part := range t.Partitions {
				if err := kerr.ErrorForCode(part.ErrorCode); err != nil {
					return fmt.Errorf("%s-%d: %w", t.Topic, part.Partition, err)
				}
			}
		}
		return nil
	})
}

func (p *producer) addGroup(ctx context.Context, group string, id int64, epoch int16) error {
	req := kmsg.NewPtrAddOffsetsToTxnRequest()
	req.TransactionalID, req.ProducerID, req.ProducerEpoch, req.Group = string(p.id), id, epoch, group
	return p.retry(ctx, fencing.AddOffsetsToTxn, func() error {
		resp, err := req.RequestWith(ctx, p.client)
		if err != nil {
			return err
		}
		return kerr.ErrorForCode(resp.ErrorCode)
	})
}

// retry sends a request again for as long as its error says so and the
// transaction can still be saved.
func (p *producer) retry(ctx context.Context, req fencing.Request, send func() error) error {
	deadline := time.Now().Add(p.timeout)
	for wait := time.Millisecond; ; wait = min(2*wait, retryPause) {
		err := send()
		if err == nil {
			return nil
		}
		if !p.mayResend(req, err) || time.Now().After(deadline) {
			if _, named := errors.AsType[*stepError](err); named {
				return err
			}
			return &stepError{req, err}
		}
		if perr := pause(ctx, wait); perr != nil {
			return &stepError{req, errors.Join(err, perr)}
		}
	}
}

// mayResend goes by the verdict. Requests that are sent once also go out again
// when the coordinator has moved, which for others the client takes care of, but
// never when the first copy may still be under way.
func (p *producer) mayResend(req fencing.Request, err error) bool {
	wanted := fencing.Classify(req, err, p.version).Verdict == fencing.Retry
	if key, ok := keysOfOffsets[req]; !ok || !p.sentOnce(key) {
		return wanted
	}
	moved := errors.Is(err, kerr.NotCoordinator) || errors.Is(err, kerr.CoordinatorNotAvailable) || errors.Is(err, kerr.CoordinatorLoadInProgress)
	return !unanswered(err) && (wanted || moved || notSent(err))
}

var keysOfOffsets = map[fencing.Request]int16{fencing.TxnOffsetCommit: keyTxnOffsetCommit, fencing.OffsetCommit: keyOffsetCommit}

// unanswered reports whether a request may have reached a broker that has not answered it.
func unanswered(err error) bool {
	if err == nil || notSent(err) {
		return false
	}
	_, refused := errors.AsType[*kerr.Error](err)
	return !refused
}

// notSent reports whether a request failed because no connection could be made.
func notSent(err error) bool {
	op, ok := errors.AsType[*net.OpError](err)
	return ok && op.Op == "dial"
}

// end ends the transaction that is open on the client.
func (p *producer) end(ctx context.Context, commit bool) error {
	req := fencing.EndTxnAbort
	if commit {
		req = fencing.EndTxnCommit
	}
	if err := p.client.EndTransaction(ctx, kgo.TransactionEndTry(commit)); err != nil {
		return &stepError{req, err}
	}
	return nil
}

// abort takes back the open transaction, by whatever means it takes.
func (p *producer) abort(ctx context.Context) error {
	if err := p.client.AbortBufferedRecords(ctx); err != nil {
		return fmt.Errorf("abort buffered records of %s: %w", p.id, err)
	}
	if p.adrift {
		return p.replace(ctx) // aborts too, and moves the epoch on
	}
	err := p.end(ctx, false)
	if err == nil {
		if err = p.usable(ctx); err == nil {
			return nil
		}
	}
	if d := decide(err, p.version); d.Verdict == fencing.Fenced || d.Verdict == fencing.Fatal {
		return err
	}
	return p.replace(ctx)
}

// usable reports whether the producer id survived: before transaction.version 2 an
// abort leaves an id that a failed produce had spoiled as it is, and the client
// would refuse to begin with it.
func (p *producer) usable(ctx context.Context) error {
	if _, _, err := p.client.ProducerID(ctx); err != nil {
		return &stepError{fencing.Produce, err}
	}
	return nil
}

// stepError names the request that failed, so that the verdict on its error can
// be looked up where it is dealt with.
type stepError struct {
	request fencing.Request
	err     error
}

func (e *stepError) Error() string { return fmt.Sprintf("%s: %v", e.request, e.err) }
func (e *stepError) Unwrap() error { return e.err }

func decide(err error, version int) fencing.Decision {
	return fencing.Classify(requestOf(err), err, version)
}

func requestOf(err error) fencing.Request {
	if step, ok := errors.AsType[*stepError](err); ok {
		return step.request
	}
	return fencing.InitProducerID
}

// patientVersion asks until a broker answers: a worker that joins its group anew
// may find all of them away.
func patientVersion(ctx context.Context, client *kgo.Client) (int, error) {
	for {
		version, err := transactionVersion(ctx, client)
		if err == nil || fencing.Classify(fencing.InitProducerID, err, 0).Verdict != fencing.Retry {
			return version, err
		}
		if perr := pause(ctx, retryPause); perr != nil {
			return 0, err
		}
	}
}

// transactionVersion asks the cluster for its finalized transaction.version; 0
// if it has none.
func transactionVersion(ctx context.Context, client *kgo.Client) (int, error) {
	resp, err := kmsg.NewPtrApiVersionsRequest().RequestWith(ctx, client)
	if err != nil {
		return 0, fmt.Errorf("ask for the cluster's features: %w", err)
	}
	for _, f := range resp.FinalizedFeatures {
		if f.Name == "transaction.version" {
			return int(f.MaxVersionLevel), nil
		}
	}
	return 0, nil
}

const (
	retryPause      = 100 * time.Millisecond
	stablePause     = 20 * time.Millisecond
	requestPatience = 30 * time.Second
)

func pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
