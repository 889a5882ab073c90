package pipeline_test

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/eosproc/eosproc/internal/pipeline"
)

var update = flag.Bool("update", false, "write the expected outputs of testdata anew")

func lookup(vars map[string]string) func(string) (string, bool) {
	return func(name string) (string, bool) { v, ok := vars[name]; return v, ok }
}

// Every file of testdata/lint gives the problems that stand beside it.
func TestLintGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/lint/*.yaml")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, path := range files {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".yaml"), func(t *testing.T) {
			data, err := os.ReadFile(path)
			require.NoError(t, err)
			f := pipeline.Parse(filepath.Base(path), data, pipeline.Options{Lookup: lookup(nil)})
			problems := f.Lint()
			require.NotEmpty(t, problems)
			text, err := problems.Format("text")
			require.NoError(t, err)
			golden := strings.TrimSuffix(path, ".yaml") + ".txt"
			if *update {
				require.NoError(t, os.WriteFile(golden, []byte(text), 0o644))
			}
			want, err := os.ReadFile(golden)
			require.NoError(t, err)
			require.Equal(t, string(want), text)
			if problems.Err() != nil && !strings.Contains(path, "config") {
				_, err = f.RunTests(t.Context())
				require.Error(t, err)
			}
		})
	}
}

const broken = "config: {application.id: a, bootstrap.servers: \"h:1\"}\ntopology:\n  - from: a\n  - filter: vale.x > 1\n  - to: 'a:b, c'\n"

func TestFormats(t *testing.T) {
	problems := pipeline.Parse("dir/p,1.yaml", []byte(broken), pipeline.Options{}).Lint()
	github, err := problems.Format("github")
	require.NoError(t, err)
	require.Equal(t, `::error file=dir/p%2C1.yaml,line=4,col=13::unknown name vale; did you mean "value"?
::error file=dir/p%2C1.yaml,line=5,col=10::topic name "a:b, c"; Kafka allows letters, digits, '.', '_' and '-', at most 249
`, github)
	text, err := problems.Format("json")
	require.NoError(t, err)
	var parsed []map[string]any
	require.NoError(t, json.Unmarshal([]byte(text), &parsed))
	require.Equal(t, map[string]any{
		"file": "dir/p,1.yaml", "line": 4.0, "column": 13.0, "width": 4.0, "severity": "error",
		"message": "unknown name vale", "hint": `did you mean "value"?`, "source": "  - filter: vale.x > 1",
	}, parsed[0])
	_, err = problems.Format("xml")
	require.ErrorContains(t, err, "text, json or github")
	none, err := pipeline.Problems(nil).Format("json")
	require.NoError(t, err)
	require.Equal(t, "[]\n", none)
}
