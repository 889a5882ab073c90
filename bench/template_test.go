package bench

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestParseArm(t *testing.T) {
	for spec, want := range map[string]Arm{
		"raw-eos":                      {Name: "raw-eos", Raw: &RawConfig{Kind: RawEOS}},
		"fast=raw-alo":                 {Name: "fast", Raw: &RawConfig{Kind: RawALO}},
		"cmd:/usr/bin/eosproc run a=b": {Name: "eosproc", Command: "/usr/bin/eosproc run a=b"},
		"mine=cmd:eosproc run":         {Name: "mine", Command: "eosproc run"},
	} {
		got, err := ParseArm(spec)
		require.NoError(t, err, spec)
		assert.Equal(t, want, got)
	}
	for _, spec := range []string{"", "raw", "eosproc run", "cmd:", "cmd:  ", "cmd:a 'b", "x=", "a b=raw-eos"} {
		_, err := ParseArm(spec)
		assert.ErrorIs(t, err, ErrInvalidConfig, spec)
	}
}

func TestCheckArms(t *testing.T) {
	require.ErrorIs(t, checkArms(nil), ErrInvalidConfig)
	require.NoError(t, checkArms([]Arm{{Name: "a"}, {Name: "b"}}))
	require.ErrorContains(t, checkArms([]Arm{{Name: "a"}, {Name: "a"}}), `two arms are named "a"`)
}

func TestSplitWords(t *testing.T) {
	for in, want := range map[string][]string{
		"":                       nil,
		" a  b\tc ":              {"a", "b", "c"},
		`a "b c" 'd "e' f"g h"i`: {"a", "b c", `d "e`, "fg hi"},
		`a ""`:                   {"a", ""},
	} {
		got, err := splitWords(in)
		require.NoError(t, err)
		assert.Equal(t, want, got, in)
	}
}

func TestInvocationFillsWordsAndFiles(t *testing.T) {
	file := filepath.Join(t.TempDir(), "pipeline.yaml")
	require.NoError(t, os.WriteFile(file, []byte("from: {{input}}\nto: {{ output }}\ncommit.interval.ms: {{interval_ms}}\nstate.dir: {{dir}}\n"), 0o600))
	arm, err := ParseArm("cmd:eosproc run " + file + " --brokers {{brokers}} --group={{group}} --every {{interval}} missing.yaml")
	require.NoError(t, err)
	dir := t.TempDir()

	inv, err := arm.invocation(target{
		brokers: []string{"a:1", "b:2"}, input: "in", output: "out", group: "g", interval: 100 * time.Millisecond, dir: dir,
	})
	require.NoError(t, err)
	filled := inv.argv[2]
	assert.Equal(t, []string{"eosproc", "run", filled, "--brokers", "a:1,b:2", "--group=g", "--every", "100ms", "missing.yaml"}, inv.argv)
	assert.Equal(t, dir, filepath.Dir(filled))
	text, err := os.ReadFile(filled)
	require.NoError(t, err)
	state := filepath.Join(dir, "state")
	assert.Equal(t, "from: in\nto: out\ncommit.interval.ms: 100\nstate.dir: "+state+"\n", string(text))
	assert.DirExists(t, state)
	original, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Contains(t, string(original), "{{input}}", "the template itself is not touched")
}

func TestInvocationRefusesAnUnknownPlaceholder(t *testing.T) {
	_, err := Arm{Name: "x", Command: "prog {{topic}}"}.invocation(target{dir: t.TempDir()})
	require.ErrorIs(t, err, ErrInvalidConfig)
	assert.ErrorContains(t, err, "unknown placeholder topic, known are brokers, dir, group")

	file := filepath.Join(t.TempDir(), "a.properties")
	require.NoError(t, os.WriteFile(file, []byte("x={{nope}}"), 0o600))
	_, err = Arm{Name: "x", Command: "prog " + file}.invocation(target{dir: t.TempDir()})
	require.ErrorIs(t, err, ErrInvalidConfig)
	assert.ErrorContains(t, err, file)
}
