package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/sr/srfake"
)

// patience is how long a script waits for what it started.
const patience = time.Minute

// TestScripts runs testdata/script: the command line as a user meets it. Beside
// testscript's own commands there are
//
//	broker [FLAG…]          starts "eosproc broker" on a free port, sets $BROKER
//	produce TOPIC FROM N    writes records FROM…FROM+N-1: key k<n mod 10>, value {"id":<n>}
//	committed GROUP N       waits until the group's committed offsets add up to at least N
//	registry                starts an empty schema registry, sets $REGISTRY
//	await FILE TEXT         waits until the file contains the text
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		UpdateScripts:       os.Getenv("UPDATE_GOLDEN") != "",
		Setup: func(e *testscript.Env) error {
			e.Setenv("EOSPROC_STATE_DIR", filepath.Join(e.WorkDir, "state"))
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"broker": startBroker, "produce": produce, "committed": committed, "await": await, "registry": startRegistry,
		},
	})
}

func startBroker(ts *testscript.TestScript, neg bool, args []string) {
	if neg {
		ts.Fatalf("broker cannot be negated")
	}
	file := ts.MkAbs("broker.txt")
	ctx, cancel := context.WithCancel(context.Background())
	root := newRoot()
	var said strings.Builder
	root.SetOut(&said)
	root.SetErr(&said)
	root.SetArgs(append([]string{"broker", "--port", "0", "--address-file", file}, args...))
	ended := make(chan error, 1)
	go func() { ended <- root.ExecuteContext(ctx) }()
	ts.Defer(func() {
		cancel()
		ts.Check(<-ended)
	})
	ts.Setenv("BROKER", strings.TrimSpace(poll(ts, "the broker's address", func() (string, bool) {
		b, err := os.ReadFile(file)
		return string(b), err == nil
	})))
}

func startRegistry(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) > 0 {
		ts.Fatalf("usage: registry")
	}
	r := srfake.New()
	ts.Defer(r.Close)
	ts.Setenv("REGISTRY", r.URL())
}

// poll asks until the answer is good.
func poll(ts *testscript.TestScript, what string, ask func() (string, bool)) string {
	deadline := time.After(patience)
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		text, ok := ask()
		if ok {
			return text
		}
		select {
		case <-deadline:
			ts.Fatalf("waited %s for %s; last seen: %s", patience, what, text)
		case <-tick.C:
		}
	}
}

func number(ts *testscript.TestScript, text string) int {
	n, err := strconv.Atoi(text)
	ts.Check(err)
	return n
}

func produce(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: produce TOPIC FROM N")
	}
	from, n := number(ts, args[1]), number(ts, args[2])
	client, err := kgo.NewClient(kgo.SeedBrokers(ts.Getenv("BROKER")))
	ts.Check(err)
	defer client.Close()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	var records []*kgo.Record
	for i := from; i < from+n; i++ {
		records = append(records, &kgo.Record{Topic: args[0], Key: fmt.Appendf(nil, "k%d", i%10), Value: fmt.Appendf(nil, `{"id":%d}`, i)})
	}
	ts.Check(client.ProduceSync(ctx, records...).FirstErr())
}

func committed(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: committed GROUP N")
	}
	want := int64(number(ts, args[1]))
	client, err := kgo.NewClient(kgo.SeedBrokers(ts.Getenv("BROKER")))
	ts.Check(err)
	defer client.Close()
	admin := kadm.NewClient(client)
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	poll(ts, fmt.Sprintf("offsets of %s to reach %d", args[0], want), func() (string, bool) {
		offsets, err := admin.FetchOffsets(ctx, args[0])
		if err != nil {
			return err.Error(), false
		}
		sum := int64(0)
		offsets.Each(func(o kadm.OffsetResponse) { sum += max(o.At, 0) })
		return strconv.FormatInt(sum, 10), sum >= want
	})
}

func await(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: await FILE TEXT")
	}
	poll(ts, fmt.Sprintf("%q in %s", args[1], args[0]), func() (string, bool) {
		b, err := os.ReadFile(ts.MkAbs(args[0]))
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			ts.Check(err)
		}
		return string(b), strings.Contains(string(b), args[1])
	})
}
