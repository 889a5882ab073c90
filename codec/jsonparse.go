package codec

import (
	"bytes"
	"encoding/json"
	"sync"
)

// This file is the only one that calls encoding/json, so that another
// implementation changes nothing else.

// jsonSpace is the white space of RFC 8259.
const jsonSpace = " \t\r\n"

// jsonEncoder writes one document after another into out. encoding/json offers
// "no HTML escaping" on its Encoder only, which is why there is one at all; they
// are pooled since an Encoder and its escape to the heap cost more than the copy.
type jsonEncoder struct {
	out []byte
	enc *json.Encoder
}

func (e *jsonEncoder) Write(p []byte) (int, error) {
	e.out = append(e.out, p...)
	return len(p), nil
}

var jsonEncoders = sync.Pool{New: func() any {
	e := new(jsonEncoder)
	e.enc = json.NewEncoder(e)
	e.enc.SetEscapeHTML(false)
	return e
}}

// appendJSON appends v's document to dst, without a trailing newline.
func appendJSON(dst []byte, v any) ([]byte, error) {
	e := jsonEncoders.Get().(*jsonEncoder)
	e.out = dst
	err := e.enc.Encode(v)
	out := e.out
	e.out = nil // the pool must not keep the caller's buffer
	jsonEncoders.Put(e)
	if err != nil {
		return dst, err
	}
	return out[:len(out)-1], nil
}

// parseJSON reads the one document in b into v.
func parseJSON(b []byte, v any) error { return json.Unmarshal(b, v) }

// parseOpenJSON is parseJSON with the number types that [JSON] promises for open
// types.
func parseOpenJSON(b []byte, v any) error {
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.UseNumber()
	if err := dec.Decode(v); err != nil {
		return err
	}
	if rest := b[dec.InputOffset():]; len(bytes.Trim(rest, jsonSpace)) > 0 {
		skipped := len(rest) - len(bytes.TrimLeft(rest, jsonSpace))
		return trailingError{offset: dec.InputOffset() + int64(skipped)}
	}
	return typeNumbers(v)
}

// trailingError is data after the document.
type trailingError struct{ offset int64 }

func (trailingError) Error() string { return "data after the document" }
