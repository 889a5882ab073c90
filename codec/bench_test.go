package codec

import (
	"testing"
	"time"
)

func benchmark[T any](b *testing.B, c Codec[T], v T) {
	wire, err := c.Append(nil, v)
	if err != nil {
		b.Fatal(err)
	}
	b.Run("append", func(b *testing.B) {
		b.ReportAllocs()
		buf := make([]byte, 0, len(wire))
		for b.Loop() {
			if _, err := c.Append(buf[:0], v); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("decode", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := c.Decode(wire); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkString(b *testing.B) { benchmark(b, String, "customer-0123456789") }
func BenchmarkBytes(b *testing.B)  { benchmark(b, Bytes, []byte("customer-0123456789")) }
func BenchmarkInt64(b *testing.B)  { benchmark(b, Int64, 1<<53+1) }

func BenchmarkTimeWindowed(b *testing.B) {
	benchmark(b, TimeWindowed(String, time.Minute), Windowed[string]{Key: "customer", Start: 60_000, End: 120_000})
}

func BenchmarkJSONStruct(b *testing.B) {
	type closed struct {
		ID   int64  `json:"id"`
		Name string `json:"name"`
		Qty  []int  `json:"qty"`
	}
	benchmark(b, JSON[closed](), closed{ID: 1 << 60, Name: "widget", Qty: []int{1, 2, 3}})
}

func BenchmarkJSONAny(b *testing.B) {
	benchmark(b, JSON[map[string]any](), map[string]any{"id": int64(1 << 60), "name": "widget", "qty": []any{int64(1), int64(2), 2.5}})
}
