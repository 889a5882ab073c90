// Package codec turns keys and values into the bytes of a Kafka record and back.
//
// It owns the wire forms: the plain types as Kafka's own serdes write them
// ([String], [Bytes], [Int64], [Int32], [Float64], [Bool], [UUIDText]), JSON
// documents ([JSON]), and the windowed keys of Kafka Streams ([TimeWindowed],
// [SessionWindowed], [AppendWindowStoreKey]). Package codec/registry adds the
// formats that need a schema registry. This package imports the standard library
// only and knows nothing of topics, stores or the Kafka client.
//
// # Null
//
// A Kafka null is a bit of the record and is never seen by a codec. The runtime
// never calls Decode for a null, and never calls Append for a record whose null
// bit is set. Typed code sees the null of a type that has a nil (pointer, slice,
// map, interface) as nil; of any other type as the record's null bit beside the
// zero value.
//
// So a nil reaches Append only through a programming error, and Append answers
// with [ErrNil]: writing an empty value or the text "null" instead would turn
// a tombstone into an update that nobody asked for. This holds for [Bytes], whose
// nil and empty slices are thus two different things, and for [JSON], where it also
// holds in the other direction: a document that is only the text null is refused.
//
// # Invariants
//
//   - Decode(Append(v)) gives v again, and bytes written here are those that Kafka
//     4.4.0 writes (testdata/kafka-serdes-4.4.0.txt was printed by its classes).
//   - Decode takes the whole record: bytes left over are an error.
//   - An integer never passes through a floating point number.
//   - An error says where and what kind, never the content of the record.
//   - Codecs keep no state between calls and may be used by many goroutines.
package codec
