package bench

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

var placeholder = regexp.MustCompile(`\{\{\s*([a-z_]+)\s*\}\}`)

// substitute replaces every {{name}} in text. An unknown name is an error: it
// would reach the measured program as text and measure something else.
func substitute(text string, vars map[string]string) (string, error) {
	var unknown []string
	out := placeholder.ReplaceAllStringFunc(text, func(m string) string {
		name := placeholder.FindStringSubmatch(m)[1]
		v, ok := vars[name]
		if !ok {
			unknown = append(unknown, name)
		}
		return v
	})
	if len(unknown) > 0 {
		return "", fmt.Errorf("%w: unknown placeholder %s, known are %s", ErrInvalidConfig,
			strings.Join(unknown, ", "), strings.Join(slices.Sorted(maps.Keys(vars)), ", "))
	}
	return out, nil
}

// expandCommand splits and fills a command template; filled copies of
// configuration files are written to dir.
func expandCommand(command string, vars map[string]string, dir string) ([]string, error) {
	words, err := splitWords(command)
	if err != nil {
		return nil, err
	}
	for i, w := range words {
		if words[i], err = substitute(w, vars); err != nil {
			return nil, err
		}
		if i == 0 || !isConfigFile(w) {
			continue
		}
		text, err := os.ReadFile(w)
		if err != nil {
			return nil, fmt.Errorf("read configuration template: %w", err)
		}
		filled, err := substitute(string(text), vars)
		if err != nil {
			return nil, fmt.Errorf("fill %s: %w", w, err)
		}
		// Mode 0600: a client's configuration file may hold passwords.
		words[i] = filepath.Join(dir, fmt.Sprintf("%d-%s", i, filepath.Base(w)))
		if err := os.WriteFile(words[i], []byte(filled), 0o600); err != nil {
			return nil, fmt.Errorf("write filled configuration: %w", err)
		}
	}
	return words, nil
}

func isConfigFile(word string) bool {
	switch filepath.Ext(word) {
	case ".yaml", ".yml", ".json", ".properties":
		info, err := os.Stat(word)
		return err == nil && info.Mode().IsRegular()
	}
	return false
}

// splitWords splits at spaces outside quotes. No shell: a shell in between
// would be the process whose memory is read and which gets the signal.
func splitWords(s string) ([]string, error) {
	var words []string
	var word strings.Builder
	var quote rune
	started := false
	for _, r := range s {
		switch {
		case quote != 0 && r == quote:
			quote = 0
		case quote != 0:
			word.WriteRune(r)
		case r == '\'' || r == '"':
			quote, started = r, true
		case r == ' ' || r == '\t' || r == '\n':
			if started {
				words, started = append(words, word.String()), false
				word.Reset()
			}
		default:
			word.WriteRune(r)
			started = true
		}
	}
	if quote != 0 {
		return nil, fmt.Errorf("%w: unclosed %c in command", ErrInvalidConfig, quote)
	}
	if started {
		words = append(words, word.String())
	}
	return words, nil
}
