package main

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/eosproc/eosproc/internal/pipeline"
)

func newLint() *cobra.Command {
	var format string
	var strict bool
	cmd := &cobra.Command{
		Use:   "lint FILE…",
		Short: "Check pipelines without running them",
		Long: `Check pipelines: YAML, keys, types of expressions, tests. It is the same reading as
that of run, but for the schemas of a schema registry: nothing is connected to. FILE may be a directory, whose .yaml and .yml files are checked, or "-" for stdin.
It exits with 2 if there is an error, or a warning with --strict.

-o json prints an array of {file, line, column, width, severity, message, hint,
source}; -o github prints annotations of a GitHub workflow.`,
		Example:           "  eosproc lint pipelines/\n  eosproc lint --format github payments.yaml",
		Args:              cobra.MinimumNArgs(1),
		ValidArgsFunction: yamlFiles,
		RunE: func(cmd *cobra.Command, args []string) error {
			return lint(cmd.InOrStdin(), cmd.OutOrStdout(), args, format, strict)
		},
	}
	forms := []string{"text", "json", "github"}
	cmd.Flags().StringVarP(&format, "output", "o", forms[0], strings.Join(forms, ", "))
	cmd.Flags().StringVar(&format, "format", forms[0], "the same as --output")
	cmd.Flags().BoolVar(&strict, "strict", false, "take warnings as errors")
	complete(cmd, "output", forms...)
	complete(cmd, "format", forms...)
	return cmd
}

func lint(in io.Reader, out io.Writer, args []string, format string, strict bool) error {
	problems := pipeline.Problems{} // not nil: JSON's [] rather than null
	if _, err := problems.Format(format); err != nil {
		return usage(err)
	}
	files, err := loadAll(in, args)
	if err != nil {
		return err
	}
	bad := false
	for _, f := range files {
		found := f.Lint()
		problems = append(problems, found...)
		bad = bad || found.Err() != nil || strict && len(found) > 0
	}
	text, err := problems.Format(format)
	if err != nil {
		return usage(err)
	}
	if text = strings.TrimRight(text, "\n"); text != "" {
		fmt.Fprintln(out, text)
	}
	if bad {
		return quiet(exitUsage)
	}
	return nil
}

// loadAll reads the pipelines that the arguments name: files, directories, "-".
func loadAll(in io.Reader, args []string) ([]*pipeline.File, error) {
	var files []*pipeline.File
	load := func(path string) error {
		f, err := pipeline.Load(path, pipeline.Options{})
		files = append(files, f)
		return usage(err)
	}
	for _, arg := range args {
		if arg == "-" {
			data, err := io.ReadAll(in)
			if err != nil {
				return nil, fmt.Errorf("read stdin: %w", err)
			}
			files = append(files, pipeline.Parse("stdin", data, pipeline.Options{}))
			continue
		}
		if info, err := os.Stat(arg); err != nil || !info.IsDir() {
			if err := load(arg); err != nil {
				return nil, err
			}
			continue
		}
		before := len(files)
		err := filepath.WalkDir(arg, func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return fmt.Errorf("read directory: %w", err)
			}
			if ext := filepath.Ext(path); d.Type().IsRegular() && (ext == ".yaml" || ext == ".yml") {
				return load(path)
			}
			return nil
		})
		if err != nil {
			return nil, usage(err)
		}
		if len(files) == before {
			return nil, usagef("%s: no .yaml or .yml file in this directory", arg)
		}
	}
	return files, nil
}

// loadOne reads the one pipeline that an argument names.
func loadOne(in io.Reader, arg string) (*pipeline.File, error) {
	files, err := loadAll(in, []string{arg})
	if err != nil {
		return nil, err
	}
	if len(files) != 1 {
		return nil, usagef("%s: want one pipeline, found %d", arg, len(files))
	}
	return files[0], nil
}
