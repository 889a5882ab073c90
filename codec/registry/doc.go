// Package registry adds the formats whose schemas live in a schema registry:
// Avro ([Avro], [AvroAny]), Protobuf ([Proto], [ProtoAny]) and JSON Schema
// ([JSONSchema], [JSONSchemaAny]).
//
// It owns the Confluent wire format (a zero byte, the schema's id in 4 bytes big
// endian, for Protobuf the message's place in its schema, then the body), the cache
// of schemas by id, and the conversion between schema types and Go values. It knows
// nothing of topics, and speaks HTTP only through [sr.Client], which carries the
// credentials.
//
// A constructor resolves the schema to write with, once: it registers it
// ([Register]), finds the id of one that is given ([Schema]), or takes the
// subject's latest. So a missing subject stops a program at its start and not at
// its first record, and Append never waits for the network. Decode fetches the
// schema of an id that it has not seen, once however many goroutines ask, and keeps
// it: what an id names never changes.
//
// # Errors
//
// A schema registry that does not answer is [codec.ErrUnavailable]: the record may
// be good and must be tried again. Nothing of such a failure is remembered. An id
// that the registry says it does not have is [ErrUnknownSchema], bytes that do not
// begin with the wire format's header are [ErrWireFormat], a schema that cannot be
// used for what was asked is [ErrSchema]; all three wrap [codec.ErrMalformed] when
// a record brought them about. No error quotes a record.
//
// # Dynamic values
//
// The Any codecs give what a program without Go types can work with: map[string]any,
// []any, string, bool, []byte, float64, int64 for every integer type (whole numbers
// beyond int64 are [encoding/json.Number]), [time.Time] and [time.Duration] for the
// formats' own times. They take the same values back. As everywhere in package
// codec a nil is refused: a null is a bit of the record.
package registry
