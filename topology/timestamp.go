package topology

// TimestampExtractor tells a record's timestamp in milliseconds. partitionTime
// is the largest timestamp so far of the record's partition, -1 if none. take
// is false when the record is to be skipped (and counted as dropped).
type TimestampExtractor[K, V any] func(r Record[K, V], partitionTime int64) (ms int64, take bool, err error)

// Timestamps sets how a source tells timestamps. Without it a source takes the
// timestamps of the records and fails on an invalid one, as
// FailOnInvalidTimestamp of Kafka Streams does.
func Timestamps[K, V any](extract TimestampExtractor[K, V]) Option {
	return func(o *options) { o.timestamps = extract }
}

// FailOnInvalidTimestamp takes the record's timestamp; a negative one is a failure.
func FailOnInvalidTimestamp[K, V any](r Record[K, V], _ int64) (int64, bool, error) {
	if r.Timestamp < 0 {
		return 0, false, ErrInvalidTimestamp
	}
	return r.Timestamp, true, nil
}

// SkipInvalidTimestamp takes the record's timestamp and skips records with a
// negative one (LogAndSkipOnInvalidTimestamp of Kafka Streams).
func SkipInvalidTimestamp[K, V any](r Record[K, V], _ int64) (int64, bool, error) {
	return r.Timestamp, r.Timestamp >= 0, nil
}

// PartitionTimeOnInvalidTimestamp puts the partition's time in place of a
// negative timestamp (UsePartitionTimeOnInvalidTimestamp of Kafka Streams); without one it fails.
func PartitionTimeOnInvalidTimestamp[K, V any](r Record[K, V], partitionTime int64) (int64, bool, error) {
	switch {
	case r.Timestamp >= 0:
		return r.Timestamp, true, nil
	case partitionTime >= 0:
		return partitionTime, true, nil
	default:
		return 0, false, ErrInvalidTimestamp
	}
}

// WallclockTimestamp returns an extractor that takes the time from now, which
// gives milliseconds. Results then differ when records are processed again.
func WallclockTimestamp[K, V any](now func() int64) TimestampExtractor[K, V] {
	return func(Record[K, V], int64) (int64, bool, error) { return now(), true, nil }
}
