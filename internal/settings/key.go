package settings

import (
	"slices"
	"strings"

	"github.com/eosproc/eosproc/internal/kafkaconf"
)

// Support says what becomes of a key.
type Support string

// The kinds of support.
const (
	Supported Support = "supported" // used
	Accepted  Support = "accepted"  // taken without an effect, for the reason given
	Refused   Support = "refused"   // an error, for the reason given
)

// KeyDoc describes one key for documentation, JSON schema and completion.
type KeyDoc struct {
	Name string
	Type Type
	// Default is the value in effect without the key, "" for none; DefaultNote says
	// on what it depends.
	Default, DefaultNote string
	// Doc is one sentence.
	Doc string
	// Values are those of a list to choose from; nil if any.
	Values []string
	// Low and High bound a number; both 0 when there is no bound.
	Low, High int64
	// Prefixes may stand before the name: "consumer.", "producer.", …
	Prefixes []string
	Support  Support
	// Why is the reason for not being Supported, in one sentence.
	Why      string
	Required bool
	// Secret marks a value that must never be shown.
	Secret bool
}

// scope says which prefixes a key may carry.
type scope int

const (
	scopePlain    scope = iota // none
	scopeConsumer              // consumer. main.consumer.
	scopeFetch                 // also restore.consumer. global.consumer.
	scopeProducer              // producer.
	scopeAdmin                 // admin.
	scopeClient                // all of them
)

// prefixes in the order in which a later one wins over an earlier one, as in
// Kafka Streams. "" is the plain key.
var prefixes = []string{"", "consumer.", "main.consumer.", "restore.consumer.", "global.consumer.", "producer.", "admin."}

const (
	topicPrefix     = "topic."
	clientTagPrefix = "client.tag."
)

func (s scope) prefixes() []string {
	switch s {
	case scopeConsumer, scopeFetch:
		return prefixes[1:5]
	case scopeProducer:
		return prefixes[5:6]
	case scopeAdmin:
		return prefixes[6:7]
	case scopeClient:
		return prefixes[1:]
	default:
		return nil
	}
}

// key is one row of the table. A row is one of: used here (value.set), handed to
// kafkaconf (client), another name of a key (alias), without an effect (ignored),
// or refused.
type key struct {
	name, byDefault, note, doc string
	scope                      scope
	value                      value
	// restore and global are the setters for those prefixes; nil if the key has no
	// meaning there.
	restore, global func(*Settings, string) *fault
	required        bool
	client, secret  bool
	alias           string
	ignored         string
	refused         string
	// harmless are values of an ignored or refused key that ask for what happens
	// anyway; "*" is any value.
	harmless []string
}

func (k key) isHarmless(text string) bool {
	return slices.ContainsFunc(k.harmless, func(ok string) bool {
		return ok == "*" || strings.EqualFold(ok, text) || className(text) == ok
	})
}

func (k key) docs() KeyDoc {
	d := KeyDoc{
		Name: k.name, Type: k.value.kind, Default: k.byDefault, DefaultNote: k.note, Doc: k.doc,
		Values: slices.Clone(k.value.values), Low: k.value.low, High: k.value.high,
		Prefixes: slices.Clone(k.scope.prefixes()), Support: Supported, Required: k.required, Secret: k.secret,
	}
	if d.Type == "" {
		d.Type = TypeString
	}
	switch {
	case k.alias != "":
		d.Doc = "Older name of " + k.alias + "."
	case k.ignored != "":
		d.Support, d.Why = Accepted, k.ignored
	case k.refused != "":
		d.Support, d.Why = Refused, k.refused
	}
	if d.Doc == "" {
		d.Doc = strings.ToUpper(d.Why[:1]) + d.Why[1:] + "."
	}
	return d
}

// Keys describes every key, sorted by name. The slice is the caller's.
func Keys() []KeyDoc {
	docs := make([]KeyDoc, 0, len(table))
	for _, k := range table {
		docs = append(docs, k.docs())
	}
	return docs
}

// table holds every row, sorted by name; index finds them.
var (
	table = buildTable()
	index = buildIndex()
	// forms are all keys, the plain ones first, then with their prefixes.
	forms = buildForms()
)

func buildTable() []key {
	var rows []key
	for _, group := range []struct {
		scope scope
		rows  []key
	}{
		{scopePlain, applicationKeys()},
		{scopePlain, stateKeys()},
		{scopePlain, errorKeys()},
		{scopePlain, ownKeys()},
		{scopePlain, registryKeys()},
		{scopePlain, javaKeys()},
		{scopeConsumer, consumerKeys()},
		{scopeFetch, fetchKeys()},
		{scopeProducer, producerKeys()},
		{scopeAdmin, adminKeys()},
		{scopeClient, connectionKeys()},
		{scopeClient, anyClientKeys()},
	} {
		for _, row := range group.rows {
			row.scope = group.scope
			rows = append(rows, row)
		}
	}
	slices.SortFunc(rows, func(a, b key) int { return strings.Compare(a.name, b.name) })
	return rows
}

func buildIndex() map[string]key {
	rows := make(map[string]key, len(table))
	for _, row := range table {
		rows[row.name] = row
	}
	return rows
}

func buildForms() []string {
	var plain, prefixed []string
	for _, row := range table {
		plain = append(plain, row.name)
		for _, prefix := range row.scope.prefixes() {
			prefixed = append(prefixed, prefix+row.name)
		}
	}
	for _, name := range topicConfigs {
		prefixed = append(prefixed, topicPrefix+name)
	}
	return append(plain, prefixed...)
}

// cut splits a key as written into its prefix, "" if none, and its plain name.
func cut(written string) (prefix, name string) {
	// Longest first is not needed: no prefix begins with another.
	for _, candidate := range prefixes[1:] {
		if name, found := strings.CutPrefix(written, candidate); found {
			return candidate, name
		}
	}
	return "", written
}

func nearest(key string, known []string) string { return kafkaconf.Suggest(key, known) }
