package statestore_test

import (
	"fmt"
	"time"

	"github.com/eosproc/eosproc/codec"
	"github.com/eosproc/eosproc/statestore"
)

// task returns a task's state with stores declared, as the runtime makes it.
func task(specs ...statestore.Spec) *statestore.State {
	s := statestore.NewState(statestore.NewMemory())
	for _, spec := range specs {
		if err := s.Declare(spec); err != nil {
			panic(err)
		}
	}
	return s
}

func ExampleState() {
	counts := statestore.NewKV("counts", codec.String, codec.Int64)
	state := task(counts)
	handle := counts.Open(state)

	state.Mark() // a record begins
	_ = handle.Put("alice", 1)
	state.Mark()
	_ = handle.Put("alice", 2)
	state.Rollback() // the second record failed

	_ = state.Seal(func(r statestore.ChangelogRecord) error {
		fmt.Printf("changelog of %s: %s\n", r.Store, r.Key)
		return nil
	})
	_ = handle.Put("alice", 3) // the next transaction
	_ = state.Commit(map[string]int64{"counts": 1})
	state.Abort()
	fmt.Println(handle.Get("alice"))
	// Output:
	// changelog of counts: alice
	// 1 true <nil>
}

func ExampleNewKV() {
	stock := statestore.NewKV("stock", codec.String, codec.Int64)
	handle := stock.Open(task(stock))
	_ = handle.Put("apple", 3)
	_ = handle.Put("pear", 5)
	_ = handle.Delete("pear")
	fmt.Println(handle.Get("apple"))
	fmt.Println(handle.Get("pear"))
	// Output:
	// 3 true <nil>
	// 0 false <nil>
}

func ExampleTTL() {
	seen := statestore.NewKV("seen", codec.String, codec.Bool, statestore.TTL(time.Minute))
	state := task(seen)
	handle := seen.Open(state)
	for _, ms := range []int64{0, 30_000, 60_000} {
		state.SetTime(ms)
		_, duplicate, _ := handle.PutIfAbsent("order-1", true)
		fmt.Println(duplicate)
	}
	// Output:
	// false
	// true
	// false
}

func ExampleRangeScan() {
	stock := statestore.NewKV("stock", codec.String, codec.Int64)
	handle := stock.Open(task(stock))
	for i, k := range []string{"apple", "fig", "pear", "plum"} {
		_ = handle.Put(k, int64(i))
	}
	from, to := "b", "pear"
	for e, err := range statestore.RangeScan(handle, &from, &to) {
		fmt.Println(e.Key, e.Value, err)
	}
	for e := range statestore.Prefix(handle, []byte("pl")) {
		fmt.Println(e.Key)
	}
	// Output:
	// fig 1 <nil>
	// pear 2 <nil>
	// plum
}

func ExampleNewTimestampedKV() {
	table := statestore.NewTimestampedKV("customers", codec.String, codec.String)
	handle := table.Open(task(table))
	_ = handle.Put("1", "Alice", 1000)
	fmt.Println(handle.Get("1"))
	// Output: Alice 1000 true <nil>
}

func ExampleNewWindow() {
	perMinute := statestore.NewWindow("clicks", codec.String, codec.Int64,
		statestore.WindowConfig{Size: time.Minute, Retention: 10 * time.Minute})
	handle := perMinute.Open(task(perMinute))
	for _, start := range []int64{0, 60_000, 600_000, 0} {
		kept, _ := handle.Put("alice", start, 1, start+5)
		fmt.Println(start, kept)
	}
	for e := range statestore.Fetch(handle, "alice", 0, 600_000) {
		fmt.Println(e)
	}
	// Output:
	// 0 true
	// 60000 true
	// 600000 true
	// 0 false
	// {alice 60000 1 60005}
	// {alice 600000 1 600005}
}

func ExampleNewSession() {
	visits := statestore.NewSession("visits", codec.String, codec.Int64, statestore.SessionConfig{Retention: time.Hour})
	handle := visits.Open(task(visits))
	_, _ = handle.Put("alice", 1000, 2000, 2)
	_, _ = handle.Put("alice", 9000, 9500, 1)
	// Which sessions does a record at 2500 meet, with a gap of one second?
	for e := range statestore.Find(handle, "alice", 2500-1000, 2500+1000) {
		fmt.Println(e)
	}
	// Output: {alice 1000 2000 2}
}

func ExampleNewVersioned() {
	prices := statestore.NewVersioned("prices", codec.String, codec.Int64, statestore.VersionedConfig{HistoryRetention: time.Hour})
	handle := prices.Open(task(prices))
	fmt.Println(handle.Put("apple", 100, 1000))
	fmt.Println(handle.Put("apple", 120, 3000))
	fmt.Println(handle.Put("apple", 110, 2000)) // out of order: valid until 3000
	fmt.Println(handle.GetAsOf("apple", 2500))
	// Output:
	// -1 true <nil>
	// -1 true <nil>
	// 3000 true <nil>
	// 110 2000 true <nil>
}
