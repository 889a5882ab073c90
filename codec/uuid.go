package codec

import (
	"encoding/hex"
)

// UUID is a 128-bit identifier; the zero value is the nil UUID. It is a
// comparable array, so it serves as a map key.
type UUID [16]byte

// UUIDText is the 36-character lower-case text of a [UUID]: Kafka's
// UUIDSerializer. Decode takes upper case too.
var UUIDText Codec[UUID] = uuidCodec{}

// ParseUUID reads the 36-character form, in either case. Unlike Java's
// UUID.fromString it takes no shortened groups: those do not name the value they
// look like. The error wraps [ErrMalformed] and does not quote s.
func ParseUUID(s string) (UUID, error) { return parseUUID(s) }

// String returns the 36-character lower-case form.
func (u UUID) String() string {
	var b [36]byte
	u.put(&b)
	return string(b[:])
}

// MarshalText returns the 36-character form, so that JSON documents hold text.
func (u UUID) MarshalText() ([]byte, error) {
	var b [36]byte
	u.put(&b)
	return b[:], nil
}

// UnmarshalText reads what [ParseUUID] reads.
func (u *UUID) UnmarshalText(b []byte) (err error) {
	*u, err = parseUUID(b)
	return err
}

func (u UUID) put(b *[36]byte) {
	hex.Encode(b[0:8], u[0:4])
	hex.Encode(b[9:13], u[4:6])
	hex.Encode(b[14:18], u[6:8])
	hex.Encode(b[19:23], u[8:10])
	hex.Encode(b[24:36], u[10:16])
	b[8], b[13], b[18], b[23] = '-', '-', '-', '-'
}

func parseUUID[S string | []byte](s S) (UUID, error) {
	if len(s) != 36 {
		return UUID{}, lengthError("uuid", 36, len(s))
	}
	var digits [32]byte
	n := 0
	for i := range len(s) {
		if i == 8 || i == 13 || i == 18 || i == 23 {
			if s[i] != '-' {
				return UUID{}, &DecodeError{Format: "uuid", Offset: int64(i), Want: "hyphen", Found: "another character"}
			}
			continue
		}
		digits[n] = s[i]
		n++
	}
	var u UUID
	if _, err := hex.Decode(u[:], digits[:]); err != nil {
		return UUID{}, &DecodeError{Format: "uuid", Offset: -1, Want: "hexadecimal digits", Found: "another character", Cause: err}
	}
	return u, nil
}

type uuidCodec struct{}

func (uuidCodec) Append(dst []byte, v UUID) ([]byte, error) {
	var b [36]byte
	v.put(&b)
	return append(dst, b[:]...), nil
}

func (uuidCodec) Decode(b []byte) (UUID, error) { return parseUUID(b) }
