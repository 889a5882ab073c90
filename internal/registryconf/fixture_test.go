package registryconf_test

import (
	"net/http"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/sr"
	"github.com/twmb/franz-go/pkg/sr/srfake"

	"github.com/eosproc/eosproc/internal/settings"
)

const (
	orderSchema   = `{"type":"record","name":"Order","fields":[{"name":"id","type":"long"},{"name":"status","type":"string"},{"name":"amount","type":"int"},{"name":"customer","type":"string"}]}`
	paymentSchema = `{"type":"record","name":"Payment","fields":[{"name":"order","type":"long"},{"name":"cents","type":"long"}]}`
)

// fixture is a registry that can be switched off and counts what it refuses then.
type fixture struct {
	*srfake.Registry
	down    atomic.Bool
	refused atomic.Int64
}

func newFixture(t *testing.T, opts ...srfake.Option) *fixture {
	t.Helper()
	f := &fixture{Registry: srfake.New(opts...)}
	t.Cleanup(f.Close)
	f.Intercept(func(w http.ResponseWriter, _ *http.Request) bool {
		if f.down.Load() {
			http.Error(w, "down for maintenance", http.StatusServiceUnavailable)
			f.refused.Add(1)
		}
		return f.down.Load()
	})
	return f
}

func (f *fixture) seed(t *testing.T, subject, text string) int {
	t.Helper()
	id, _, err := f.RegisterSchema(subject, sr.Schema{Schema: text})
	require.NoError(t, err)
	return id
}

func (f *fixture) client(t *testing.T) *sr.Client {
	t.Helper()
	client, err := sr.NewClient(sr.URLs(f.URL()))
	require.NoError(t, err)
	return client
}

// parse reads the settings of a registry as a user gives them.
func parse(t *testing.T, props map[string]string) settings.Registry {
	t.Helper()
	s, problems := settings.Parse(props)
	for _, p := range problems {
		require.Contains(t, []string{"application.id", "bootstrap.servers", "state.dir"}, p.Key, p.Message)
	}
	return s.Registry
}
