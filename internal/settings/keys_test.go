package settings

import (
	"bufio"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/eosproc/eosproc/internal/kafkaconf"
)

// minimal is the smallest configuration without a problem.
func minimal(more ...string) map[string]string {
	props := map[string]string{
		"application.id":    "orders",
		"bootstrap.servers": "localhost:9092",
		"state.dir":         "/var/lib/orders",
	}
	for i := 0; i < len(more); i += 2 {
		props[more[i]] = more[i+1]
	}
	return props
}

func fields(t *testing.T, file string) [][]string {
	t.Helper()
	f, err := os.Open(file)
	require.NoError(t, err)
	defer f.Close()
	var rows [][]string
	for lines := bufio.NewScanner(f); lines.Scan(); {
		row := strings.Split(lines.Text(), "|")
		for i := range row {
			row[i] = strings.TrimSpace(row[i])
		}
		rows = append(rows, row)
	}
	require.NotEmpty(t, rows)
	return rows
}

// differs are our defaults that are not Kafka Streams'.
var differs = map[string]string{
	"processing.guarantee":                      "exactly_once_v2",
	"commit.interval.ms":                        "",
	"state.dir":                                 "",
	"deserialization.exception.handler":         "fail",
	"processing.exception.handler":              "fail",
	"production.exception.handler":              "fail",
	"enable.transactional.statestores":          "true",
	"ensure.explicit.internal.resource.naming":  "true",
	"default.interactive.query.isolation.level": "read_committed",
}

func TestEveryStreamsKeyHasAnAnswer(t *testing.T) {
	docs := make(map[string]KeyDoc)
	for _, doc := range Keys() {
		docs[doc.Name] = doc
	}
	for _, row := range fields(t, "testdata/streams-config-4.4.0.txt") {
		name, byDefault := row[0], row[2]
		t.Run(name, func(t *testing.T) {
			require.Contains(t, docs, name)
			doc := docs[name]
			require.NotEmpty(t, doc.Doc)
			if doc.Support == Supported {
				require.Empty(t, doc.Why)
				if want, ours := differs[name]; ours {
					require.Equal(t, want, doc.Default)
				} else if !doc.Required && !strings.HasPrefix(doc.Doc, "Older name") && !index[name].client && byDefault != "null" {
					require.Equal(t, byDefault, doc.Default, "the default differs from Kafka Streams'")
				}
				return
			}
			require.NotEmpty(t, doc.Why)
			// A value that no one has as a default must be answered.
			_, problems := Parse(minimal(name, "surely.not.Default"))
			require.Len(t, problems, 1)
			require.Equal(t, name, problems[0].Key)
			require.Contains(t, problems[0].Message, doc.Why)
			require.Equal(t, doc.Support == Refused, problems.Err() != nil)
			// The default itself asks for nothing special.
			if byDefault != "null" && byDefault != "" && byDefault != "[]" && name != "topology.description.push.enabled" &&
				name != "metric.reporters" {
				_, problems = Parse(minimal(name, byDefault))
				require.Empty(t, problems)
			}
		})
	}
}

func TestEveryClientKeyHasAnAnswer(t *testing.T) {
	for _, row := range fields(t, "testdata/client-config-4.4.0.txt") {
		client, name := row[0], row[1]
		t.Run(client+"."+name, func(t *testing.T) {
			found, known := index[name]
			require.True(t, known)
			require.Contains(t, found.scope.prefixes(), client+".")
		})
	}
}

func TestConnectionKeysAreKafkaconfs(t *testing.T) {
	for _, name := range kafkaconf.KnownKeys() {
		row, known := index[name]
		require.True(t, known, name)
		require.True(t, row.client || row.ignored != "" || row.refused != "" || row.value.set != nil, name)
	}
	for _, row := range table {
		if row.client && row.refused == "" {
			require.Contains(t, kafkaconf.KnownKeys(), row.name)
		}
	}
}

func TestTableIsSound(t *testing.T) {
	seen := make(map[string]bool)
	for _, row := range table {
		require.False(t, seen[row.name], "%s stands twice", row.name)
		seen[row.name] = true
		kinds := 0
		for _, is := range []bool{row.value.set != nil, row.client, row.alias != "", row.ignored != "", row.refused != "" && !row.client} {
			if is {
				kinds++
			}
		}
		require.Equal(t, 1, kinds, "%s is not exactly one kind of row", row.name)
		require.Equal(t, strings.ToLower(row.name), row.name)
		require.False(t, strings.HasSuffix(row.ignored+row.refused, "."), "%s: Keys adds the full stop", row.name)
		if row.alias != "" {
			require.Contains(t, index, row.alias)
		}
		if row.byDefault != "" && row.value.set != nil {
			var s Settings
			assert.Nil(t, row.value.set(&s, row.byDefault), "default of %s", row.name)
		}
	}
	for _, doc := range Keys() {
		require.True(t, strings.HasSuffix(doc.Doc, "."), doc.Name)
		require.LessOrEqual(t, doc.Low, doc.High, doc.Name)
	}
}
