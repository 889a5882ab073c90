package pipeline_test

import (
	"context"
	"fmt"

	"github.com/eosproc/eosproc/internal/pipeline"
)

func ExampleParse() {
	f := pipeline.Parse("payments.yaml", []byte(`
config: {application.id: payments, bootstrap.servers: localhost:9092}
topology:
  - from: {topic: orders, schema: {status: string, amount: int}}
  - filter: value.satus == "PLACED"
  - to: payments
`), pipeline.Options{})
	text, err := f.Lint().Format("text")
	fmt.Print(text, err)
	// Output:
	// payments.yaml:5:19: no field "satus"; did you mean "status"?
	//    5 |   - filter: value.satus == "PLACED"
	//      |                   ^^^^^
	// <nil>
}

func ExampleFile_RunTests() {
	f := pipeline.Parse("double.yaml", []byte(`
topology: [{from: numbers}, {map: value * 2}, {to: doubled}]
tests:
  - {name: doubles, in: [{value: 21}], out: [{value: 42}]}
  - {name: triples, in: [{value: 1}], out: [{value: 3}]}
`), pipeline.Options{})
	results, err := f.RunTests(context.Background())
	for _, r := range results {
		fmt.Println(r.Name, r.Passed(), r.Failures)
	}
	fmt.Println(err)
	// Output:
	// doubles true []
	// triples false [doubled, record 1 differs (line 5): key null, value 2, timestamp 0   value: want 3, got 2]
	// <nil>
}

func ExampleEval() {
	fmt.Println(pipeline.Eval(`this.amount > 2`, []byte(`{"status":"PLACED","amount":3}`)))
	// Output: true <nil>
}
