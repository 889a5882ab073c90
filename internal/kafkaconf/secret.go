package kafkaconf

import (
	"fmt"
	"io"
	"log/slog"
	"os"
	"regexp"
	"strings"
)

// mask is what a secret shows in every printed form.
const mask = "***"

// Secret is a string that never prints itself: fmt (every verb), JSON, YAML,
// text and slog forms are "***", and "" when it is empty, so that a dump shows
// what is not set. Keep it in exported fields: fmt prints unexported fields
// without asking their methods. Never key a map by it: encoding/json writes keys
// of a string kind as they are.
type Secret string

// Reveal returns the secret itself, for the one place that hands it to a
// protocol.
func (s Secret) Reveal() string { return string(s) }

// String returns the mask.
func (s Secret) String() string {
	if s == "" {
		return ""
	}
	return mask
}

// GoString returns the mask.
func (s Secret) GoString() string { return fmt.Sprintf("%q", s.String()) }

// Format prints the mask for every verb; without it %d would print the secret
// inside fmt's own complaint about a bad verb.
func (s Secret) Format(f fmt.State, verb rune) {
	form := s.String()
	if verb == 'q' || (verb == 'v' && f.Flag('#')) {
		form = s.GoString()
	}
	if _, err := io.WriteString(f, form); err != nil {
		return // fmt.State reports its own write errors; there is no one else to tell
	}
}

// MarshalText returns the mask.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// MarshalJSON returns the mask as a JSON string.
func (s Secret) MarshalJSON() ([]byte, error) { return []byte(s.GoString()), nil }

// MarshalYAML returns the mask.
func (s Secret) MarshalYAML() (any, error) { return s.String(), nil }

// LogValue returns the mask.
func (s Secret) LogValue() slog.Value { return slog.StringValue(s.String()) }

// maxSecretBytes bounds a secret file, so that a wrong path fails at once.
const maxSecretBytes = 1 << 20

// envReference is ${env:NAME}, the form of Kafka's EnvVarConfigProvider in short.
var envReference = regexp.MustCompile(`\$\{env:([^}]*)\}`)

// ResolveSecret returns the secret that value refers to:
//
//	file:/path      the content of the file, one trailing line end removed
//	env:NAME        the environment variable
//	${env:NAME}     the same, also within a longer text
//	literal:text    text as it stands, for a secret that begins like a reference
//
// Anything else is the secret itself. A file that cannot be read and a variable
// that is not set are errors ([ErrInvalid]); they name the reference, never the
// content.
func ResolveSecret(value string) (Secret, error) {
	if text, ok := strings.CutPrefix(value, "literal:"); ok {
		return Secret(text), nil
	}
	if path, ok := strings.CutPrefix(value, "file:"); ok {
		return secretFile(strings.TrimPrefix(path, "//"))
	}
	if name, ok := strings.CutPrefix(value, "env:"); ok {
		text, err := lookupEnv(name)
		return Secret(text), err
	}
	text, err := expandEnv(value)
	return Secret(text), err
}

// isReference reports whether value names a secret instead of being one.
func isReference(value string) bool {
	return strings.HasPrefix(value, "file:") || strings.HasPrefix(value, "env:") || envReference.MatchString(value)
}

// wholeReference reports whether value begins as a reference, so that a JAAS text
// with references inside is told from a reference to a JAAS text.
func wholeReference(value string) bool {
	return strings.HasPrefix(value, "file:") || strings.HasPrefix(value, "env:") || strings.HasPrefix(value, "${env:")
}

func secretFile(path string) (Secret, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", fmt.Errorf("read secret file: %w", err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxSecretBytes+1))
	if err != nil {
		return "", fmt.Errorf("read secret file: %w", err)
	}
	if len(data) > maxSecretBytes {
		return "", fmt.Errorf("read secret file %s: %w: larger than %d bytes", path, ErrInvalid, maxSecretBytes)
	}
	// Editors and echo end a file with a line end that is not part of the secret.
	text := strings.TrimSuffix(strings.TrimSuffix(string(data), "\n"), "\r")
	if text == "" {
		return "", fmt.Errorf("read secret file %s: %w: the file is empty", path, ErrInvalid)
	}
	return Secret(text), nil
}

// expandEnv replaces every ${env:NAME} in value.
func expandEnv(value string) (string, error) {
	var firstErr error
	expanded := envReference.ReplaceAllStringFunc(value, func(ref string) string {
		text, err := lookupEnv(envReference.FindStringSubmatch(ref)[1])
		if err != nil && firstErr == nil {
			firstErr = err
		}
		return text
	})
	if firstErr != nil {
		return "", firstErr
	}
	return expanded, nil
}

func lookupEnv(name string) (string, error) {
	text, ok := os.LookupEnv(name)
	if !ok {
		return "", fmt.Errorf("%w: environment variable %q is not set", ErrInvalid, name)
	}
	return text, nil
}
