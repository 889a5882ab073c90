package main

import (
	"context"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/eosproc/eosproc/internal/pipeline"
)

func TestEverySkeletonLintsAndPasses(t *testing.T) {
	var names, between []string
	for _, s := range skeletons {
		names = append(names, s.name)
		if s.name != "from" && s.name != "to" && s.name != "branch" {
			between = append(between, s.name)
		}
	}
	var chains [][]string
	for _, end := range []string{"to", "branch"} {
		chains = append(chains, []string{"from", end}, slices.Concat([]string{"from"}, between, []string{end}))
		for _, a := range between {
			for _, b := range between {
				if a != b {
					chains = append(chains, []string{"from", a, b, end})
				}
			}
		}
	}
	for _, chain := range chains {
		t.Run(strings.Join(chain, "_"), func(t *testing.T) {
			text, err := skeleton(chain, names)
			require.NoError(t, err)
			f := pipeline.Parse("new.yaml", []byte(text), pipeline.Options{Peek: io.Discard})
			require.NoError(t, f.Lint().Err(), text)
			results, err := f.RunTests(context.Background())
			require.NoError(t, err)
			require.Len(t, results, 1)
			assert.Empty(t, results[0].Failures, text)
		})
	}
}
