package pipeline

import (
	"regexp"
	"strings"

	"github.com/eosproc/eosproc/internal/settings"
)

// secretive are the names of what must not be shown, for keys that no table knows:
// a misspelt password is a password.
var secretive = regexp.MustCompile(`(?i)passw|pwd|secret|jaas|token|credential|private|userinfo`)

var reference = regexp.MustCompile(`^(\$\{[A-Za-z_][A-Za-z0-9_.]*\}|file:.*)$`)

// redact puts asterisks in the source lines of problems where they would show a
// secret of the config section. The slice is changed in place and returned.
func (f *File) redact(ps Problems) Problems {
	visible := f.visible()
	for i := range ps {
		line := []rune(ps[i].Source)
		end, masked := visible[ps[i].Line]
		if !masked {
			// Values that were not taken over, such as a repeated key's, are not among the entries.
			m := secretive.FindStringIndex(ps[i].Source)
			if m == nil || f.onlyReferences(ps[i].Line) {
				continue
			}
			colon := strings.Index(ps[i].Source[m[0]:], ":")
			if colon < 0 {
				continue
			}
			end = len([]rune(ps[i].Source[:m[0]+colon])) + 2
		}
		if end < len(line) {
			ps[i].Source = string(line[:end]) + "***"
		}
	}
	return ps
}

// visible tells, of each line that holds the value of a key that is secret or not
// known, how many runes of it may be shown. A reference to a secret that lies
// elsewhere is none.
func (f *File) visible() map[int]int {
	secret := map[string]bool{}
	var prefixes []string
	for _, k := range settings.Keys() {
		secret[k.Name] = k.Secret
		prefixes = append(prefixes, k.Prefixes...)
	}
	lines := map[int]int{}
	hide := func(line, from int) {
		if before, ok := lines[line]; !ok || from < before {
			lines[line] = from
		}
	}
	for _, e := range f.doc.Config {
		name := e.Key.Value
		for _, p := range prefixes {
			name = strings.TrimPrefix(name, p)
		}
		if is, known := secret[name]; !is && known || reference.MatchString(e.Value.Written()) {
			continue
		}
		hide(e.Key.Pos.Line, e.Key.End().Col+1)
		for l := e.Key.Pos.Line + 1; l <= e.Value.End().Line; l++ {
			hide(l, 0)
		}
	}
	return lines
}

// onlyReferences reports whether all config values of a line are references.
func (f *File) onlyReferences(line int) bool {
	found := false
	for _, e := range f.doc.Config {
		if e.Value.Pos.Line == line {
			found = true
			if !reference.MatchString(e.Value.Written()) {
				return false
			}
		}
	}
	return found
}
