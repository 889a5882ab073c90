package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/eosproc/eosproc/internal/kafkaconf"
)

// skeletons are the steps that new can write. Every one takes and leaves a value with the
// fields id, customer and amount, so that they go together in any order.
var skeletons = []struct{ name, text string }{
	{"from", `  - from:
      topic: orders
      schema: {id: int, status: string, amount: int, customer: string}
`},
	{"filter", "  - filter: value.amount > 0\n"},
	{"map", "  - map: '{id: value.id, customer: value.customer, amount: value.amount}'\n"},
	{"flat_map", "  - flat_map: '[value]' # one record for each element\n"},
	{"key", "  - key: value.customer\n"},
	{"peek", "  - peek: value.id # prints it\n"},
	{"repartition", "  - repartition: {name: by-key} # equal keys meet in one task\n"},
	{"branch", `  - branch:
      - when: value.amount >= 1000
        steps:
          - to: large
      - else:
          - to: payments
`},
	{"to", "  - to: payments\n"},
}

func newNew() *cobra.Command {
	var names []string
	for _, s := range skeletons {
		names = append(names, s.name)
	}
	const byDefault = "from/filter/map/to"
	return &cobra.Command{
		Use:   "new [STEP/STEP/…]",
		Short: "Print a pipeline to start from",
		Long: `Print a pipeline that lints, with a test that passes. Its steps are given by name, the
first is from, the last is to or branch; without any it is ` + byDefault + `.

Steps: ` + strings.Join(names, ", ") + `.`,
		Example: "  eosproc new from/filter/key/repartition/to > pipeline.yaml",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			steps := byDefault
			if len(args) > 0 {
				steps = args[0]
			}
			text, err := skeleton(strings.Split(steps, "/"), names)
			if err != nil {
				return usage(err)
			}
			_, err = io.WriteString(cmd.OutOrStdout(), text)
			return err
		},
	}
}

func skeleton(steps, names []string) (string, error) {
	var b strings.Builder
	b.WriteString(`config:
  application.id: my-pipeline
  bootstrap.servers: ${KAFKA_BROKERS:localhost:9092}

topology:
`)
	// What becomes of the test's record.
	key, value := "o-1", "{id: 1, status: PLACED, amount: 500, customer: ada}"
	for i, step := range steps {
		n := slices.Index(names, step)
		last := i == len(steps)-1
		switch {
		case n < 0:
			return "", fmt.Errorf("unknown step %q%s; the steps are %s", step, didYouMean(kafkaconf.Suggest(step, names)), strings.Join(names, ", "))
		case (i == 0) != (step == "from"):
			return "", fmt.Errorf("step %d is %q: the first step, and no other, is from", i+1, step)
		case last != (step == "to" || step == "branch"):
			return "", fmt.Errorf("step %d is %q: the last step, and no other, is to or branch", i+1, step)
		case step == "repartition" && slices.Contains(steps[:i], step):
			return "", fmt.Errorf("step %d: one repartition is enough", i+1)
		}
		b.WriteString(skeletons[n].text)
		switch step {
		case "key":
			key = "ada"
		case "map":
			value = "{id: 1, customer: ada, amount: 500}"
		}
	}
	fmt.Fprintf(&b, `
tests:
  - name: an order passes
    in: [{key: o-1, value: {id: 1, status: PLACED, amount: 500, customer: ada}}]
    out: [{topic: payments, key: %s, value: %s}]
`, key, value)
	return b.String(), nil
}
