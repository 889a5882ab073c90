package main

import (
	"io"
	"os"
)

// color is the parameter of an ANSI escape sequence.
type color string

const (
	red   color = "31"
	green color = "32"
)

// paint colors a text where a person will see it: on a terminal, unless NO_COLOR
// is set (https://no-color.org).
func paint(w io.Writer, c color, text string) string {
	f, ok := w.(*os.File)
	if !ok || os.Getenv("NO_COLOR") != "" || os.Getenv("TERM") == "dumb" {
		return text
	}
	if info, err := f.Stat(); err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return text
	}
	return "\x1b[" + string(c) + "m" + text + "\x1b[0m"
}
