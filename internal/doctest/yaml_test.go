package doctest

import (
	"regexp"
	"strings"
	"testing"

	"github.com/goccy/go-yaml/parser"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/eosproc/eosproc/internal/pipeline"
)

// noVariables makes sure that pages do not depend on the environment of the test.
var noVariables = pipeline.Options{Lookup: func(string) (string, bool) { return "", false }}

// TestYAML lints the pipelines of every page and runs the tests inside of them.
func TestYAML(t *testing.T) {
	found := 0
	for _, d := range documents(t) {
		for _, b := range d.blocks {
			if b.lang != "yaml" {
				continue
			}
			found++
			text := b.text
			switch {
			case strings.HasPrefix(text, "- "):
				text = around(text)
			case !regexp.MustCompile(`(?m)^topology:`).MatchString(text):
				_, err := parser.ParseBytes([]byte(text), 0)
				assert.NoError(t, err, d.at(&b))
				continue
			}
			f := pipeline.Parse(d.at(&b), []byte(text), noVariables)
			if problems := f.Lint(); len(problems) > 0 {
				shown, err := problems.Format("text")
				require.NoError(t, err)
				t.Errorf("%s: does not lint\n%s", d.at(&b), shown)
				continue
			}
			results, err := f.RunTests(t.Context())
			require.NoError(t, err, d.at(&b))
			for _, r := range results {
				assert.Empty(t, r.Failures, "%s: %s", d.at(&b), r.Name)
			}
		}
	}
	assert.Positive(t, found)
}

var beginning = regexp.MustCompile(`(?m)^- (from|use|merge)\b`)

// around makes a pipeline of a list of steps: it is given the beginning and the end
// that it lacks.
func around(steps string) string {
	var b strings.Builder
	b.WriteString("config: {application.id: page, bootstrap.servers: \"localhost:9092\"}\ntopology:\n")
	if !beginning.MatchString(steps) {
		b.WriteString("  - from: orders\n")
	}
	for line := range strings.Lines(steps) {
		b.WriteString("  " + line)
	}
	if all := regexp.MustCompile(`(?m)^- ([a-z_]+)`).FindAllStringSubmatch(steps, -1); !ends(all[len(all)-1][1]) {
		b.WriteString("  - to: page-output\n")
	}
	return b.String()
}

func ends(kind string) bool { return kind == "to" || kind == "branch" }
