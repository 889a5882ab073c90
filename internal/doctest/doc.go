// Package doctest executes the documentation: what a reader may copy from
// README.md, CONTRIBUTING.md, ARCHITECTURE.md and docs/*.md has been run as it
// stands there.
//
// It owns what a code block means to a test, and the two pages that are
// generated (docs/configuration.md, docs/demo.svg; go test ./internal/doctest
// -update writes them anew). It must not know what a command does: it has an
// exit code and an output.
//
// # Blocks
//
//	```sh       executed by bash; it must succeed
//	```console  "$ command" lines are executed and must print the lines below them;
//	            a line "…" stands for any lines, "…" inside of a line for any text
//	```yaml     a pipeline must lint and pass its own tests; a list of steps must
//	            lint inside of a pipeline; anything else must be YAML
//	```go       a file must compile, and its tests and examples pass; a fragment must
//	            type-check behind the document's preamble
//
// The blocks of a document are one session, as if typed into one terminal: they
// share a directory, and cd lasts. A comment before a block changes what is done:
//
//	<!-- doctest: background until "text" -->  keep it running once it has printed the text
//	<!-- doctest: exit 2 -->                   it must end with this code; "1 or 2" with one of these
//	<!-- doctest: needs kafka -->              a broker with topics orders and payments listens
//	<!-- doctest: file NAME -->                the block is also a file of the session
//	<!-- doctest: skip because REASON -->      for programs that cannot run in a test
//
// Of blocks that run the test suite itself (make test and its like) only the
// targets are checked. The comment <!-- doctest: preamble … --> holds
// Go declarations for the fragments of its document.
//
// # Invariants
//
//   - What is executed is the text of the page; standins_test.go lists the only changes.
//   - Nothing is skipped but blocks that say so, and, unless EOSPROC_REQUIRE is
//     all, those that need a program which is not there.
//   - Nothing is written outside of temporary directories.
package doctest
