package doctest

import (
	"encoding/xml"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Measures of the picture, in pixels. The width of a letter is set on every line, so
// that columns stay columns whatever font the viewer has.
const (
	letter = 7.25
	line   = 18
	margin = 20
	bar    = 34
)

// colors tell what a line of the demo is about; the first that matches counts.
var colors = []struct {
	line  *regexp.Regexp
	color string
}{
	{regexp.MustCompile(`^\$ `), "#ffffff"},
	{regexp.MustCompile(`^verdict: exactly once`), "#7ee787"},
	{regexp.MustCompile(`^verdict`), "#ff7b72"},
	{regexp.MustCompile(`started again|partitions again|woken up|no more orders`), "#79c0ff"},
	{regexp.MustCompile(`killed|frozen|refused`), "#ffa657"},
	{regexp.MustCompile(`^\s*[0-9.]+s\b`), "#8b949e"},
	{regexp.MustCompile(``), "#c9d1d9"},
}

// terminal draws text as a terminal shows it.
func terminal(text string) string {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	columns := 0
	for _, l := range lines {
		columns = max(columns, utf8.RuneCountInString(l))
	}
	width, height := int(float64(columns)*letter)+2*margin, bar+len(lines)*line+margin
	var b strings.Builder
	fmt.Fprintf(&b, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" role=\"img\">\n", width, height, width, height)
	b.WriteString("<title>A run of eosproc demo</title>\n")
	fmt.Fprintf(&b, "<rect width=\"%d\" height=\"%d\" rx=\"8\" fill=\"#0d1117\"/>\n", width, height)
	for i, color := range []string{"#ff5f57", "#febc2e", "#28c840"} {
		fmt.Fprintf(&b, "<circle cx=\"%d\" cy=\"17\" r=\"5\" fill=\"%s\"/>\n", margin+5+i*18, color)
	}
	b.WriteString("<g font-family=\"ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace\" font-size=\"12\" xml:space=\"preserve\">\n")
	for i, l := range lines {
		content := strings.TrimLeft(l, " ")
		if content == "" {
			continue
		}
		indent := utf8.RuneCountInString(l) - utf8.RuneCountInString(content)
		color := ""
		for _, c := range colors {
			if c.line.MatchString(l) {
				color = c.color
				break
			}
		}
		var escaped strings.Builder
		_ = xml.EscapeText(&escaped, []byte(content)) // a strings.Builder takes everything
		fmt.Fprintf(&b, "<text x=\"%.2f\" y=\"%d\" textLength=\"%.2f\" fill=\"%s\">%s</text>\n",
			margin+float64(indent)*letter, bar+i*line+13, float64(utf8.RuneCountInString(content))*letter, color, escaped.String())
	}
	b.WriteString("</g>\n</svg>\n")
	return b.String()
}

// TestDemoPicture draws the recorded run in testdata/demo.txt.
func TestDemoPicture(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("testdata", "demo.txt"))
	require.NoError(t, err)
	picture := terminal(string(text))
	require.NoError(t, xml.Unmarshal([]byte(picture), new(struct{})))
	generated(t, "docs/demo.svg", picture)
}

func TestTerminal(t *testing.T) {
	picture := terminal("$ a <b>\n\n  c\n")
	assert.Contains(t, picture, `textLength="50.75" fill="#ffffff">$ a &lt;b&gt;</text>`)
	assert.Contains(t, picture, `<text x="34.50"`)
	assert.Equal(t, 2, strings.Count(picture, "<text"))
}
