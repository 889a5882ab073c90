package pebblestore_test

import (
	"fmt"
	"log"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/eosproc/eosproc/statestore"
	"github.com/eosproc/eosproc/statestore/pebblestore"
)

func Example() {
	db, err := pebblestore.Open("/var/lib/shop", pebblestore.Options{
		Owner: "shop",
		FS:    vfs.NewMem(), // leave it out to use the disk
	})
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()

	task, err := db.Task("0_3")
	if err != nil {
		log.Fatal(err)
	}
	defer task.Close()
	err = task.Apply(&statestore.Changes{
		Writes:   []statestore.Write{{Store: "orders", Key: []byte("anna"), Value: []byte("2")}},
		Position: statestore.Position{Changelogs: map[string]int64{"orders": 17}},
	})
	if err != nil {
		log.Fatal(err)
	}

	value, ok, err := task.Get("orders", []byte("anna"))
	fmt.Println(string(value), ok, err)
	position, err := task.Position()
	fmt.Println(position.Changelogs, err)
	// Output:
	// 2 true <nil>
	// map[orders:17] <nil>
}
