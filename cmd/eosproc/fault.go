package main

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// faultRule is a fault as a user writes it: kfake.Fault with names in place of numbers.
type faultRule struct {
	Keys       []requestKey `json:"keys"`
	Nodes      []int32      `json:"nodes"`
	Topic      string       `json:"topic"`
	TopicID    topicID      `json:"topic_id"`
	Partitions []int32      `json:"partitions"`
	Group      string       `json:"group"`
	TxnID      string       `json:"txn_id"`
	Resource   string       `json:"resource"`
	TopLevel   bool         `json:"top_level"`
	Error      kafkaError   `json:"error"`
	Count      int          `json:"count"`
	Observe    bool         `json:"observe"`
}

// listFields may be repeated in a rule of pairs; textFields are not read as JSON.
var (
	listFields = []string{"keys", "nodes", "partitions"}
	textFields = []string{"keys", "topic", "topic_id", "group", "txn_id", "resource", "error"}
)

func (r faultRule) fault() kfake.Fault {
	f := kfake.Fault{
		Nodes: r.Nodes, Topic: r.Topic, TopicID: r.TopicID, Partitions: r.Partitions, Group: r.Group, TxnID: r.TxnID,
		TopLevel: r.TopLevel, Resource: r.Resource, Err: r.Error.Error, Count: r.Count, Observe: r.Observe,
	}
	for _, k := range r.Keys {
		f.Keys = append(f.Keys, kmsg.Key(k))
	}
	return f
}

// parseFaults reads rules: pairs, JSON, or @FILE with JSON, where "@-" is in.
func parseFaults(in io.Reader, rules []string) ([]kfake.Fault, error) {
	var faults []kfake.Fault
	for _, text := range rules {
		parsed, err := parseRule(in, text)
		if err != nil {
			return nil, fmt.Errorf("--fault %s: %w", text, err)
		}
		for _, r := range parsed {
			faults = append(faults, r.fault())
		}
	}
	return faults, nil
}

func parseRule(in io.Reader, text string) ([]faultRule, error) {
	data := []byte(strings.TrimSpace(text))
	switch {
	case text == "@-":
		var err error
		if data, err = io.ReadAll(in); err != nil {
			return nil, fmt.Errorf("read stdin: %w", err)
		}
	case strings.HasPrefix(text, "@"):
		var err error
		if data, err = os.ReadFile(text[1:]); err != nil {
			return nil, fmt.Errorf("read rules: %w", err)
		}
	case len(data) > 0 && data[0] != '{' && data[0] != '[':
		var err error
		if data, err = pairsToJSON(string(data)); err != nil {
			return nil, err
		}
	}
	if data = bytes.TrimSpace(data); len(data) == 0 {
		return nil, errors.New("the rule is empty")
	}
	if data[0] != '[' {
		data = slices.Concat([]byte("["), data, []byte("]"))
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	var out []faultRule
	if err := d.Decode(&out); err != nil {
		return nil, errors.New(strings.TrimPrefix(err.Error(), "json: "))
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("there is more than one JSON document")
	}
	return out, nil
}

// pairsToJSON turns a=b,c=d into the JSON of a rule.
func pairsToJSON(text string) ([]byte, error) {
	fields := map[string]any{}
	for pair := range strings.SplitSeq(text, ",") {
		name, value, ok := strings.Cut(pair, "=")
		if name = strings.TrimSpace(name); !ok {
			return nil, fmt.Errorf("%q: want name=value", pair)
		}
		var v any = json.RawMessage(value)
		if slices.Contains(textFields, name) || !json.Valid([]byte(value)) {
			v = value
		}
		list, isList := fields[name].([]any)
		switch _, repeated := fields[name]; {
		case slices.Contains(listFields, name):
			fields[name] = append(list, v)
		case repeated && !isList:
			return nil, fmt.Errorf("%q stands twice", name)
		default:
			fields[name] = v
		}
	}
	data, err := json.Marshal(fields)
	if err != nil {
		return nil, fmt.Errorf("read rule: %w", err)
	}
	return data, nil
}

// requestKey is a request of Kafka, by name ("EndTxn") or number.
type requestKey kmsg.Key

// UnmarshalJSON reads a name, in any case, or a number.
func (k *requestKey) UnmarshalJSON(data []byte) error {
	name := strings.Trim(string(data), `"`)
	if n, err := strconv.Atoi(name); err == nil && n >= 0 && n <= kmsg.MaxKey && kmsg.NameForKey(int16(n)) != "" {
		*k = requestKey(n)
		return nil
	}
	for n := range int16(kmsg.MaxKey + 1) {
		if known := kmsg.NameForKey(n); known != "" && strings.EqualFold(known, name) {
			*k = requestKey(n)
			return nil
		}
	}
	return fmt.Errorf("keys: no request of Kafka is called %q", name)
}

// kafkaError is an error of Kafka, by name or number; nil leaves the choice to kfake.
type kafkaError struct{ *kerr.Error }

// lastError is above all codes of Kafka.
const lastError = 512

// renamed are errors that the client knows by an older name than Kafka does.
var renamed = map[string]*kerr.Error{"NOT_LEADER_OR_FOLLOWER": kerr.NotLeaderForPartition}

// UnmarshalJSON reads a name, in any case, or a number.
func (e *kafkaError) UnmarshalJSON(data []byte) error {
	name := strings.Trim(string(data), `"`)
	if e.Error = renamed[strings.ToUpper(name)]; e.Error != nil {
		return nil
	}
	for code := int16(-1); code < lastError; code++ {
		known := kerr.TypedErrorForCode(code)
		if known == nil || known.Code != code {
			continue
		}
		if strings.EqualFold(known.Message, name) || strconv.Itoa(int(code)) == name {
			e.Error = known
			return nil
		}
	}
	return fmt.Errorf("error: Kafka has no error %q", name)
}

// topicID is a UUID.
type topicID [16]byte

// UnmarshalJSON reads hexadecimal digits, with or without hyphens and braces.
func (t *topicID) UnmarshalJSON(data []byte) error {
	text := strings.Trim(string(data), `"`)
	raw, err := hex.DecodeString(strings.NewReplacer("-", "", "{", "", "}", "").Replace(text))
	if err != nil || len(raw) != len(t) {
		return fmt.Errorf("topic_id: %q is no UUID", text)
	}
	copy(t[:], raw)
	return nil
}
