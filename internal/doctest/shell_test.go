//go:build unix

package doctest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// foreign are the programs that a block may be skipped for: they need a container
// runtime, a cluster of machines, or a Kafka installation with an authorizer.
var foreign = []string{"docker", "kubectl", "kafka-acls.sh", "kafka-topics.sh", "kafka-configs.sh", "kafka-transactions.sh"}

// TestCommands executes the command blocks of every page.
func TestCommands(t *testing.T) {
	docs := documents(t)
	bin := t.TempDir()
	build := exec.Command("go", "build", "-o", bin, "./cmd/eosproc")
	build.Dir = root
	out, err := build.CombinedOutput()
	require.NoError(t, err, "%s", out)
	repository := publish(t)
	for _, d := range docs {
		t.Run(strings.TrimSuffix(filepath.Base(d.name), ".md"), func(t *testing.T) {
			t.Parallel()
			s := newSession(t, bin, repository)
			for i := range d.blocks {
				b := &d.blocks[i]
				if err := s.execute(b); err != nil {
					t.Fatalf("%s: %v", d.at(b), err)
				}
			}
		})
	}
}

// publish makes a repository of the working tree, changes included, for git clone.
func publish(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	script := `cd "$1"
{ git ls-files -co --exclude-standard 2>/dev/null || find . -type f -not -path './.eosproc/*' -not -path './.git/*'; } |
  while IFS= read -r f; do [ -f "$f" ] && printf '%s\n' "$f"; done | tar -cf - -T - | tar -xf - -C "$2"
cd "$2" && git init -q && git add -A && git -c user.name=doctest -c user.email=doctest@localhost commit -q -m tree`
	out, err := exec.Command("bash", "-euo", "pipefail", "-c", script, "publish", root, dir).CombinedOutput()
	require.NoError(t, err, "%s", out)
	return dir
}

// execute does with a block what its language and its annotations say.
func (s *session) execute(b *block) error {
	if name, ok := b.note("file"); ok {
		if err := os.WriteFile(filepath.Join(s.cwd, name), []byte(b.text), 0o600); err != nil {
			return fmt.Errorf("write file of the session: %w", err)
		}
	}
	if b.lang != "sh" && b.lang != "console" {
		return nil
	}
	commands := []step{{command: b.text}}
	if b.lang == "console" {
		if commands = steps(b.text); len(commands) == 0 {
			return fmt.Errorf("a console block begins with $")
		}
	}
	if reason, ok := b.note("skip because"); ok {
		return skippable(commands, reason)
	}
	if ownSuite(commands) {
		return nil
	}
	if missing := lacking(commands); missing != "" {
		if os.Getenv("EOSPROC_REQUIRE") == "all" {
			return fmt.Errorf("%s is not installed", missing)
		}
		s.t.Skipf("%s is not installed; EOSPROC_REQUIRE=all would fail", missing)
	}
	if _, ok := b.note("needs kafka"); ok {
		if err := s.needKafka(); err != nil {
			return err
		}
	}
	if until, ok := b.note("background until"); ok {
		return s.start(commands[0].command, until)
	}
	for _, c := range commands {
		output, code := s.run(c.command)
		if !rightCode(b, code) {
			return fmt.Errorf("exit code %d of: %s%s", code, c.command, output)
		}
		if output = regexp.MustCompile(`\b`+s.here.port+`\b`).ReplaceAllString(output, "9092"); b.lang == "console" && !matches(c.want, output) {
			return fmt.Errorf("%sprints\n%s\nand not\n%s", c.command, output, c.want)
		}
	}
	return nil
}

var word = regexp.MustCompile(`(?m)(?:^|[|;(]|&&|\|\|)\s*(?:[A-Z_]+=\S*\s+)*([A-Za-z0-9_.-]+)`)

// programs are the commands that a block calls.
func programs(commands []step) []string {
	var out []string
	for _, c := range commands {
		joined := strings.ReplaceAll(c.command, "\\\n", " ")
		for _, m := range word.FindAllStringSubmatch(joined, -1) {
			out = append(out, m[1])
		}
	}
	return out
}

func skippable(commands []step, reason string) error {
	if reason == "" {
		return fmt.Errorf("a block is skipped without a reason")
	}
	for _, p := range programs(commands) {
		if !slices.Contains(foreign, p) {
			return fmt.Errorf("%s can be executed and must not be skipped", p)
		}
	}
	return nil
}

func lacking(commands []step) string {
	for _, p := range programs(commands) {
		if p != "kcat" && p != "curl" {
			continue
		}
		if _, err := exec.LookPath(p); err != nil {
			return p
		}
	}
	for _, c := range commands {
		if strings.Contains(c.command, "make kafka-up") {
			for _, p := range []string{"java", "mvn"} {
				if _, err := exec.LookPath(p); err != nil {
					return p
				}
			}
		}
	}
	return ""
}

var makeTarget = regexp.MustCompile(`\bmake ([a-z-]+)`)

// suite are the targets that would run this test again.
var suite = []string{"test", "race", "lint", "fuzz", "bench"}

// ownSuite reports whether a block only runs the test suite. That its targets
// exist is checked by [TestMakeTargetsExist].
func ownSuite(commands []step) bool {
	for _, c := range commands {
		for line := range strings.Lines(c.command) {
			m := makeTarget.FindStringSubmatch(line)
			if m == nil || !slices.Contains(suite, m[1]) {
				return false
			}
		}
	}
	return true
}

func TestMakeTargetsExist(t *testing.T) {
	makefile, err := os.ReadFile(filepath.Join(root, "Makefile"))
	require.NoError(t, err)
	for _, d := range documents(t) {
		for _, m := range makeTarget.FindAllStringSubmatch(strings.Join(code(d), "\n"), -1) {
			require.Regexp(t, `(?m)^`+m[1]+`:`, string(makefile), "%s: make %s", d.name, m[1])
		}
	}
}

var inline = regexp.MustCompile("`[^`\n]+`")

// code returns the blocks of a page and what its text sets as code.
func code(d document) []string {
	out := inline.FindAllString(d.text, -1)
	for _, b := range d.blocks {
		out = append(out, b.text)
	}
	return out
}
