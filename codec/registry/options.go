package registry

import (
	"time"

	"github.com/twmb/franz-go/pkg/sr"
)

// Option changes how a codec finds and uses its schema.
type Option func(*options)

type options struct {
	schema     string
	references []sr.SchemaReference
	register   bool
	decodeOnly bool
	message    string
	timeout    time.Duration
	noValidate bool
}

// Schema gives the text of the schema to write with, and the other schemas that
// it refers to. Without it the subject's latest version is taken, which is then also
// what a typed codec reads into. For Avro structs the text can come from
// avro.SchemaFor.
func Schema(text string, references ...sr.SchemaReference) Option {
	return func(o *options) { o.schema, o.references = text, references }
}

// Register registers the schema given with [Schema] under the subject. Without it
// the schema must already be there: in production, schemas are usually registered
// by whoever reviews them, not by a program that starts.
func Register() Option { return func(o *options) { o.register = true } }

// DecodeOnly makes a codec for reading: the subject is not looked up (and may be
// empty), and Append answers [ErrDecodeOnly].
func DecodeOnly() Option { return func(o *options) { o.decodeOnly = true } }

// Message names the Protobuf message, with its package, that [ProtoAny] writes.
// The default is the first message of the schema. [Proto] takes it from its type.
func Message(fullName string) Option { return func(o *options) { o.message = fullName } }

// Timeout bounds one fetch of a schema while decoding, references included. The
// default is 10 seconds.
func Timeout(d time.Duration) Option { return func(o *options) { o.timeout = d } }

// SkipValidation leaves out the check of JSON documents against their schema, in
// both directions. The schema's id is then only a label.
func SkipValidation() Option { return func(o *options) { o.noValidate = true } }

func newOptions(opts []Option) options {
	o := options{timeout: 10 * time.Second}
	for _, opt := range opts {
		opt(&o)
	}
	if o.timeout <= 0 {
		o.timeout = 10 * time.Second
	}
	return o
}
