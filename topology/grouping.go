package topology

// Grouped is a stream whose equal keys are together in one task, ready to be
// aggregated by key. It is a handle, like [Stream].
type Grouped[K, V any] struct{ s Stream[K, V] }

// GroupByKey groups a stream by the keys it has. They must decide the records'
// partitions already: after an operator that changes keys, use [GroupBy] or [Stream.Repartition].
func GroupByKey[K, V any](s Stream[K, V]) Grouped[K, V] { return Grouped[K, V]{s} }

// GroupBy groups a stream by a new key, through an internal topic; see
// [Stream.Repartition] for its name and the options. Records whose new key is null are dropped.
func GroupBy[K, V, K2 any](s Stream[K, V], key func(K, V) K2, through Topic[K2, V], opts ...Option) Grouped[K2, V] {
	return Grouped[K2, V]{SelectKey(s, key).Repartition(through, opts...)}
}
