package statestore

import "github.com/eosproc/eosproc/codec"

// Codecs returns how the store's keys and values are written.
func (s KV[K, V]) Codecs() (codec.Codec[K], codec.Codec[V]) { return s.keys, s.values }

// Codecs returns how the store's keys and values are written.
func (s TimestampedKV[K, V]) Codecs() (codec.Codec[K], codec.Codec[V]) { return s.keys, s.values }

// Codecs returns how the store's keys and values are written. The window is not part of the key.
func (s Window[K, V]) Codecs() (codec.Codec[K], codec.Codec[V]) { return s.keys, s.values }

// Codecs returns how the store's keys and values are written. The session is not part of the key.
func (s Session[K, V]) Codecs() (codec.Codec[K], codec.Codec[V]) { return s.keys, s.values }

// Codecs returns how the store's keys and values are written.
func (s Versioned[K, V]) Codecs() (codec.Codec[K], codec.Codec[V]) { return s.keys, s.values }
