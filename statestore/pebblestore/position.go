package pebblestore

import (
	"encoding/binary"
	"errors"
	"maps"
	"slices"

	"github.com/eosproc/eosproc/statestore"
)

var errPosition = errors.New("malformed position")

func appendPosition(b []byte, p statestore.Position) []byte {
	for _, store := range slices.Sorted(maps.Keys(p.Changelogs)) {
		b = binary.AppendUvarint(b, uint64(len(store)))
		b = append(b, store...)
		b = binary.AppendVarint(b, p.Changelogs[store])
	}
	return b
}

func parsePosition(b []byte) (statestore.Position, error) {
	p := statestore.Position{Changelogs: map[string]int64{}}
	for len(b) > 0 {
		length, n := binary.Uvarint(b)
		if n <= 0 || length > uint64(len(b)-n) {
			return statestore.Position{}, errPosition
		}
		name, rest := string(b[n:n+int(length)]), b[n+int(length):]
		offset, n := binary.Varint(rest)
		if n <= 0 {
			return statestore.Position{}, errPosition
		}
		p.Changelogs[name], b = offset, rest[n:]
	}
	return p, nil
}
