package kafkaproxy

import (
	"encoding/binary"
	"fmt"
	"io"
)

// maxFrame is above every broker's default limit; a larger size means that the
// connection does not speak Kafka's protocol, e.g. that it is TLS.
const maxFrame = 256 << 20

// readFrame returns one message with its 4-byte size, in buf when it fits.
func readFrame(r io.Reader, buf []byte) ([]byte, error) {
	var size [4]byte
	if _, err := io.ReadFull(r, size[:]); err != nil {
		return nil, err
	}
	n := binary.BigEndian.Uint32(size[:])
	if n > maxFrame {
		return nil, fmt.Errorf("read frame: size %d is not Kafka's framing", n)
	}
	total := int(n) + 4
	if cap(buf) < total {
		buf = make([]byte, total)
	}
	buf = buf[:total]
	copy(buf, size[:])
	if _, err := io.ReadFull(r, buf[4:]); err != nil {
		return nil, err
	}
	return buf, nil
}

// parseRequest reads the header. ok is false for a frame without one, such as a
// bare SASL token, which then matches no rule.
func parseRequest(frame []byte) (r Request, ok bool) {
	b := frame[4:]
	if len(b) < 8 {
		return r, false
	}
	r.Key = int16(binary.BigEndian.Uint16(b))
	r.Version = int16(binary.BigEndian.Uint16(b[2:]))
	r.CorrelationID = int32(binary.BigEndian.Uint32(b[4:]))
	if len(b) < 10 {
		return r, true
	}
	// Header versions 1 and 2 both have the client id here, as a nullable
	// string with a 2-byte length.
	if n := int16(binary.BigEndian.Uint16(b[8:])); n > 0 && len(b) >= 10+int(n) {
		r.ClientID = string(b[10 : 10+int(n)])
	}
	return r, true
}

// correlation returns the id of the request that a frame answers.
func correlation(frame []byte) (id int32, ok bool) {
	if len(frame) < 8 {
		return 0, false
	}
	return int32(binary.BigEndian.Uint32(frame[4:])), true
}
