// Command payments turns placed orders into payments, keyed by customer. It is the
// Go twin of examples/pipelines/payments.yaml.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/eosproc/eosproc"
	"github.com/eosproc/eosproc/codec"
	"github.com/eosproc/eosproc/topology"
)

// Order is what the shop writes.
type Order struct {
	ID       int64  `json:"id"`
	Status   string `json:"status"`
	Amount   int64  `json:"amount"` // cents
	Customer string `json:"customer"`
}

// Payment is what the bank reads.
type Payment struct {
	Order int64 `json:"order"`
	Cents int64 `json:"cents"`
}

var (
	orders   = topology.NewTopic("orders", codec.String, codec.JSON[Order]())
	payments = topology.NewTopic("payments", codec.String, codec.JSON[Payment]())
)

func build() (*topology.Topology, error) {
	b := topology.NewBuilder()
	placed := topology.From(b, orders).Filter(func(_ string, o Order) bool { return o.Status == "PLACED" && o.Amount > 0 })
	topology.Map(placed, func(_ string, o Order) (string, Payment) { return o.Customer, Payment{o.ID, o.Amount} }).To(payments)
	return b.Build()
}

func run(ctx context.Context, brokers []string) error {
	t, err := build()
	if err != nil {
		return err
	}
	app, err := eosproc.New(t, eosproc.Config{ApplicationID: "payments", BootstrapServers: brokers})
	if err != nil {
		return err
	}
	return app.Run(ctx)
}

func main() {
	brokers := "localhost:9092"
	if b := os.Getenv("KAFKA_BROKERS"); b != "" {
		brokers = b
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, strings.Split(brokers, ",")); err != nil {
		fmt.Fprintln(os.Stderr, "payments:", err)
		os.Exit(1)
	}
}
