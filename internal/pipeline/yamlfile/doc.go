// Package yamlfile reads a YAML file into Go structs and keeps, for every value,
// the place where it stands.
//
// It owns the text of the file, positions, environment variables, strictness
// (unknown and repeated fields, wrong kinds) and the form of a [Problem]. It reports all problems of a
// file, not the first. It knows nothing of pipelines.
//
// # Environment variables
//
// ${NAME} and ${NAME:default} stand for a variable anywhere in a scalar; $${ is a
// literal "${". They are replaced after YAML has been parsed, so that a value can
// never change the structure of the file, and positions stay those of the file. To
// let them stand in flow collections too ({topic: ${T:orders}}), their
// punctuation is hidden from the YAML parser.
//
// # Invariants
//
//   - Lines and columns count from 1; a column is a rune.
//   - Anchors, aliases and merge keys work everywhere. What an alias stands for is
//     reported where it is written.
//   - No input makes this package panic, recurse without bound, or take more than
//     a bounded multiple of [MaxSize].
package yamlfile
