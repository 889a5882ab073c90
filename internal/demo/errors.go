package demo

import "errors"

// Errors of this package.
var (
	// ErrVerdict means that the demo ran to its end and that the verdict is not
	// the one that its guarantee promises. The verdict has been printed.
	ErrVerdict = errors.New("the demo did not show what its guarantee promises")
	// ErrOptions means that the command line asks for what cannot be shown.
	ErrOptions = errors.New("invalid options")
	// ErrForeignDirectory means that the directory holds something that no demo wrote.
	ErrForeignDirectory = errors.New("directory is not one of the demo's")
)
