package topology

import "github.com/eosproc/eosproc/codec"

// Topic names a topic and says how its keys and values look on the wire. It is
// declared once and used by sources, sinks and tests alike.
type Topic[K, V any] struct {
	Name  string
	Key   codec.Codec[K]
	Value codec.Codec[V]
}

// NewTopic declares a topic.
func NewTopic[K, V any](name string, key codec.Codec[K], value codec.Codec[V]) Topic[K, V] {
	return Topic[K, V]{name, key, value}
}
