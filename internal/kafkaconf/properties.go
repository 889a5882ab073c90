package kafkaconf

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// maxPropertiesBytes bounds what ParseProperties reads: a client file is some
// kilobytes, and a wrong path may well be a log or a device.
const maxPropertiesBytes = 4 << 20

// ParseProperties reads the Java .properties format: comments with # or !, keys
// ended by =, : or white space, backslash escapes with \uXXXX, and lines
// continued by a trailing backslash. As in Java the last of several equal keys
// wins. name stands for the file in errors, which read "name:line: reason" and
// never quote the line, because it may hold a password.
//
// One difference to Java is intended: the text is UTF-8, where Java's loader
// reads ISO 8859-1 and silently garbles what editors write today.
func ParseProperties(r io.Reader, name string) (map[string]string, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxPropertiesBytes+1))
	if err != nil {
		return nil, fmt.Errorf("read properties %s: %w", name, err)
	}
	if len(data) > maxPropertiesBytes {
		return nil, fmt.Errorf("%s: %w: larger than %d bytes, not a properties file", name, ErrInvalid, maxPropertiesBytes)
	}
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	props := make(map[string]string)
	lines := lineReader{data: data}
	for {
		line, number, ok := lines.logical()
		if !ok {
			return props, nil
		}
		if !utf8.Valid(line) {
			return nil, fmt.Errorf("%s:%d: %w: not UTF-8; save the file as UTF-8 or write the character as \\uXXXX", name, number, ErrInvalid)
		}
		rawKey, rawValue := splitProperty(string(line))
		key, err := unescapeProperty(rawKey)
		if err != nil {
			return nil, fmt.Errorf("%s:%d: in the key: %w", name, number, err)
		}
		value, err := unescapeProperty(rawValue)
		if err != nil {
			return nil, fmt.Errorf("%s:%d: in the value: %w", name, number, err)
		}
		if key == "" {
			return nil, fmt.Errorf("%s:%d: %w: no key before the separator", name, number, ErrInvalid)
		}
		props[key] = value
	}
}

// lineReader yields logical lines: comments and blank lines left out, continued
// lines joined, leading white space removed.
type lineReader struct {
	data   []byte
	number int
}

// natural returns the next line of the text without its terminator (\n, \r or \r\n).
func (l *lineReader) natural() ([]byte, bool) {
	if len(l.data) == 0 {
		return nil, false
	}
	l.number++
	end := bytes.IndexAny(l.data, "\r\n")
	if end < 0 {
		line := l.data
		l.data = nil
		return line, true
	}
	line := l.data[:end]
	if l.data[end] == '\r' && end+1 < len(l.data) && l.data[end+1] == '\n' {
		end++
	}
	l.data = l.data[end+1:]
	return line, true
}

// logical returns the next property line and the number of its first line.
func (l *lineReader) logical() (line []byte, number int, ok bool) {
	for {
		natural, ok := l.natural()
		if !ok {
			return nil, 0, false
		}
		natural = bytes.TrimLeft(natural, " \t\f")
		if len(natural) == 0 || natural[0] == '#' || natural[0] == '!' {
			continue
		}
		number = l.number
		line = bytes.Clone(natural)
		for continued(line) {
			line = line[:len(line)-1]
			next, ok := l.natural()
			if !ok {
				break
			}
			line = append(line, bytes.TrimLeft(next, " \t\f")...)
		}
		if len(line) == 0 {
			continue
		}
		return line, number, true
	}
}

// continued reports whether line ends in an odd number of backslashes: an even
// number is a row of escaped backslashes.
func continued(line []byte) bool {
	trailing := len(line) - len(bytes.TrimRight(line, `\`))
	return trailing%2 == 1
}

// splitProperty cuts a logical line at its first unescaped separator.
func splitProperty(line string) (key, value string) {
	end := len(line)
	for i := 0; i < len(line); i++ {
		if line[i] == '\\' {
			i++
			continue
		}
		if strings.IndexByte("=: \t\f", line[i]) >= 0 {
			end = i
			break
		}
	}
	key = line[:end]
	value = strings.TrimLeft(line[end:], " \t\f")
	if value != "" && (value[0] == '=' || value[0] == ':') {
		value = strings.TrimLeft(value[1:], " \t\f")
	}
	return key, value
}

// unescapeProperty resolves backslash escapes. A backslash before any other
// character is dropped, as Java does.
func unescapeProperty(s string) (string, error) {
	if strings.IndexByte(s, '\\') < 0 {
		return s, nil
	}
	var out strings.Builder
	out.Grow(len(s))
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' {
			out.WriteByte(s[i])
			continue
		}
		i++
		if i == len(s) {
			break
		}
		switch s[i] {
		case 't':
			out.WriteByte('\t')
		case 'n':
			out.WriteByte('\n')
		case 'r':
			out.WriteByte('\r')
		case 'f':
			out.WriteByte('\f')
		case 'u':
			unit, ok := hexUnit(s[i+1:])
			if !ok {
				return "", fmt.Errorf(`%w: \u needs four hexadecimal digits`, ErrInvalid)
			}
			i += 4
			if utf16.IsSurrogate(unit) {
				// Java strings are UTF-16: a character above U+FFFF is two escapes.
				if !strings.HasPrefix(s[i+1:], `\u`) {
					return "", fmt.Errorf(`%w: half of a surrogate pair`, ErrInvalid)
				}
				low, ok := hexUnit(s[i+3:])
				pair := utf16.DecodeRune(unit, low)
				if !ok || pair == utf8.RuneError {
					return "", fmt.Errorf(`%w: half of a surrogate pair`, ErrInvalid)
				}
				unit = pair
				i += 6
			}
			out.WriteRune(unit)
		default:
			out.WriteByte(s[i])
		}
	}
	return out.String(), nil
}

// hexUnit reads the four hexadecimal digits at the start of s.
func hexUnit(s string) (rune, bool) {
	if len(s) < 4 {
		return 0, false
	}
	var unit rune
	for i := range 4 {
		c := s[i]
		switch {
		case '0' <= c && c <= '9':
			unit = unit<<4 | rune(c-'0')
		case 'a' <= c && c <= 'f':
			unit = unit<<4 | rune(c-'a'+10)
		case 'A' <= c && c <= 'F':
			unit = unit<<4 | rune(c-'A'+10)
		default:
			return 0, false
		}
	}
	return unit, true
}
