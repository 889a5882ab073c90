package registry_test

import (
	"context"
	"fmt"

	"github.com/twmb/avro"
	"github.com/twmb/franz-go/pkg/sr"
	"github.com/twmb/franz-go/pkg/sr/srfake"

	"github.com/eosproc/eosproc/codec/registry"
)

func ExampleAvro() {
	fake := srfake.New() // in a program: the address of the schema registry
	defer fake.Close()
	client, err := sr.NewClient(sr.URLs(fake.URL()))
	if err != nil {
		fmt.Println(err)
		return
	}

	type Order struct {
		ID    int64 `avro:"id"`
		Cents int64 `avro:"cents"`
	}
	schema := avro.MustSchemaFor[Order]().String()
	orders, err := registry.Avro[Order](context.Background(), client, "orders-value", registry.Schema(schema), registry.Register())
	if err != nil {
		fmt.Println(err)
		return
	}
	b, err := orders.Append(nil, Order{ID: 7, Cents: 250})
	fmt.Printf("%x %v\n", b, err)
	order, err := orders.Decode(b)
	fmt.Println(order, err)

	_, err = orders.Decode([]byte(`{"ID":7}`))
	fmt.Println(err)
	// Output:
	// 00000000010ef403 <nil>
	// {7 250} <nil>
	// decode avro: malformed record: record is not in the schema registry's wire format: it looks like plain JSON
}
