package yamlfile

import (
	"regexp"
	"strings"
)

// variable is ${NAME} or ${NAME:default}; a dollar sign before it takes its
// meaning away.
var variable = regexp.MustCompile(`\$?\$\{([A-Za-z_][A-Za-z0-9_.]*)(:[^}\n]*)?\}`)

// The punctuation of a variable is moved into a private area of Unicode while
// YAML is parsed. One rune stays one rune, so that positions stay too.
const (
	hidden      = rune(0xF0000)
	punctuation = "{}:,#[]&*!|>'\"%@`?-"
)

func hide(text string) string {
	return variable.ReplaceAllStringFunc(text, func(v string) string {
		return strings.Map(func(r rune) rune {
			if strings.ContainsRune(punctuation, r) {
				return hidden + r
			}
			return r
		}, v)
	})
}

func reveal(text string) string {
	if !strings.ContainsFunc(text, isHidden) {
		return text
	}
	return strings.Map(func(r rune) rune {
		if isHidden(r) {
			return r - hidden
		}
		return r
	}, text)
}

func isHidden(r rune) bool {
	return r >= hidden && r < hidden+0x80 && strings.ContainsRune(punctuation, r-hidden)
}

// span says that the runes of the result from out on came from the runes of the
// written text from in on: one from one if copied, else all from that place.
type span struct {
	out, in int
	copied  bool
}

// unset is a variable without a value, at a rune of the written text.
type unset struct {
	name string
	at   int
}

// interpolate replaces the variables of a scalar. missing are those that are not
// set and have no default; they become empty.
func interpolate(text string, lookup func(string) (string, bool)) (out string, spans []span, missing []unset) {
	found := variable.FindAllStringSubmatchIndex(text, -1)
	if found == nil {
		return text, nil, nil
	}
	var b strings.Builder
	outRunes, inRunes, at := 0, 0, 0
	copyTo := func(end int) {
		n := len([]rune(text[at:end]))
		if n > 0 {
			spans = append(spans, span{outRunes, inRunes, true})
		}
		b.WriteString(text[at:end])
		outRunes, inRunes, at = outRunes+n, inRunes+n, end
	}
	for _, m := range found {
		copyTo(m[0])
		written := text[m[0]:m[1]]
		value := strings.TrimPrefix(written, "$")
		if !strings.HasPrefix(written, "$$") {
			name := text[m[2]:m[3]]
			set := false
			if value, set = lookup(name); !set && m[4] >= 0 {
				value = text[m[4]+1 : m[5]]
			} else if !set {
				missing = append(missing, unset{name, inRunes})
			}
		}
		spans = append(spans, span{outRunes, inRunes, false})
		b.WriteString(value)
		outRunes += len([]rune(value))
		inRunes += len([]rune(written))
		at = m[1]
	}
	copyTo(len(text))
	return b.String(), spans, missing
}
