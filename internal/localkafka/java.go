package localkafka

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"sync"
)

// minJava is what Kafka 4 brokers need.
const minJava = 17

// java is a usable Java runtime.
type java struct {
	path string
	// id changes with the runtime's build: class data archives are only valid
	// for the runtime that wrote them.
	id string
}

var javaVersion = regexp.MustCompile(`version "(?:1\.)?(\d+)`)

// findJava looks in $JAVA_HOME, then in $PATH, once per process. The runtime is
// executed, because macOS ships a /usr/bin/java that only prints an advice.
var findJava = sync.OnceValues(func() (java, error) {
	path, err := exec.LookPath("java")
	if home := os.Getenv("JAVA_HOME"); home != "" {
		if p, homeErr := exec.LookPath(filepath.Join(home, "bin", "java")); homeErr == nil {
			path, err = p, nil
		}
	}
	if err != nil {
		return java{}, fmt.Errorf("%w: no java in $JAVA_HOME or $PATH", ErrUnavailable)
	}
	out, err := exec.CommandContext(context.Background(), path, "-version").CombinedOutput()
	if err != nil {
		return java{}, fmt.Errorf("%w: %s -version fails: %w", ErrUnavailable, path, err)
	}
	m := javaVersion.FindSubmatch(out)
	if m == nil {
		return java{}, fmt.Errorf("%w: %s -version prints no version", ErrUnavailable, path)
	}
	if major, err := strconv.Atoi(string(m[1])); err != nil || major < minJava {
		return java{}, fmt.Errorf("%w: java %s is too old, Kafka %s needs %d", ErrUnavailable, m[1], Version, minJava)
	}
	sum := sha256.Sum256(append(out, path...))
	return java{path: path, id: hex.EncodeToString(sum[:6])}, nil
})
