package codec

// Codec is one type's wire form: how a record's key or value is written to a
// topic and read back.
//
// A codec is used by many goroutines at once. It never sees a Kafka null (see
// the package comment).
type Codec[T any] interface {
	// Append appends v's wire form to dst and returns the extended slice. It
	// never keeps dst. With an error it returns dst as it was, so that a caller
	// who reuses a buffer does not lose it.
	Append(dst []byte, v T) ([]byte, error)

	// Decode reads a value. b is never nil (a Kafka null never reaches a codec)
	// but may be empty. The result may alias b: b is never modified and lives as
	// long as anything refers to it.
	//
	// An error wraps [ErrMalformed] when the record itself is at fault and
	// [ErrUnavailable] when the same record may be read later. It never quotes b,
	// whose content may be secret.
	Decode(b []byte) (T, error)
}

// Aliaser is implemented by codecs whose values already hold their wire form
// ([Bytes], pass-through values): a sink then takes the bytes without a copy.
type Aliaser[T any] interface {
	// Bytes returns v's wire form without a copy, or nil and false if v must be
	// encoded with Append. Bytes returned with true are never nil, and must not
	// be modified.
	Bytes(v T) ([]byte, bool)
}
