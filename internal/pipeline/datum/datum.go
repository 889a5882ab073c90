package datum

import (
	"fmt"

	"github.com/eosproc/eosproc/codec"
	"github.com/eosproc/eosproc/topology"
)

// Datum is a key or a value. It is a small value; copies are independent. The
// zero Datum stands beside a null and is never read.
type Datum struct {
	// Route is the branch that the record takes. It lies here, in the key, because
	// an operator can hand nothing else to the next one.
	Route uint16
	state state
	// To is where a record goes whose topic or partition is computed; nil otherwise.
	To     *topology.Destination
	raw    []byte
	value  any
	format *Format
}

type state uint8

const (
	encoded state = iota // raw is valid, value is not
	both                 // raw and value say the same
	made                 // value is valid, raw is not
)

// New returns a datum with a value that was computed.
func New(value any, f *Format) Datum { return Datum{state: made, value: value, format: f} }

// Value returns the decoded value and keeps it. The error wraps
// [codec.ErrMalformed] or [codec.ErrUnavailable].
func (d *Datum) Value() (any, error) {
	if d.state == encoded {
		v, err := d.format.decode(d.raw)
		if err != nil {
			return nil, err
		}
		d.value, d.state = v, both
	}
	return d.value, nil
}

// Fields returns a value that has at least the named fields, for a reader that
// looks at nothing else. Where it can, it fills into, an empty map that may be
// used again for the next record, and does not decode the rest; otherwise it is
// Value. Either way a malformed datum is an error.
func (d *Datum) Fields(names []string, into map[string]any) (any, error) {
	if d.state == encoded && d.format.project != nil && d.format.project(d.raw, names, into) {
		return into, nil
	}
	return d.Value()
}

// Convert gives the datum another format. Nothing is decoded if it has it.
func (d *Datum) Convert(f *Format) error {
	if d.format == f {
		return nil
	}
	v, err := d.Value()
	if err != nil {
		return err
	}
	route, to := d.Route, d.To
	*d = New(v, f)
	d.Route, d.To = route, to
	return nil
}

// Codec returns the codec of topics in this format. An eager one decodes when a
// record is read instead of when it is looked at.
func (f *Format) Codec(eager bool) codec.Codec[Datum] {
	if eager {
		return &eagerWire{wire{f}}
	}
	return &wire{f}
}

type wire struct{ format *Format }

// eagerWire is a type of its own to keep the passing of bytes, which is the path
// of a copy, free of everything else.
type eagerWire struct{ wire }

func (w *wire) Decode(b []byte) (Datum, error) { return Datum{raw: b, format: w.format}, nil }

func (w *eagerWire) Decode(b []byte) (Datum, error) {
	d := Datum{raw: b, format: w.format}
	if _, err := d.Value(); err != nil {
		return Datum{}, err
	}
	return d, nil
}

func (w *wire) Append(dst []byte, d Datum) ([]byte, error) {
	v, err := d.Value()
	if err != nil {
		return dst, fmt.Errorf("decode %s to encode it as %s: %w", d.format.Name, w.format.Name, err)
	}
	return w.format.append(dst, v)
}

// Bytes passes unchanged bytes through.
func (w *wire) Bytes(d Datum) ([]byte, bool) {
	if d.state == made || d.format != w.format {
		return nil, false
	}
	return d.raw, d.raw != nil
}
