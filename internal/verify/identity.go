package verify

import (
	"encoding/binary"
	"errors"

	"github.com/cespare/xxhash/v2"
	"github.com/tidwall/gjson"
	"github.com/twmb/franz-go/pkg/kgo"
)

// secondSeed makes the upper half of an identity independent of the lower.
const secondSeed = 0x9e3779b97f4a7c15

// errNoIdentity marks a record that lacks the header, field or key it should be
// recognised by.
var errNoIdentity = errors.New("no identity")

// hasher makes rows of records. Each reader has its own.
type hasher struct {
	side     Side
	identity Identity
	identify Identify
	content  bool // rows carry a content hash
	scratch  []byte
	digest   *xxhash.Digest
}

func newHasher(c *Config, side Side) *hasher {
	return &hasher{
		side: side, identity: c.Identity, identify: c.Identify,
		content: c.Mode == ModeCopy && (c.Identity != Identity{} || c.Identify != nil),
		digest:  xxhash.New(),
	}
}

// row returns the row of record, with the flags that depend on its content.
func (h *hasher) row(record *kgo.Record) row {
	var r row
	if h.side == Output && record.Key != nil {
		// 0 stands for no key.
		r.key = max(xxhash.Sum64(record.Key), 1)
	}
	if h.content {
		h.whole(record)
		r.content = xxhash.Sum64(h.scratch)
		r.flags |= contentful
	}
	keep, err := h.id(record)
	switch {
	case err != nil:
		r.flags |= unknown
	case !keep:
		r.flags |= filtered
	default:
		h.digest.ResetWithSeed(secondSeed)
		_, _ = h.digest.Write(h.scratch) // Digest.Write never fails
		r.id = [2]uint64{xxhash.Sum64(h.scratch), h.digest.Sum64()}
	}
	return r
}

// id leaves the bytes of the identity in scratch.
func (h *hasher) id(record *kgo.Record) (keep bool, err error) {
	switch {
	case h.identify != nil:
		id, keep, err := h.identify(h.side, record)
		h.scratch = append(h.scratch[:0], id...)
		return keep, err
	case h.identity.Header != "":
		for i := len(record.Headers) - 1; i >= 0; i-- {
			if record.Headers[i].Key == h.identity.Header {
				h.scratch = append(h.scratch[:0], record.Headers[i].Value...)
				return true, nil
			}
		}
		return false, errNoIdentity
	case h.identity.JSONPath != "":
		field := gjson.GetBytes(record.Value, h.identity.JSONPath)
		if !field.Exists() || field.Type == gjson.Null {
			return false, errNoIdentity
		}
		// The type is part of the identity: "1" and 1 differ. Numbers count as they
		// are written, since a float cannot tell large integers apart.
		h.scratch = append(h.scratch[:0], byte(field.Type))
		if field.Type == gjson.String {
			h.scratch = append(h.scratch, field.Str...)
		} else {
			h.scratch = append(h.scratch, field.Raw...)
		}
		return true, nil
	case h.identity.Key:
		if record.Key == nil {
			return false, errNoIdentity
		}
		h.scratch = append(h.scratch[:0], record.Key...)
		return true, nil
	default:
		h.whole(record)
		return true, nil
	}
}

// whole leaves key and value in scratch so that no two records look the same:
// null differs from empty, and the border between the two is fixed.
func (h *hasher) whole(record *kgo.Record) {
	keySize := int64(len(record.Key))
	if record.Key == nil {
		keySize = -1
	}
	h.scratch = binary.LittleEndian.AppendUint64(h.scratch[:0], uint64(keySize))
	if record.Value == nil {
		h.scratch = append(h.scratch, 0)
	} else {
		h.scratch = append(h.scratch, 1)
	}
	h.scratch = append(h.scratch, record.Key...)
	h.scratch = append(h.scratch, record.Value...)
}
