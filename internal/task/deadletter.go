package task

import (
	"fmt"
	"strconv"

	"github.com/eosproc/eosproc/topology"
)

// The headers of a dead letter: Kafka Streams' own (KIP-1034), and ours.
const (
	HeaderException  = "__streams.errors.exception"
	HeaderMessage    = "__streams.errors.message"
	HeaderStacktrace = "__streams.errors.stacktrace"
	HeaderTopic      = "__streams.errors.topic"
	HeaderPartition  = "__streams.errors.partition"
	HeaderOffset     = "__streams.errors.offset"

	HeaderApplication = "eosproc.application.id"
	HeaderTask        = "eosproc.task.id"
	HeaderNode        = "eosproc.processor.node.id"
	HeaderAttempts    = "eosproc.attempts"
	// HeaderOmitted gives the size in bytes of a value that was left out because
	// the dead letter would not have fit into its topic.
	HeaderOmitted = "eosproc.value.omitted"
)

// deadLetter makes the dead letter of a record: its bytes, timestamp and
// headers as they came, and what is known about the failure.
func deadLetter(t *Task, r *topology.RawRecord, failure *topology.RecordError) topology.Output {
	cause := failure.Err
	headers := make(topology.Headers, 0, len(r.Headers)+10)
	headers = append(headers, r.Headers...)
	add := func(key, value string) { headers = append(headers, topology.Header{Key: key, Value: []byte(value)}) }
	add(HeaderException, fmt.Sprintf("%T", rootCause(cause)))
	add(HeaderMessage, cause.Error())
	add(HeaderStacktrace, string(failure.Stack))
	add(HeaderTopic, r.Topic)
	add(HeaderPartition, strconv.Itoa(int(r.Partition)))
	add(HeaderOffset, strconv.FormatInt(r.Offset, 10))
	add(HeaderApplication, t.cfg.ApplicationID)
	add(HeaderTask, t.id.String())
	if failure.Node != "" {
		add(HeaderNode, failure.Node)
	}
	if t.attempts > 0 {
		add(HeaderAttempts, strconv.Itoa(t.attempts+1))
	}
	return topology.Output{
		Topic: t.cfg.Handlers.DeadLetterTopic, Partition: topology.AnyPartition,
		Timestamp: max(r.Timestamp, 0), Key: r.Key, Value: r.Value, Headers: headers,
	}
}

func omitValue(o *topology.Output) {
	o.Headers = o.Headers.Without(HeaderStacktrace).With(HeaderOmitted, []byte(strconv.Itoa(len(o.Value))))
	o.Value = []byte{}
}

func rootCause(err error) error {
	for {
		switch x := err.(type) {
		case interface{ Unwrap() error }:
			next := x.Unwrap()
			if next == nil {
				return err
			}
			err = next
		case interface{ Unwrap() []error }:
			list := x.Unwrap()
			if len(list) == 0 {
				return err
			}
			err = list[0]
		default:
			return err
		}
	}
}
