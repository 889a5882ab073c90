package deploy

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// compose is the part of docker-compose.yml that other files depend on.
type compose struct {
	Services map[string]struct {
		Image       string            `yaml:"image"`
		Build       map[string]string `yaml:"build"`
		Ports       []string          `yaml:"ports"`
		Volumes     []string          `yaml:"volumes"`
		Environment map[string]string `yaml:"environment"`
		Command     []string          `yaml:"command"`
		DependsOn   any               `yaml:"depends_on"`
	} `yaml:"services"`
	Volumes map[string]any `yaml:"volumes"`
}

func read(t *testing.T, path string, into any) {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NoError(t, yaml.Unmarshal(text, into), path)
}

func readCompose(t *testing.T) compose {
	t.Helper()
	var c compose
	read(t, "../docker-compose.yml", &c)
	return c
}

func TestComposeServices(t *testing.T) {
	c := readCompose(t)
	for _, name := range []string{"kafka", "topics", "eosproc", "prometheus", "grafana"} {
		assert.Contains(t, c.Services, name)
	}
	for name, s := range c.Services {
		if s.Build != nil {
			assert.FileExists(t, filepath.Join("..", s.Build["context"], s.Build["dockerfile"]), name)
		} else {
			assert.Regexp(t, `^[a-z/]+:v?\d+\.\d+\.\d+$`, s.Image, "%s: an image needs a fixed version", name)
		}
		for _, p := range s.Ports {
			assert.True(t, strings.HasPrefix(p, "127.0.0.1:"), "%s: port %s is open to the network", name, p)
		}
		switch on := s.DependsOn.(type) {
		case map[string]any:
			for other := range on {
				assert.Contains(t, c.Services, other, name)
			}
		case []any:
			for _, other := range on {
				assert.Contains(t, c.Services, other, name)
			}
		}
	}
	assert.Equal(t, c.Services["kafka"].Image, c.Services["topics"].Image)
}

var withDefault = regexp.MustCompile(`\$\{[A-Z_]+:-([^}]+)\}`)

func TestComposeVolumesExist(t *testing.T) {
	c := readCompose(t)
	for name, s := range c.Services {
		for _, v := range s.Volumes {
			source, _, ok := strings.Cut(withDefault.ReplaceAllString(v, "$1"), ":")
			require.True(t, ok, "%s: %s", name, v)
			if !strings.HasPrefix(source, "./") {
				assert.Contains(t, c.Volumes, source, name)
				continue
			}
			_, err := os.Stat(filepath.Join("..", source))
			assert.NoError(t, err, name)
		}
	}
}

func TestPipelineUsesTheTopicsThatAreCreated(t *testing.T) {
	text, err := os.ReadFile("pipeline.yaml")
	require.NoError(t, err)
	topics := regexp.MustCompile(`topic: (\w+)`).FindAllStringSubmatch(string(text), -1)
	require.Len(t, topics, 2)
	script := strings.Join(readCompose(t).Services["topics"].Command, " ")
	for _, m := range topics {
		assert.Regexp(t, `for topic in .*\b`+m[1]+`\b.*; do`, script)
	}
}

func TestPrometheusScrapesWhereEosprocListens(t *testing.T) {
	var p struct {
		ScrapeConfigs []struct {
			JobName string `yaml:"job_name"`
			DNS     []struct {
				Names []string `yaml:"names"`
				Type  string   `yaml:"type"`
				Port  int      `yaml:"port"`
			} `yaml:"dns_sd_configs"`
		} `yaml:"scrape_configs"`
	}
	read(t, "prometheus.yml", &p)
	require.Len(t, p.ScrapeConfigs, 1)
	require.Len(t, p.ScrapeConfigs[0].DNS, 1)
	dns := p.ScrapeConfigs[0].DNS[0]
	c := readCompose(t)
	assert.Equal(t, []string{"eosproc"}, dns.Names)
	assert.Contains(t, c.Services, dns.Names[0])
	assert.Equal(t, 9090, dns.Port)
	assert.Equal(t, ":9090", c.Services["eosproc"].Environment["EOSPROC_HTTP_ADDRESS"])
}

func TestImageIsStaticAndUnprivileged(t *testing.T) {
	text, err := os.ReadFile("Dockerfile")
	require.NoError(t, err)
	assert.Contains(t, string(text), "CGO_ENABLED=0")
	assert.Contains(t, string(text), "\nUSER nonroot:nonroot\n")
}
