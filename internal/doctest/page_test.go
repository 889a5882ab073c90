package doctest

import (
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var (
	link    = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading = regexp.MustCompile(`(?m)^#+ (.+)$`)
	fenced  = regexp.MustCompile("(?ms)^```.*?^```$")
)

// TestLinks follows the links from page to page.
func TestLinks(t *testing.T) {
	for _, d := range documents(t) {
		for _, m := range link.FindAllStringSubmatch(fenced.ReplaceAllString(d.text, ""), -1) {
			u, err := url.Parse(m[1])
			require.NoError(t, err, "%s: %s", d.name, m[1])
			if u.Scheme != "" {
				continue
			}
			target := filepath.Join(root, filepath.Dir(d.name), u.Path)
			if u.Path == "" {
				target = filepath.Join(root, d.name)
			}
			_, err = os.Stat(target)
			if assert.NoError(t, err, "%s: link to %s", d.name, m[1]) && u.Fragment != "" {
				text, err := os.ReadFile(target)
				require.NoError(t, err)
				assert.Contains(t, anchors(string(text)), u.Fragment, "%s: link to %s", d.name, m[1])
			}
		}
	}
}

// anchors are the names that GitHub gives to headings.
func anchors(text string) []string {
	var out []string
	for _, m := range heading.FindAllStringSubmatch(fenced.ReplaceAllString(text, ""), -1) {
		out = append(out, strings.ReplaceAll(regexp.MustCompile(`[^\p{L}\p{N} _-]`).ReplaceAllString(strings.ToLower(m[1]), ""), " ", "-"))
	}
	return out
}

// TestReadmeIsShort holds the first page to what is read in one go.
func TestReadmeIsShort(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, "README.md"))
	require.NoError(t, err)
	assert.LessOrEqual(t, strings.Count(string(text), "\n"), 200)
}

func TestBlocksAreFound(t *testing.T) {
	d, err := parse("page.md", "# A\n\n<!-- doctest: exit 2 -->\n<!-- doctest: file a.yaml -->\n\n```sh\nfalse\n```\n\n```yaml\na: 1\n```\n")
	require.NoError(t, err)
	require.Len(t, d.blocks, 2)
	assert.Equal(t, block{line: 7, lang: "sh", text: "false\n", notes: []note{{"exit", "2"}, {"file", "a.yaml"}}}, d.blocks[0])
	assert.Equal(t, block{line: 11, lang: "yaml", text: "a: 1\n"}, d.blocks[1])

	for name, text := range map[string]string{
		"unknown annotation":     "<!-- doctest: ignore -->\n```sh\n```\n",
		"annotation of a text":   "<!-- doctest: exit 1 -->\nText.\n",
		"annotation of nothing":  "<!-- doctest: exit 1 -->\n",
		"block that is not over": "```sh\ntrue\n",
		"indented block":         "1. Text.\n\n   ```sh\n   true\n   ```\n",
	} {
		_, err := parse("page.md", text)
		assert.Error(t, err, name)
	}
}

func TestOutputIsCompared(t *testing.T) {
	for _, c := range []struct {
		want, got string
		same      bool
	}{
		{"a\n", "a\n", true},
		{"a\n", "a  \n", true},
		{"a\n", "a", true},
		{"", "", true},
		{"", "a\n", false},
		{"a\n", "b\n", false},
		{"a\n", "a\nb\n", false},
		{"a\n…\n", "a\nb\nc\n", true},
		{"…\nc\n", "a\nb\nc\n", true},
		{"a … c\n", "a 17 c\n", true},
		{"a … c\n", "a\nc\n", false},
		{"a.c\n", "abc\n", false},
	} {
		assert.Equal(t, c.same, matches(c.want, c.got), "%q and %q", c.want, c.got)
	}
}
