package main

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// output is the flag -o.
type output struct {
	format string
	forms  []string
}

// register declares -o; the first form is the default.
func (o *output) register(cmd *cobra.Command, forms ...string) {
	o.forms = forms
	cmd.Flags().StringVarP(&o.format, "output", "o", forms[0], strings.Join(forms, ", "))
	complete(cmd, "output", forms...)
}

func (o *output) check() error {
	if !slices.Contains(o.forms, o.format) {
		return usagef("--output %q: want %s", o.format, strings.Join(o.forms, ", "))
	}
	return nil
}

func (o *output) json() bool { return o.format == "json" }

// writeJSON writes one indented document.
func writeJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return fmt.Errorf("write result: %w", err)
	}
	return nil
}
