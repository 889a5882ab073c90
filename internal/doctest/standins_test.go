package doctest

import (
	"fmt"
	"regexp"
	"strings"
)

// here is what a page cannot know: this tree, and ports that are free.
type here struct{ tree, port, second string }

// standins makes the only changes to what a page says: ports that are free here in
// place of 9092 and 19092, short demos and measurements in place of long ones, and
// this tree in place of the published one.
func (h here) standins(text string) string {
	for _, r := range []struct{ pattern, with string }{
		{`\beosproc broker\b`, "eosproc broker --port 9092"},
		{`\beosproc demo\b`, "eosproc demo --duration 6s"},
		{`\bmake demo ARGS="`, `make demo ARGS="--duration 6s `},
		{`(?m)\bmake demo$`, `make demo ARGS="--duration 6s"`},
		{`\beosproc bench (throughput|startup|latency)\b`, "eosproc bench $1 --repeat 1"},
		{`\bbench throughput\b`, "bench throughput --records 20000 --warmup-rounds 0"},
		{`\bbench latency\b`, "bench latency --rate 500 --warmup 500ms --duration 1s"},
		{`\bgo install github\.com/eosproc/eosproc/cmd/eosproc@latest`, "go install -C " + strings.ReplaceAll(h.tree, "$", "$$") + " ./cmd/eosproc"},
		{`\b9092\b`, h.port},
		{`\b19092\b`, h.second},
	} {
		text = regexp.MustCompile(r.pattern).ReplaceAllString(text, r.with)
	}
	return text
}

// gitEnv makes `git clone` of the published repository clone the one at dir.
func gitEnv(dir string) []string {
	return []string{
		"GIT_CONFIG_COUNT=1",
		fmt.Sprintf("GIT_CONFIG_KEY_0=url.file://%s.insteadOf", dir),
		"GIT_CONFIG_VALUE_0=https://github.com/eosproc/eosproc",
	}
}

// step is one command of a console block, and what it must print.
type step struct{ command, want string }

// steps divides a console block. A command that ends with a backslash goes on.
func steps(text string) []step {
	var out []step
	more := false
	for line := range strings.Lines(text) {
		command, isCommand := strings.CutPrefix(line, "$ ")
		switch {
		case more:
			out[len(out)-1].command += line
		case isCommand:
			out = append(out, step{command: command})
		case len(out) > 0:
			out[len(out)-1].want += line
			continue
		default:
			return nil // output without a command
		}
		more = strings.HasSuffix(line, "\\\n")
	}
	return out
}

// matches reports whether a command has printed what the page shows.
func matches(want, got string) bool {
	var b strings.Builder
	b.WriteString(`\A`)
	for line := range strings.Lines(want) {
		if strings.TrimSpace(line) == "…" {
			b.WriteString(`(?:.*\n)*?`)
			continue
		}
		parts := strings.Split(strings.TrimRight(line, " \n"), "…")
		for i := range parts {
			parts[i] = regexp.QuoteMeta(parts[i])
		}
		b.WriteString(strings.Join(parts, `.*?`) + `[ ]*\n`)
	}
	b.WriteString(`\z`)
	if got != "" && !strings.HasSuffix(got, "\n") {
		got += "\n"
	}
	return regexp.MustCompile(b.String()).MatchString(got)
}
