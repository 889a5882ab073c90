package localkafka

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"
)

// probeEvery is the pause between two questions to a broker that is starting.
const probeEvery = 50 * time.Millisecond

// metadata asks one broker at its real address, and only that one: a client
// would follow the advertised addresses, which may lead through a proxy that is
// meant to fail. A nil topics slice asks for all topics.
func metadata(ctx context.Context, addr string, topics []kmsg.MetadataRequestTopic) (*kmsg.MetadataResponse, error) {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	var d net.Dialer
	conn, err := d.DialContext(ctx, "tcp", addr)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	if deadline, ok := ctx.Deadline(); ok {
		if err := conn.SetDeadline(deadline); err != nil {
			return nil, err
		}
	}
	req := kmsg.NewPtrMetadataRequest()
	req.SetVersion(8) // the last one without flexible headers
	req.Topics = topics
	const correlation = 1
	if _, err := conn.Write(kmsg.NewRequestFormatter(kmsg.FormatterClientID("localkafka")).AppendRequest(nil, req, correlation)); err != nil {
		return nil, err
	}
	var head [8]byte
	if _, err := io.ReadFull(conn, head[:]); err != nil {
		return nil, err
	}
	size := binary.BigEndian.Uint32(head[:4])
	if id := binary.BigEndian.Uint32(head[4:]); id != correlation || size < 4 || size > 64<<20 {
		return nil, fmt.Errorf("broker %s answers with correlation id %d and size %d", addr, id, size)
	}
	body := make([]byte, size-4)
	if _, err := io.ReadFull(conn, body); err != nil {
		return nil, err
	}
	resp := kmsg.NewPtrMetadataResponse()
	resp.SetVersion(req.GetVersion())
	if err := resp.ReadFrom(body); err != nil {
		return nil, fmt.Errorf("read metadata: %w", err)
	}
	return resp, nil
}

// poll calls done until it is true, or ctx ends, or one of the stop channels
// closes; last is the reason of the most recent refusal.
func poll(ctx context.Context, stop <-chan struct{}, done func() (bool, error)) error {
	tick := time.NewTicker(probeEvery)
	defer tick.Stop()
	var last error
	for {
		ok, err := done()
		if ok {
			return nil
		}
		if err != nil {
			last = err
		}
		select {
		case <-tick.C:
		case <-stop:
			return ErrNotRunning
		case <-ctx.Done():
			if last != nil {
				return fmt.Errorf("%w (last answer: %w)", ctx.Err(), last)
			}
			return ctx.Err()
		}
	}
}

// knows says whether the broker at addr answers and lists all ids as alive.
func knows(ctx context.Context, addr string, ids ...int) (bool, error) {
	m, err := metadata(ctx, addr, []kmsg.MetadataRequestTopic{})
	if err != nil {
		return false, err
	}
	have := make(map[int]bool, len(m.Brokers))
	for _, b := range m.Brokers {
		have[int(b.NodeID)] = true
	}
	for _, id := range ids {
		if !have[id] {
			return false, fmt.Errorf("broker %d is not registered at %s", id, addr)
		}
	}
	return true, nil
}

// inSync says whether every replica of every partition is in its in-sync set.
func inSync(ctx context.Context, addr string) (bool, error) {
	m, err := metadata(ctx, addr, nil)
	if err != nil {
		return false, err
	}
	for _, t := range m.Topics {
		for _, p := range t.Partitions {
			if len(p.ISR) != len(p.Replicas) || p.Leader < 0 {
				return false, fmt.Errorf("partition %s/%d has leader %d, replicas %v, in sync %v", *t.Topic, p.Partition, p.Leader, p.Replicas, p.ISR)
			}
		}
	}
	return true, nil
}
