// Package pipeline turns a YAML file into a topology.
//
// It owns the language of the steps: what may be written, what it means, and what
// is wrong with it. One path ([Parse] and then the compiler) serves lint, test and
// run, so that what lints is what runs. The expressions inside are package
// expression's, the reading of YAML is package yamlfile's, keys and values on
// their way are package datum's. It knows no broker.
//
// # Steps
//
// A file has a config (the keys of Kafka Streams), a topology and tests. The
// topology is a list of steps. A step works on the stream of the step before it;
// from and use begin a new one, "as" gives the stream behind a step a name. Every
// step becomes one or two operators of package topology, named after the step or
// after its kind and line ("filter-12"), so that an error at run time leads back
// to the file.
//
// # Decoding
//
// Nothing is decoded until an expression looks at it; then it is decoded once for
// all steps. Bytes that no step has changed are written as they were read. So a
// record that is not valid JSON passes through a pipeline that never looks at it,
// and is a deserialization failure in one that does.
//
// # Schema registries
//
// The formats avro, protobuf and json_schema write with a schema of a registry: the
// latest of the subject "topic-value" or "topic-key", or what the file names,
// {avro: subject} or {avro: {subject: …, schema: file, message: …}}. [Options].Registry
// makes their codecs when all steps have been compiled, since a topic that is only
// read needs no subject. Lint and tests ask no one: there these formats are JSON.
// Behind a repartition step, values keep the format they had, and so have to fit
// the schema of the topic they came from.
//
// # Dead letters
//
// There is no step for them: the keys errors.dead.letter.queue.topic.name and
// ….exception.handler: dlq of the config apply to pipelines as to any topology.
//
// # Invariants
//
//   - Build and Lint agree: a file with an error among its problems is never built.
//   - A failing expression is a failure of the record, never a panic, and names
//     file, line and column but not the record's content.
//   - Tests inside the file run the topology that Build gives.
package pipeline
