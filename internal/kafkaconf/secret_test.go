package kafkaconf

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const canary = "c4nary-s3cret"

func TestSecretNeverPrintsItself(t *testing.T) {
	type holder struct {
		Name   string
		Secret Secret
		Ptr    *Secret
	}
	s := Secret(canary)
	value := holder{"x", s, &s}
	var printed []string
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d", "%10.3s", "%t"} {
		printed = append(printed, fmt.Sprintf(verb, s), fmt.Sprintf(verb, &s), fmt.Sprintf(verb, value), fmt.Sprintf(verb, []Secret{s}),
			fmt.Sprintf(verb, map[Secret]Secret{s: s}))
	}
	encoded, err := json.Marshal(map[string]any{"holder": value, "list": []Secret{s}})
	require.NoError(t, err)
	yamled, err := yaml.Marshal(value)
	require.NoError(t, err)
	var logs bytes.Buffer
	for _, handler := range []slog.Handler{slog.NewTextHandler(&logs, nil), slog.NewJSONHandler(&logs, nil)} {
		slog.New(handler).Info("m", "secret", s, "holder", value, "err", errors.New(s.String()))
	}
	for _, text := range append(printed, string(encoded), string(yamled), logs.String(), s.String(), s.GoString()) {
		assert.NotContains(t, text, canary)
		assert.NotContains(t, text, fmt.Sprintf("%x", canary))
	}
	assert.Equal(t, "***", fmt.Sprint(s))
	assert.Empty(t, fmt.Sprint(Secret("")), "a dump shows what is not set")
	assert.Equal(t, canary, s.Reveal())
	assert.Contains(t, string(encoded), `"***"`)
}

func TestResolveSecret(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	t.Setenv("KAFKACONF_PW", canary)
	tests := []struct{ value, want string }{
		{"plain", "plain"},
		{"", ""},
		{"pa$$word", "pa$$word"},
		{"env:KAFKACONF_PW", canary},
		{"${env:KAFKACONF_PW}", canary},
		{"a-${env:KAFKACONF_PW}-b", "a-" + canary + "-b"},
		{"literal:env:KAFKACONF_PW", "env:KAFKACONF_PW"},
		{"file:" + file("one", canary+"\n"), canary},
		{"file://" + file("two", canary+"\r\n"), canary},
		{"file:" + file("three", " "+canary+" \n\n"), " " + canary + " \n"},
	}
	for _, tt := range tests {
		got, err := ResolveSecret(tt.value)
		require.NoError(t, err, tt.value)
		assert.Equal(t, tt.want, got.Reveal(), tt.value)
	}
	for _, value := range []string{"env:KAFKACONF_ABSENT", "${env:KAFKACONF_ABSENT}", "${env:}", "file:" + file("empty", "\n"), "file:" + dir + "/absent"} {
		_, err := ResolveSecret(value)
		require.Error(t, err, value)
	}
	_, err := ResolveSecret("env:KAFKACONF_ABSENT")
	assert.ErrorContains(t, err, "KAFKACONF_ABSENT", "the error names the reference")
}
