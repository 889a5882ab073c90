package fencing_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/eosproc/eosproc/fencing"
	"github.com/twmb/franz-go/pkg/kerr"
)

func ExampleNewTransactionalID() {
	id, err := fencing.NewTransactionalID("payments", "pod-0", 0, 1)
	fmt.Println(id, err)

	_, err = fencing.NewTransactionalID("payments", "pod 0", 0, 1)
	fmt.Println(err)
	// Output:
	// payments-pod-0-0-1 <nil>
	// invalid id: instance id "pod 0" has ' ' at byte 3; allowed are A-Z a-z 0-9 . _ -
}

func ExampleClassify() {
	// The group has given the partitions to somebody else: give up the tasks.
	fmt.Println(fencing.Classify(fencing.TxnOffsetCommit, kerr.IllegalGeneration, 2))

	// The answer to a commit is lost: read the outcome back.
	fmt.Println(fencing.Classify(fencing.EndTxnCommit, os.ErrDeadlineExceeded, 2))

	// The epoch is refused. Was the transaction too slow, or is there a rival?
	d := fencing.Classify(fencing.Produce, kerr.InvalidProducerEpoch, 2)
	fmt.Println(d.WithTransactionAge(8*time.Second, 3*time.Second))
	fmt.Println(d.WithTransactionAge(1*time.Second, 3*time.Second))
	// Output:
	// fenced by generation
	// unknown, reinit
	// fenced by timeout, reinit, prove membership
	// fenced by epoch
}

func ExampleOpenDir() {
	tmp, err := os.MkdirTemp("", "eosproc")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(tmp)
	root := filepath.Join(tmp, "state")

	dir, err := fencing.OpenDir(root, fencing.Identity{ApplicationID: "payments", ClusterID: "prod"})
	if err != nil {
		fmt.Println(err)
		return
	}
	_, err = fencing.OpenDir(root, fencing.Identity{ApplicationID: "payments", ClusterID: "prod"})
	fmt.Println(errors.Is(err, fencing.ErrLocked))
	fmt.Println(dir.Close())

	_, err = fencing.OpenDir(root, fencing.Identity{ApplicationID: "payments", ClusterID: "staging"})
	fmt.Println(errors.Is(err, fencing.ErrForeignDirectory))
	// Output:
	// true
	// <nil>
	// true
}
