package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/eosproc/eosproc/internal/pipeline"
)

// testReport is the outcome of all files; its JSON form is documented in the help text.
type testReport struct {
	Passed int        `json:"passed"`
	Failed int        `json:"failed"`
	Files  []fileTest `json:"files"`
}

type fileTest struct {
	File  string                `json:"file"`
	Tests []pipeline.TestResult `json:"tests"`
}

func newTest() *cobra.Command {
	var o output
	cmd := &cobra.Command{
		Use:   "test FILE…",
		Short: "Run the tests inside pipelines, without a broker",
		Long: `Run the tests that stand in pipelines. FILE may be a directory or "-" for stdin. No broker and
no schema registry is needed: avro, protobuf and json_schema are JSON in tests. It exits with 1 if a test fails, with 2 if a file cannot be built.

-o json prints {passed, failed, files: [{file, tests: [{name, line, failures,
elapsed_ns}]}]}; a test without failures has passed.`,
		Example:           "  eosproc test payments.yaml",
		Args:              cobra.MinimumNArgs(1),
		ValidArgsFunction: yamlFiles,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := o.check(); err != nil {
				return err
			}
			files, err := loadAll(cmd.InOrStdin(), args)
			if err != nil {
				return err
			}
			r, err := runTests(cmd.Context(), files)
			if err != nil {
				return err
			}
			if o.json() {
				err = writeJSON(cmd.OutOrStdout(), r)
			} else {
				r.text(cmd.OutOrStdout())
			}
			if err == nil && r.Failed > 0 {
				err = quiet(exitFailed)
			}
			return err
		},
	}
	o.register(cmd, "text", "json")
	return cmd
}

func runTests(ctx context.Context, files []*pipeline.File) (testReport, error) {
	r := testReport{Files: []fileTest{}}
	for _, f := range files {
		results, err := f.RunTests(ctx)
		if ctx.Err() != nil {
			return r, err
		}
		if err != nil {
			return r, usage(err)
		}
		r.Files = append(r.Files, fileTest{f.Name(), results})
		for _, result := range results {
			if result.Passed() {
				r.Passed++
			} else {
				r.Failed++
			}
		}
	}
	return r, nil
}

func (r testReport) text(w io.Writer) {
	for _, f := range r.Files {
		if len(f.Tests) == 0 {
			fmt.Fprintf(w, "-     %s: no tests\n", f.File)
		}
		for _, t := range f.Tests {
			word := paint(w, green, "ok  ")
			if !t.Passed() {
				word = paint(w, red, "FAIL")
			}
			fmt.Fprintf(w, "%s  %s:%d: %s (%.3f s)\n", word, f.File, t.Line, t.Name, t.Elapsed.Round(time.Millisecond).Seconds())
			for _, failure := range t.Failures {
				fmt.Fprintf(w, "      %s\n", strings.ReplaceAll(failure, "\n", "\n      "))
			}
		}
	}
	fmt.Fprintf(w, "%d passed, %d failed\n", r.Passed, r.Failed)
}
