package verify_test

import (
	"context"
	"fmt"

	"github.com/eosproc/eosproc/internal/verify"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
)

func ExampleRun() {
	cluster, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(1, "orders", "payments"))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer cluster.Close()
	brokers := []kgo.Opt{kgo.SeedBrokers(cluster.ListenAddrs()...)}
	client, err := kgo.NewClient(brokers...)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer client.Close()
	ctx := context.Background()
	for _, record := range []*kgo.Record{
		{Topic: "orders", Value: []byte("one")}, {Topic: "orders", Value: []byte("two")},
		{Topic: "payments", Value: []byte("one")}, {Topic: "payments", Value: []byte("one")},
	} {
		if err := client.ProduceSync(ctx, record).FirstErr(); err != nil {
			fmt.Println(err)
			return
		}
	}
	report, err := verify.Run(ctx, verify.Config{Client: brokers, Inputs: []string{"orders"}, Outputs: []string{"payments"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(report.Verdict)
	for _, check := range report.Checks {
		for _, violation := range check.First {
			fmt.Println(check.Name, violation)
		}
	}
	// Output:
	// violated
	// no_loss input orders[0]@1: is not in the output
	// no_duplicates output payments[0]@1, input orders[0]@0, other payments[0]@0: is in the output more often than in the input
}
