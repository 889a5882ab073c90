package main

import (
	"bytes"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/eosproc/eosproc/internal/demo"
	"github.com/eosproc/eosproc/internal/pipeline"
	"github.com/eosproc/eosproc/internal/preflight"
)

func TestReport(t *testing.T) {
	tests := map[string]struct {
		err  error
		code exitCode
		text string
	}{
		"nothing":            {nil, exitOK, ""},
		"cobra's own":        {errors.New("unknown flag: --x"), exitUsage, "eosproc: unknown flag: --x\n"},
		"cobra's suggestion": {errors.New("unknown command \"lnt\" for \"eosproc\"\n\nDid you mean this?\n\tlint\n\ttest\n"), exitUsage, "eosproc: unknown command \"lnt\" for \"eosproc\" (did you mean \"lint\" or \"test\"?)\n"},
		"at run time":        {failed(errors.New("gone")), exitFailed, "eosproc: gone\n"},
		"several faults":     {failed(errors.Join(errors.New("one"), errors.New("two"))), exitFailed, "eosproc: one\neosproc: two\n"},
		"usage stays usage":  {failed(fmt.Errorf("run: %w", usagef("wrong"))), exitUsage, "eosproc: wrong\n"},
		"old cluster":        {failed(fmt.Errorf("broker 1: %w", preflight.ErrBrokerTooOld)), exitUnsupported, "eosproc: broker 1: broker is too old\n"},
		"a demo's verdict":   {failed(fmt.Errorf("%w: 3 missing", demo.ErrVerdict)), exitViolated, "eosproc: " + demo.ErrVerdict.Error() + ": 3 missing\n"},
		"said already":       {quiet(exitViolated), exitViolated, ""},
		"problems": {
			usage(pipeline.Problems{{File: "a.yaml", Line: 2, Col: 3, Width: 1, Message: "bad", Source: "  x"}}),
			exitUsage, "a.yaml:2:3: bad\n   2 |   x\n     |   ^\n",
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			assert.Equal(t, int(tc.code), report(&out, tc.err))
			assert.Equal(t, tc.text, out.String())
		})
	}
}
