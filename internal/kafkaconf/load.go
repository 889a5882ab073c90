package kafkaconf

import (
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
)

// Load reads the .properties file at path, as [ParseProperties] does. A file with
// a literal secret that every user of the machine may read is refused
// ([ErrInsecure]); references such as file: and env: are fine in any file.
func Load(path string) (map[string]string, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("read client settings: %w", err)
	}
	defer f.Close()
	props, err := ParseProperties(f, path)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err != nil {
		return nil, fmt.Errorf("read client settings: %w", err)
	}
	// Windows has no such bits; Go reports made-up ones there.
	if runtime.GOOS != "windows" && info.Mode().IsRegular() && info.Mode().Perm()&0o004 != 0 {
		if keys := literalSecrets(props); len(keys) > 0 {
			return nil, fmt.Errorf("%s: %w: readable for every user and holds a secret in %s; chmod 600 it, or refer to the secret with file:/path or env:NAME",
				path, ErrInsecure, strings.Join(keys, ", "))
		}
	}
	return props, nil
}

// literalSecrets returns the keys of props that hold a secret and not a reference.
func literalSecrets(props map[string]string) []string {
	var keys []string
	for _, key := range secretKeys {
		value := props[key]
		if value == "" || wholeReference(value) || key != keyJAAS && isReference(value) {
			continue
		}
		if key == keyJAAS {
			module, err := parseJAAS(value)
			literal := func(option string) bool {
				text := module.Options[option].Reveal()
				return text != "" && !isReference(text)
			}
			if err == nil && !slices.ContainsFunc([]string{"password", "clientSecret"}, literal) {
				continue
			}
		}
		keys = append(keys, key)
	}
	return keys
}
