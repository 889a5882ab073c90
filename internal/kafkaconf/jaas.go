package kafkaconf

import (
	"fmt"
	"strings"
)

// jaas is one login module of a sasl.jaas.config value.
type jaas struct {
	Module  string // class name without its package
	Options map[string]Secret
}

// resolve replaces options that are references by what they refer to.
func (j jaas) resolve() error {
	for key, value := range j.Options {
		resolved, err := ResolveSecret(value.Reveal())
		if err != nil {
			return fmt.Errorf("option %s: %w", key, err)
		}
		j.Options[key] = resolved
	}
	return nil
}

// parseJAAS reads `Class controlFlag key="value" … ;`, the form that Kafka's
// clients take, and leaves references in the options as they are. Errors never
// quote the text: it holds the password.
func parseJAAS(text string) (jaas, error) {
	lex := jaasLexer{rest: text}
	class, err := lex.word()
	if err != nil {
		return jaas{}, err
	}
	if class == "" {
		return jaas{}, fmt.Errorf("%w: no login module class", ErrInvalid)
	}
	flag, err := lex.word()
	if err != nil {
		return jaas{}, err
	}
	switch strings.ToLower(flag) {
	case "required", "requisite", "sufficient", "optional":
	default:
		return jaas{}, fmt.Errorf("%w: the login module class must be followed by a control flag such as required", ErrInvalid)
	}
	module := jaas{Module: class[strings.LastIndexByte(class, '.')+1:], Options: make(map[string]Secret)}
	for {
		lex.space()
		if strings.HasPrefix(lex.rest, ";") {
			lex.rest = lex.rest[1:]
			lex.space()
			if lex.rest != "" {
				return jaas{}, fmt.Errorf("%w: more than one login module", ErrInvalid)
			}
			return module, nil
		}
		if lex.rest == "" {
			return jaas{}, fmt.Errorf("%w: the value must end with a semicolon", ErrInvalid)
		}
		key, err := lex.word()
		if err != nil {
			return jaas{}, err
		}
		lex.space()
		if key == "" || !strings.HasPrefix(lex.rest, "=") {
			return jaas{}, fmt.Errorf("%w: option %d is not of the form key=\"value\"", ErrInvalid, len(module.Options)+1)
		}
		lex.rest = lex.rest[1:]
		value, err := lex.word()
		if err != nil {
			return jaas{}, err
		}
		module.Options[key] = Secret(value)
	}
}

// jaasLexer cuts words from a JAAS text.
type jaasLexer struct{ rest string }

func (l *jaasLexer) space() { l.rest = strings.TrimLeft(l.rest, " \t\r\n\f") }

// word returns the next bare or quoted word; "" without an error stands for none.
func (l *jaasLexer) word() (string, error) {
	l.space()
	if l.rest == "" {
		return "", nil
	}
	quote := l.rest[0]
	if quote != '"' && quote != '\'' {
		end := strings.IndexAny(l.rest, " \t\r\n\f=;\"'")
		if end < 0 {
			end = len(l.rest)
		}
		word := l.rest[:end]
		l.rest = l.rest[end:]
		return word, nil
	}
	var word strings.Builder
	for i := 1; i < len(l.rest); i++ {
		switch c := l.rest[i]; c {
		case '\\':
			i++
			if i < len(l.rest) {
				word.WriteByte(unescapeJAAS(l.rest[i]))
			}
		case quote:
			l.rest = l.rest[i+1:]
			return word.String(), nil
		default:
			word.WriteByte(c)
		}
	}
	return "", fmt.Errorf("%w: a quoted value has no closing quote", ErrInvalid)
}

// unescapeJAAS follows java.io.StreamTokenizer, which Kafka reads JAAS with.
func unescapeJAAS(c byte) byte {
	switch c {
	case 'n':
		return '\n'
	case 't':
		return '\t'
	case 'r':
		return '\r'
	case 'f':
		return '\f'
	default:
		return c
	}
}
