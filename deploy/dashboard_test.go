package deploy

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

type dashboard struct {
	UID    string  `json:"uid"`
	Title  string  `json:"title"`
	Panels []panel `json:"panels"`
}

type panel struct {
	ID          int        `json:"id"`
	Title       string     `json:"title"`
	Description string     `json:"description"`
	Datasource  datasource `json:"datasource"`
	Targets     []struct {
		Expr       string     `json:"expr"`
		Datasource datasource `json:"datasource"`
	} `json:"targets"`
}

type datasource struct {
	UID string `json:"uid"`
}

// metrics are the names that the dashboard is about; a histogram is queried by
// its buckets.
var metrics = []string{
	"eosproc_records_processed_total",
	"eosproc_commit_duration_seconds_bucket",
	"eosproc_txn_total",
	"eosproc_consumer_lag_records",
	"eosproc_fenced_total",
	"eosproc_thread_seconds_total",
}

var (
	labels     = regexp.MustCompile(`\{[^}]*\}|\[[^]]*\]|\b(by|without|on|ignoring)\s*\([^)]*\)`)
	identifier = regexp.MustCompile(`[a-zA-Z_:][a-zA-Z0-9_:]*\s*\(?`)
)

// series returns the metric names of a query: the identifiers that are neither
// labels nor functions.
func series(expr string) []string {
	var out []string
	for _, id := range identifier.FindAllString(labels.ReplaceAllString(expr, " "), -1) {
		if !strings.HasSuffix(id, "(") && strings.TrimSpace(id) != "sum" && strings.TrimSpace(id) != "max" {
			out = append(out, strings.TrimSpace(id))
		}
	}
	return out
}

func TestSeries(t *testing.T) {
	for expr, want := range map[string][]string{
		`sum by (a, b) (rate(eosproc_x_total{c="d"}[$__rate_interval]))`: {"eosproc_x_total"},
		`sum(up) / max without (z) (eosproc_y)`:                          {"up", "eosproc_y"},
	} {
		assert.Equal(t, want, series(expr), expr)
	}
}

func TestDashboard(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("grafana", "dashboards", "eosproc.json"))
	require.NoError(t, err)
	var d dashboard
	require.NoError(t, json.Unmarshal(text, &d))
	require.NotEmpty(t, d.Panels)
	ids, used := make(map[int]bool), make(map[string]bool)
	for _, p := range d.Panels {
		assert.False(t, ids[p.ID], "panel id %d twice", p.ID)
		ids[p.ID] = true
		assert.NotEmpty(t, p.Title)
		assert.NotEmpty(t, p.Description, p.Title)
		assert.Equal(t, "prometheus", p.Datasource.UID, p.Title)
		require.NotEmpty(t, p.Targets, p.Title)
		for _, q := range p.Targets {
			assert.Equal(t, "prometheus", q.Datasource.UID, p.Title)
			names := series(q.Expr)
			require.NotEmpty(t, names, q.Expr)
			for _, name := range names {
				assert.True(t, strings.HasPrefix(name, "eosproc_"), "%s: %s", p.Title, name)
				assert.Contains(t, metrics, name, p.Title)
				used[name] = true
			}
		}
	}
	for _, name := range metrics {
		assert.True(t, used[name], "%s is on no panel", name)
	}
}

func TestProvisioning(t *testing.T) {
	var sources struct {
		Datasources []struct {
			UID string `yaml:"uid"`
			URL string `yaml:"url"`
		} `yaml:"datasources"`
	}
	read(t, "grafana/provisioning/datasources/prometheus.yml", &sources)
	require.Len(t, sources.Datasources, 1)
	assert.Equal(t, "prometheus", sources.Datasources[0].UID)
	assert.Equal(t, "http://prometheus:9090", sources.Datasources[0].URL)

	var providers struct {
		Providers []struct {
			Options struct {
				Path string `yaml:"path"`
			} `yaml:"options"`
		} `yaml:"providers"`
	}
	read(t, "grafana/provisioning/dashboards/eosproc.yml", &providers)
	require.Len(t, providers.Providers, 1)
	var mounted bool
	for _, v := range readCompose(t).Services["grafana"].Volumes {
		mounted = mounted || strings.HasPrefix(v, "./deploy/grafana/dashboards:"+providers.Providers[0].Options.Path+":")
	}
	assert.True(t, mounted, "the dashboards are not mounted where Grafana looks")
}
