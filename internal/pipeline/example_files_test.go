package pipeline_test

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/eosproc/eosproc/internal/pipeline"
)

// The examples lint clean and their own tests pass.
func TestExamples(t *testing.T) {
	files, err := filepath.Glob("../../examples/pipelines/*.yaml")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, path := range files {
		t.Run(filepath.Base(path), func(t *testing.T) {
			f, err := pipeline.Load(path, pipeline.Options{Lookup: func(string) (string, bool) { return "", false }})
			require.NoError(t, err)
			text, err := f.Lint().Format("text")
			require.NoError(t, err)
			require.Empty(t, text)
			results, err := f.RunTests(context.Background())
			require.NoError(t, err)
			require.NotEmpty(t, results)
			for _, r := range results {
				require.Empty(t, r.Failures, r.Name)
			}
		})
	}
}
