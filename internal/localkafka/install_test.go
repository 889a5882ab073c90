package localkafka

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// needJava skips or fails as package kafkatest does, which this one cannot
// import from its inner tests.
func needJava(t *testing.T) {
	t.Helper()
	if _, err := findJava(); err != nil {
		if want := os.Getenv("EOSPROC_REQUIRE"); strings.Contains(want, "kafka") || want == "all" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
}

// fakeMaven puts an mvn into PATH that runs a shell script.
func fakeMaven(t *testing.T, script string) {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "mvn"), []byte("#!/bin/sh\n"+script), 0o755))
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
}

func TestAvailableNamesWhatIsMissing(t *testing.T) {
	needJava(t)
	t.Setenv(cacheEnv, t.TempDir())
	t.Setenv("PATH", t.TempDir())
	err := Available()
	require.ErrorIs(t, err, ErrUnavailable)
	assert.ErrorContains(t, err, "no mvn in $PATH")
	assert.NotContains(t, err.Error(), "\n")
	_, err = Start(t.Context(), Config{})
	require.ErrorIs(t, err, ErrUnavailable)
}

func TestAvailableWithFilledCache(t *testing.T) {
	needJava(t)
	cache := t.TempDir()
	t.Setenv(cacheEnv, cache)
	t.Setenv("PATH", t.TempDir()) // java was found before, mvn is not needed
	require.NoError(t, os.Mkdir(filepath.Join(cache, "libs"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(cache, "libs", "kafka_2.13-"+Version+".jar"), nil, 0o644))
	assert.NoError(t, Available())
}

func TestDownloadIsWholeOrAbsent(t *testing.T) {
	cache := t.TempDir()
	fakeMaven(t, `echo "[ERROR] Could not resolve dependencies"; echo "[ERROR] more"; exit 1`)
	err := download(t.Context(), cache)
	require.ErrorContains(t, err, "[ERROR] Could not resolve dependencies")
	assert.NotContains(t, err.Error(), "\n")

	fakeMaven(t, `for a; do case $a in -DoutputDirectory=*) mkdir -p "${a#*=}";; esac; done`)
	require.ErrorContains(t, download(t.Context(), cache), "was not delivered")
	assert.False(t, installed(cache))

	fakeMaven(t, `for a; do case $a in -DoutputDirectory=*) mkdir -p "${a#*=}"; : > "${a#*=}/kafka_2.13-`+Version+`.jar";; esac; done`)
	require.NoError(t, download(t.Context(), cache))
	assert.True(t, installed(cache))
	rest, err := filepath.Glob(filepath.Join(cache, ".download-*"))
	require.NoError(t, err)
	assert.Empty(t, rest)
}

func TestPomIsOfTheVersion(t *testing.T) {
	assert.Equal(t, 2, strings.Count(string(pom), "<version>"+Version+"</version>"))
}

// The training of a class archive fails here, as the jar is empty: that must be
// remembered and must not keep Kafka from being used.
func TestRefusedArchiveIsRemembered(t *testing.T) {
	needJava(t)
	jre, err := findJava()
	require.NoError(t, err)
	in := install{java: jre, cache: t.TempDir()}
	require.NoError(t, in.train(t.Context()))
	assert.True(t, in.trained())
	assert.Empty(t, in.withArchive().archive)
	reason, err := os.ReadFile(in.refusalPath())
	require.NoError(t, err)
	assert.NotEmpty(t, reason)
}

func TestLockExcludesAndEndsWithContext(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	unlock, err := lockFile(t.Context(), path)
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), 250*time.Millisecond)
	defer cancel()
	_, err = lockFile(ctx, path)
	require.True(t, errors.Is(err, context.DeadlineExceeded), "have %v", err)
	unlock()
	unlock, err = lockFile(t.Context(), path)
	require.NoError(t, err)
	unlock()
}
