// Package lint holds the house rules as tests: who may import whom
// (imports.txt), how long a file may be, what may not stand in the tree.
//
// It has no code of its own. It reads the sources of the module as text and
// syntax, and so works while packages do not compile.
package lint
