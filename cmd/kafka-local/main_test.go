package main

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/eosproc/eosproc/internal/kafkatest"
)

// call runs the command in-process.
func call(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	code = run(t.Context(), args, &out, &errs)
	return code, out.String(), errs.String()
}

func TestUsage(t *testing.T) {
	for name, c := range map[string]struct {
		args []string
		code int
		want string
	}{
		"nothing":           {nil, exitUsage, "usage:"},
		"unknown command":   {[]string{"start"}, exitUsage, `unknown command "start"`},
		"unknown flag":      {[]string{"up", "--nodes", "3"}, exitUsage, "flag provided but not defined: -nodes"},
		"extra argument":    {[]string{"down", "now"}, exitUsage, `unexpected argument "now"`},
		"help of a command": {[]string{"up", "--help"}, exitOK, "usage:"},
		"two brokers":       {[]string{"up", "--brokers", "2", "--dir", filepath.Join(t.TempDir(), "k")}, exitError, "brokers: want 1 or 3, have 2"},
		"down of nothing":   {[]string{"down", "--dir", t.TempDir()}, exitOK, "no Kafka is running"},
	} {
		t.Run(name, func(t *testing.T) {
			code, _, stderr := call(t, c.args...)
			assert.Equal(t, c.code, code)
			assert.Contains(t, stderr, c.want)
		})
	}
	code, stdout, _ := call(t, "help")
	assert.Equal(t, exitOK, code)
	assert.Equal(t, usage, stdout)
}

func TestUpAndDown(t *testing.T) {
	kafkatest.Need(t)
	dir := filepath.Join(t.TempDir(), "kafka")
	t.Cleanup(func() { call(t, "down", "--dir", dir) })
	code, stdout, stderr := call(t, "up", "--dir", dir, "--port", "0", "--transaction-version", "1")
	require.Equal(t, exitOK, code, stderr)
	addr := strings.TrimSpace(stdout)
	kafkatest.CreateTopic(t, addr, "t", 1, nil)

	code, again, stderr := call(t, "up", "--dir", dir, "--transaction-version", "1")
	require.Equal(t, exitOK, code)
	assert.Equal(t, stdout, again)
	assert.Contains(t, stderr, "already running")

	code, _, _ = call(t, "down", "--dir", dir)
	require.Equal(t, exitOK, code)
	code, _, stderr = call(t, "up", "--dir", dir, "--transaction-version", "2")
	assert.Equal(t, exitError, code)
	assert.Contains(t, stderr, "has 1 brokers and transaction.version 1")
}
