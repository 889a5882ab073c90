package main

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/eosproc/eosproc/internal/demo"
	"github.com/eosproc/eosproc/internal/pipeline"
	"github.com/eosproc/eosproc/internal/preflight"
)

// exitCode is what the process ends with.
type exitCode int

// The exit codes.
const (
	exitOK exitCode = iota
	exitFailed
	exitUsage
	exitViolated
	exitUnsupported
)

// exitError is an error with its exit code. An error without one is cobra's: it
// comes from the command line.
type exitError struct {
	code exitCode
	err  error // nil if everything has been said on stdout
}

func (e *exitError) Error() string {
	if e.err == nil {
		return ""
	}
	return e.err.Error()
}

func (e *exitError) Unwrap() error { return e.err }

// usage marks an error that the user mends on the command line or in a file.
func usage(err error) error {
	if err == nil {
		return nil
	}
	return &exitError{exitUsage, err}
}

func usagef(format string, args ...any) error { return usage(fmt.Errorf(format, args...)) }

// quiet ends with a code after the result has been printed.
func quiet(code exitCode) error { return &exitError{code, nil} }

// failed gives an error of a command its code.
func failed(err error) error {
	if err == nil {
		return nil
	}
	if _, ok := errors.AsType[*exitError](err); ok {
		return err
	}
	if errors.Is(err, preflight.ErrBrokerTooOld) {
		return &exitError{exitUnsupported, err}
	}
	if errors.Is(err, demo.ErrVerdict) {
		return &exitError{exitViolated, err}
	}
	if errors.Is(err, demo.ErrOptions) {
		return &exitError{exitUsage, err}
	}
	return &exitError{exitFailed, err}
}

// report prints an error and returns the exit code.
func report(w io.Writer, err error) int {
	if err == nil {
		return int(exitOK)
	}
	code := exitUsage
	if e, ok := errors.AsType[*exitError](err); ok {
		code = e.code
		err = e.err
	}
	if err == nil {
		return int(code)
	}
	var problems pipeline.Problems
	if errors.As(err, &problems) {
		if text, ferr := problems.Format("text"); ferr == nil {
			fmt.Fprintln(w, strings.TrimRight(text, "\n"))
			return int(code)
		}
	}
	for line := range strings.SplitSeq(oneLine(err.Error()), "\n") {
		if line = strings.TrimSpace(line); line != "" {
			fmt.Fprintln(w, paint(w, red, "eosproc:"), line)
		}
	}
	return int(code)
}

// oneLine puts cobra's suggestion, which takes four lines, into the one it belongs to.
func oneLine(message string) string {
	message, near, ok := strings.Cut(message, "\n\nDid you mean this?\n")
	if ok {
		message += didYouMean(strings.Fields(near)...)
	}
	return strings.TrimSpace(message)
}

// didYouMean is the end of a message about an unknown name; empty ones suggest nothing.
func didYouMean(names ...string) string {
	var quoted []string
	for _, n := range names {
		if n != "" {
			quoted = append(quoted, strconv.Quote(n))
		}
	}
	if len(quoted) == 0 {
		return ""
	}
	return " (did you mean " + strings.Join(quoted, " or ") + "?)"
}
