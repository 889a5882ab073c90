// Package registryconf connects pipelines to a schema registry.
//
// It owns how settings become a client (addresses, user, TLS) and which of the
// codecs of package registry a pipeline's format is. It must not know what is in
// a pipeline's steps, nor how schemas and records look.
//
// Invariants:
//   - The password is sent to the configured addresses only, never over http after
//     https, and stands in no error.
//   - A start ends: with codecs, or within [StartTimeout] with an error that says
//     what is wrong.
//   - Nothing is registered unless auto.register.schemas is true and the pipeline
//     names the schema.
package registryconf
