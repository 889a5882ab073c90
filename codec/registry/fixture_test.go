package registry

import (
	"net/http"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/sr"
	"github.com/twmb/franz-go/pkg/sr/srfake"
)

// fixture is an in-memory registry that can be switched off and counts fetches
// of schemas by id.
type fixture struct {
	*srfake.Registry
	client  *sr.Client
	down    atomic.Bool
	fetches atomic.Int64
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	f := &fixture{Registry: srfake.New()}
	t.Cleanup(f.Close)
	f.Intercept(func(w http.ResponseWriter, r *http.Request) bool {
		if len(r.URL.Path) > 12 && r.URL.Path[:13] == "/schemas/ids/" {
			f.fetches.Add(1)
		}
		if f.down.Load() {
			http.Error(w, "down for maintenance", http.StatusServiceUnavailable)
			return true
		}
		return false
	})
	client, err := sr.NewClient(sr.URLs(f.URL()))
	require.NoError(t, err)
	f.client = client
	return f
}

func (f *fixture) seed(t *testing.T, subject string, kind sr.SchemaType, text string, refs ...sr.SchemaReference) int {
	t.Helper()
	id, _, err := f.RegisterSchema(subject, sr.Schema{Schema: text, Type: kind, References: refs})
	require.NoError(t, err)
	return id
}
