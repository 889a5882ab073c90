package registry

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/eosproc/eosproc/codec"
)

// headerSize is the zero byte and the schema's id.
const headerSize = 5

// maxNesting bounds the depth of a Protobuf message in its file, as protoc does
// for what it compiles; it keeps a damaged count from allocating.
const maxNesting = 64

func appendHeader(dst []byte, id int) []byte {
	return binary.BigEndian.AppendUint32(append(dst, 0), uint32(id))
}

// cutHeader splits a record into its schema's id and the body, which aliases b.
func cutHeader(b []byte) (id int, body []byte, err error) {
	switch {
	case len(b) > 0 && (b[0] == '{' || b[0] == '['):
		return 0, nil, wireError("it looks like plain JSON")
	case len(b) > 0 && b[0] != 0:
		return 0, nil, wireError("it does not begin with the magic byte 0")
	case len(b) < headerSize:
		return 0, nil, wireError(fmt.Sprintf("%d bytes are less than the header's %d", len(b), headerSize))
	}
	// Ids are positive 32-bit integers in every registry; the conversion keeps
	// larger ones positive rather than trusting that.
	return int(binary.BigEndian.Uint32(b[1:])), b[headerSize:], nil
}

// appendIndexes appends a Protobuf message's place in its file: the index of the
// top-level message, then of the one nested in it, and so on, after their number,
// as zigzag varints. The first message is by far the most common and is one zero.
func appendIndexes(dst []byte, indexes []int) []byte {
	if len(indexes) == 1 && indexes[0] == 0 {
		return append(dst, 0)
	}
	dst = binary.AppendVarint(dst, int64(len(indexes)))
	for _, i := range indexes {
		dst = binary.AppendVarint(dst, int64(i))
	}
	return dst
}

// cutIndexes splits a Protobuf body into the message's place and the message.
func cutIndexes(b []byte) (indexes []int, message []byte, err error) {
	count, n := binary.Varint(b)
	if n <= 0 || count < 0 || count > maxNesting {
		return nil, nil, wireError("its message indexes are damaged")
	}
	b = b[n:]
	if count == 0 {
		return firstMessage, b, nil
	}
	indexes = make([]int, 0, count)
	for range count {
		i, n := binary.Varint(b)
		if n <= 0 || i < 0 || i > 1<<30 {
			return nil, nil, wireError("its message indexes are damaged")
		}
		indexes = append(indexes, int(i))
		b = b[n:]
	}
	return indexes, b, nil
}

// firstMessage is shared and never modified.
var firstMessage = slices.Clip([]int{0})

func wireError(detail string) error {
	return fmt.Errorf("%w: record is %w: %s", codec.ErrMalformed, ErrWireFormat, detail)
}
