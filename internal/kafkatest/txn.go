package kafkatest

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kadm"
)

// OpenTransactions returns the transactions whose transactional id begins with
// prefix and that are not over: ongoing, or with markers still to be written.
func OpenTransactions(t testing.TB, bootstrap, prefix string) []kadm.ListedTransaction {
	t.Helper()
	var open []kadm.ListedTransaction
	withAdmin(t, bootstrap, func(ctx context.Context, adm *kadm.Client) {
		all, err := adm.ListTransactions(ctx, nil, nil)
		if err != nil {
			t.Fatalf("list transactions: %v", err)
		}
		// Filtered here, because the request's own filter answers with an error
		// for state names that an older broker does not know.
		states := []string{"Ongoing", "PrepareCommit", "PrepareAbort", "PrepareEpochFence"}
		for _, l := range all.Sorted() {
			if strings.HasPrefix(l.TxnID, prefix) && slices.Contains(states, l.State) {
				open = append(open, l)
			}
		}
	})
	return open
}
