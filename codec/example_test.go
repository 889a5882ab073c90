package codec_test

import (
	"fmt"
	"time"

	"github.com/eosproc/eosproc/codec"
)

func ExampleCodec_string() {
	b, err := codec.String.Append([]byte("key="), "alice")
	fmt.Printf("%s %v\n", b, err)
	// Output: key=alice <nil>
}

func ExampleJSON() {
	type Order struct {
		ID    int64 `json:"id"`
		Cents int   `json:"cents"`
	}
	orders := codec.JSON[Order]()
	b, err := orders.Append(nil, Order{ID: 9007199254740993, Cents: 250})
	fmt.Printf("%s %v\n", b, err)

	// Where the type is open, whole numbers are int64 and keep all their digits.
	v, err := codec.JSON[map[string]any]().Decode(b)
	fmt.Printf("%v %T %v\n", v["id"], v["id"], err)

	_, err = orders.Decode([]byte(`{"id":"secret"}`))
	fmt.Println(err)
	// Output:
	// {"id":9007199254740993,"cents":250} <nil>
	// 9007199254740993 int64 <nil>
	// decode json at offset 14 (field id): want a value for Go type int64, found string
}

func ExampleTimeWindowed() {
	perMinute := codec.TimeWindowed(codec.String, time.Minute)
	b, err := perMinute.Append(nil, codec.Windowed[string]{Key: "alice", Start: 60_000, End: 120_000})
	fmt.Printf("%x %v\n", b, err)
	w, err := perMinute.Decode(b)
	fmt.Println(w, err)
	// Output:
	// 616c696365000000000000ea60 <nil>
	// {alice 60000 120000} <nil>
}

func ExampleSessionWindowed() {
	sessions := codec.SessionWindowed(codec.String)
	b, err := sessions.Append(nil, codec.Windowed[string]{Key: "alice", Start: 1000, End: 2500})
	fmt.Printf("%x %v\n", b, err)
	// Output: 616c69636500000000000009c400000000000003e8 <nil>
}
