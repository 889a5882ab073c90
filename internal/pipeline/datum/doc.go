// Package datum is the key or value of a record inside a pipeline: bytes that are
// decoded when an expression first looks at them, and written as they came if
// nothing has changed them.
//
// It owns the formats by name and the rule when bytes may be passed through. It
// knows no expressions and no YAML.
//
// # Invariants
//
//   - A datum that was not changed is written with the very bytes that were read,
//     without a copy, as long as the format is the same.
//   - A decoded value is never modified; data may share it.
//   - Null is not a datum: it is a bit of the record (see package topology).
package datum
