package codec

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
)

// jsonError turns an error of encoding/json into one that does not quote the
// document: its messages contain characters, numbers and strings of the input.
func jsonError(b []byte, err error) error {
	e := &DecodeError{Format: "json", Offset: -1, Cause: err}
	var (
		own      *DecodeError
		syntax   *json.SyntaxError
		mismatch *json.UnmarshalTypeError
		trailing trailingError
	)
	switch {
	case errors.As(err, &own):
		return own
	case errors.As(err, &trailing):
		e.Offset, e.Want, e.Found = trailing.offset, "the end", jsonKind(b, trailing.offset)+" after the document"
	case errors.As(err, &mismatch):
		e.Offset, e.Field = mismatch.Offset, mismatch.Field
		// Value is a kind, which for a number is followed by its literal.
		e.Found, _, _ = strings.Cut(mismatch.Value, " ")
		e.Want = wantedKind(mismatch.Type)
	case errors.As(err, &syntax):
		e.Offset = syntax.Offset
		if int(syntax.Offset) >= len(b) && strings.Contains(syntax.Error(), "unexpected end") {
			e.Want, e.Found = "more", "the end of the document"
			break
		}
		// Offset counts the offending byte.
		e.Offset = max(0, syntax.Offset-1)
		e.Found = jsonKind(b, e.Offset)
		// "invalid character 'x' <where>": the character may itself be a quote or
		// a space, so the last "' " is the one that ends it.
		if i := strings.LastIndex(syntax.Error(), "' "); i >= 0 {
			e.Found += " " + syntax.Error()[i+2:]
		}
	case len(b) == 0 || strings.Contains(err.Error(), "EOF"):
		// The streaming decoder has other errors than Unmarshal for a document
		// that stops early.
		e.Offset, e.Want, e.Found = int64(len(b)), "more", "the end of the document"
	}
	return e
}

func wantedKind(t reflect.Type) string {
	if t == nil {
		return ""
	}
	return "a value for Go type " + t.String()
}

// jsonKind names the kind of the byte at an offset. Only the characters of JSON's
// own grammar are named themselves.
func jsonKind(b []byte, at int64) string {
	if at < 0 || at >= int64(len(b)) {
		return "the end"
	}
	switch c := b[at]; {
	case strings.IndexByte(`{}[]:,"`, c) >= 0:
		return "'" + string(c) + "'"
	case c >= '0' && c <= '9':
		return "a digit"
	case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z':
		return "a letter"
	case c == ' ' || c == '\t' || c == '\r' || c == '\n':
		return "white space"
	case c < 0x20 || c == 0x7f:
		return "a control character"
	case c >= 0x80:
		return "a byte that is not ASCII"
	}
	return "a punctuation character"
}
