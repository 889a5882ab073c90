// Package settings is the one table of configuration keys.
//
// It owns the names, types, defaults and limits of every key, whichever way it
// comes in (the Go Config, the config map of a YAML pipeline, a .properties
// file, -X key=value, the environment), the checks between values, and the
// sentence with which a key that is not offered is answered. Keys are those of
// Kafka Streams 4.4.0 under their own names; keys that only eosproc has begin
// with "eosproc.".
//
// It must not know where a value came from, nor what a worker does with it: no
// file is opened and no broker is asked. Everything about the connection (TLS,
// SASL, addresses) is handed to kafkaconf, so that it is read in one place.
//
// Invariants:
//   - Every key of Kafka Streams and of its clients has an answer: it is used,
//     accepted for a stated reason without an effect, or refused for a stated
//     reason. No key is dropped silently.
//   - The table is the only source of defaults, limits and documentation.
//   - A problem names the key as the user wrote it, and never quotes the value
//     of a key that may hold a secret, or of a key that is not known.
package settings
