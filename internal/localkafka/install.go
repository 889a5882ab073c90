package localkafka

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// cacheEnv names the folder that holds Kafka's jars in its subfolder libs. An
// unpacked Kafka distribution of the same version has that shape as well.
const cacheEnv = "EOSPROC_KAFKA_CACHE"

// pom lists the artifacts. Kafka 4 is compiled against slf4j 1.7, whose binding
// is log4j-slf4j-impl; log4j-slf4j2-impl would be ignored by it without a word.
//
//go:embed pom.xml
var pom []byte

// log4j is the brokers' logging configuration: one line an event, on stdout.
//
//go:embed log4j2.xml
var log4j []byte

// install is what is needed to run Kafka's main classes.
type install struct {
	java  java
	cache string
	// archive is the class data archive that halves start-up, or empty.
	archive string
}

func (i install) libs() string { return filepath.Join(i.cache, "libs") }

// command builds a java command line for one of Kafka's main classes.
func (i install) command(flags []string, class string, args ...string) *exec.Cmd {
	argv := append([]string{}, flags...)
	if i.archive != "" {
		// A stale archive is ignored by the runtime (-Xshare:auto is the default).
		argv = append(argv, "-XX:SharedArchiveFile="+i.archive)
	}
	argv = append(argv, "-Dlog4j2.configurationFile="+filepath.Join(i.cache, "log4j2.xml"),
		"-cp", filepath.Join(i.libs(), "*"), class)
	return exec.Command(i.java.path, append(argv, args...)...)
}

// Available returns nil when [Start] can be expected to work, and otherwise an
// [ErrUnavailable] whose one line says what is missing. It does not download:
// with Maven present and an unreachable repository it is Start that fails.
func Available() error {
	if !supported {
		return fmt.Errorf("%w: broker processes are only controlled on Unix", ErrUnavailable)
	}
	if _, err := findJava(); err != nil {
		return err
	}
	cache, err := cacheDir()
	if err != nil {
		return err
	}
	if installed(cache) {
		return nil
	}
	if _, err := exec.LookPath("mvn"); err != nil {
		return fmt.Errorf("%w: no Kafka %s in %s and no mvn in $PATH to fetch it", ErrUnavailable, Version, cache)
	}
	return nil
}

func cacheDir() (string, error) {
	if dir := os.Getenv(cacheEnv); dir != "" {
		return filepath.Abs(dir)
	}
	base, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("%w: no cache directory, set %s: %w", ErrUnavailable, cacheEnv, err)
	}
	return filepath.Join(base, "eosproc", "kafka-"+Version), nil
}

func installed(cache string) bool {
	_, err := os.Stat(filepath.Join(cache, "libs", "kafka_2.13-"+Version+".jar"))
	return err == nil
}

// resolve returns a complete install, filling the cache when needed. Processes
// that come at the same time wait for the first one.
func resolve(ctx context.Context) (install, error) {
	if err := Available(); err != nil {
		return install{}, err
	}
	jre, err := findJava()
	if err != nil {
		return install{}, err
	}
	cache, err := cacheDir()
	if err != nil {
		return install{}, err
	}
	in := install{java: jre, cache: cache}
	if in.ready() {
		return in.withArchive(), nil
	}
	if err := os.MkdirAll(cache, 0o755); err != nil {
		return install{}, fmt.Errorf("create Kafka cache: %w", err)
	}
	unlock, err := lockFile(ctx, filepath.Join(cache, ".lock"))
	if err != nil {
		return install{}, fmt.Errorf("lock Kafka cache: %w", err)
	}
	defer unlock()
	if !installed(cache) {
		if err := download(ctx, cache); err != nil {
			return install{}, err
		}
	}
	if err := writeWhole(filepath.Join(cache, "log4j2.xml"), log4j); err != nil {
		return install{}, err
	}
	if !in.trained() {
		if err := in.train(ctx); err != nil {
			return install{}, err
		}
	}
	return in.withArchive(), nil
}

func (i install) ready() bool {
	have, err := os.ReadFile(filepath.Join(i.cache, "log4j2.xml"))
	return err == nil && string(have) == string(log4j) && installed(i.cache) && i.trained()
}

// download lets Maven copy the jars into a temporary folder beside their
// destination and renames it.
func download(ctx context.Context, cache string) error {
	tmp, err := os.MkdirTemp(cache, ".download-")
	if err != nil {
		return fmt.Errorf("create download folder: %w", err)
	}
	defer os.RemoveAll(tmp)
	pomPath := filepath.Join(tmp, "pom.xml")
	if err := os.WriteFile(pomPath, pom, 0o644); err != nil {
		return fmt.Errorf("write pom: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, 10*time.Minute)
	defer cancel()
	libs := filepath.Join(tmp, "libs")
	cmd := exec.CommandContext(ctx, "mvn", "-q", "-B", "-f", pomPath,
		"dependency:copy-dependencies", "-DincludeScope=runtime", "-DoutputDirectory="+libs)
	cmd.Dir = tmp
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("fetch Kafka %s with mvn: %w: %s", Version, err, firstLine(string(out)))
	}
	if !installed(tmp) {
		return fmt.Errorf("fetch Kafka %s with mvn: kafka_2.13-%s.jar was not delivered", Version, Version)
	}
	if err := os.Rename(libs, filepath.Join(cache, "libs")); err != nil && !errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("move Kafka jars into the cache: %w", err)
	}
	return nil
}

// writeWhole replaces a file by rename, so that a reader never sees half of it.
func writeWhole(path string, content []byte) error {
	tmp := fmt.Sprintf("%s.%d", path, os.Getpid())
	if err := os.WriteFile(tmp, content, 0o644); err != nil {
		return fmt.Errorf("write %s: %w", filepath.Base(path), err)
	}
	if err := os.Rename(tmp, path); err != nil {
		return fmt.Errorf("replace %s: %w", filepath.Base(path), err)
	}
	return nil
}

// firstLine finds the line of Maven's output that names the cause.
func firstLine(out string) string {
	for line := range strings.Lines(out) {
		if line = strings.TrimSpace(line); strings.Contains(line, "ERROR") {
			return line
		}
	}
	return strings.TrimSpace(out)
}
