package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/eosproc/eosproc/internal/pipeline"
	"github.com/eosproc/eosproc/internal/pipeline/expression"
)

// longestLine bounds a line of input.
const longestLine = 16 << 20

func newEval() *cobra.Command {
	return &cobra.Command{
		Use:   "eval EXPRESSION",
		Short: "Try an expression on lines of JSON from stdin",
		Long: `Evaluate an expression of the pipeline language. Every line of stdin is a JSON
document, which the expression sees as value (or this); an empty line is null.
The results are written as lines of JSON. It exits with 2 if the expression is
wrong, with 1 if a line is.`,
		Example: `  echo '{"status":"PLACED","amount":3}' | eosproc eval 'value.amount > 2'`,
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return eval(cmd.InOrStdin(), cmd.OutOrStdout(), args[0])
		},
	}
}

func eval(in io.Reader, out io.Writer, source string) error {
	if _, err := expression.Compile(source, expression.Env{}, expression.Anything); err != nil {
		return usage(pointed(source, err))
	}
	w := bufio.NewWriter(out)
	defer w.Flush()
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, longestLine)
	n := 0
	for lines.Scan() {
		n++
		result, err := pipeline.Eval(source, lines.Bytes())
		if err != nil {
			return errors.Join(w.Flush(), fmt.Errorf("line %d: %w", n, err))
		}
		if err := encoder.Encode(result); err != nil {
			return fmt.Errorf("line %d: the result has no JSON form: %w", n, err)
		}
		if err := w.Flush(); err != nil { // a person types lines and wants to see each result
			return fmt.Errorf("write result: %w", err)
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("read line %d: %w", n+1, err)
	}
	return nil
}

// pointed shows where in the expression an error is.
func pointed(source string, err error) error {
	e, ok := errors.AsType[*expression.Error](err)
	if !ok {
		return err
	}
	return pipeline.Problems{{
		File: "expression", Line: 1, Col: e.From + 1, Width: max(e.To-e.From, 1),
		Message: e.Message, Hint: e.Hint, Source: source,
	}}
}
