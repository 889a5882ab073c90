package main

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	_ "net/http/pprof"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/eosproc/eosproc/codec"
	"github.com/eosproc/eosproc/internal/settings"
	"github.com/eosproc/eosproc/internal/worker"
	"github.com/eosproc/eosproc/topology"
	"github.com/twmb/franz-go/pkg/kgo"
)

func main() {
	go http.ListenAndServe("127.0.0.1:6066", nil)
	props := map[string]string{}
	for _, a := range os.Args[3:] {
		k, v, _ := strings.Cut(a, "=")
		props[k] = v
	}
	b := topology.NewBuilder()
	topology.From(b, topology.NewTopic(os.Args[1], codec.Bytes, codec.Bytes)).To(topology.NewTopic(os.Args[2], codec.Bytes, codec.Bytes))
	topo, err := b.Build()
	if err != nil {
		panic(err)
	}
	s, problems := settings.Parse(props)
	if problems.Err() != nil {
		panic(problems.Err())
	}
	w := worker.New(worker.Config{Index: 1, InstanceID: "i1", Settings: s, Topology: topo, Client: []kgo.Opt{kgo.SeedBrokers(s.Client.BootstrapServers...)},
		Log: slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelInfo}))})
	ctx, _ := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	fmt.Fprintln(os.Stderr, w.Run(ctx, context.Background()))
}
