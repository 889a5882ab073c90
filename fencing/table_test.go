package fencing

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kerr"
)

var update = flag.Bool("update", false, "rewrite the golden files in testdata")

// The golden file is the documentation of the table: read its diff before
// committing it.
func TestVerdictsGolden(t *testing.T) {
	var b strings.Builder
	b.WriteString("# Verdicts on broker errors, for every code the Kafka client knows.\n")
	b.WriteString("# Written by: go test ./fencing -run TestVerdictsGolden -update\n")
	for _, code := range Codes() {
		e, ok := Explain(code)
		require.True(t, ok, code)
		render(&b, e)
	}
	b.WriteString("\n# Not named by the table: the defaults, codes with the same outcomes together.\n")
	var outcomes []string
	codes := map[string][]string{}
	for _, ke := range brokerErrors() {
		e, ok := Explain(ke.Message)
		if !assert.True(t, ok, ke.Message) || !e.Default {
			continue
		}
		o := renderOutcomes(e)
		if codes[o] == nil {
			outcomes = append(outcomes, o)
		}
		codes[o] = append(codes[o], fmt.Sprintf("%s (%d)", e.Code, e.Number))
	}
	for _, o := range outcomes {
		b.WriteString("\n" + strings.Join(codes[o], "\n") + "\n" + o)
	}
	path := filepath.Join("testdata", "verdicts.txt")
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(b.String()), 0o644))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, string(want), b.String(), "run with -update and read the diff")
}

func render(b *strings.Builder, e Explanation) {
	fmt.Fprintf(b, "\n%s", e.Code)
	if e.Number != 0 {
		fmt.Fprintf(b, " (%d)", e.Number)
	}
	b.WriteString("\n")
	fmt.Fprintf(b, "  %s\n  Remedy: %s\n", e.Meaning, e.Remedy)
	b.WriteString(renderOutcomes(e))
}

func renderOutcomes(e Explanation) string {
	var b strings.Builder
	for _, o := range e.Outcomes {
		names := make([]string, len(o.Requests))
		for i, r := range o.Requests {
			names[i] = r.String()
		}
		outcome := o.ByVersion[0].String()
		if !o.Uniform() {
			outcome = fmt.Sprintf("0: %s | 1: %s | 2: %s", o.ByVersion[0], o.ByVersion[1], o.ByVersion[2])
		}
		fmt.Fprintf(&b, "    %s\n        %s\n", strings.Join(names, ", "), outcome)
	}
	return b.String()
}

func TestBrokerErrorsAreComplete(t *testing.T) {
	byNumber := map[int16]bool{}
	for _, ke := range brokerErrors() {
		assert.False(t, byNumber[ke.Code], ke.Message)
		byNumber[ke.Code] = true
	}
	// Kafka numbers its errors without gaps, and the client knew these when
	// the table was written.
	for n := int16(1); n <= kerr.ControllerIDNotRegistered.Code; n++ {
		assert.True(t, byNumber[n], n)
	}
	assert.True(t, byNumber[-1])
}

func TestRowsAreWellFormed(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range table {
		assert.False(t, seen[r.code], "%s has two rows", r.code)
		seen[r.code] = true
		for what, text := range map[string]string{"meaning": r.meaning, "remedy": r.remedy} {
			assert.NotEmpty(t, text, "%s: %s", r.code, what)
			assert.False(t, strings.Contains(text, "\n"), "%s: %s is one line", r.code, what)
		}
		assert.True(t, strings.HasSuffix(r.meaning, "."), r.code)
		require.NotEmpty(t, r.rules, r.code)
		var named requestSet
		for i, rule := range r.rules {
			assert.NotZero(t, rule.requests&^named, "%s: rule %d can never apply", r.code, i)
			assert.Zero(t, rule.requests&^anyRequest, "%s: rule %d names no request", r.code, i)
			named |= rule.requests
			assert.Equal(t, rule.tv[0], rule.tv[1], "%s: versions 0 and 1 have one protocol", r.code)
			for _, d := range rule.tv {
				assert.Empty(t, d.Code, "%s: the code is the row's", r.code)
			}
		}
	}
	assert.Len(t, rowByCode, len(table))
}

// The text that explains a code and the verdict on it come from one place.
func TestExplainAgreesWithClassify(t *testing.T) {
	for _, ke := range brokerErrors() {
		e, ok := Explain(ke.Message)
		require.True(t, ok)
		requests := 0
		for _, o := range e.Outcomes {
			for _, req := range o.Requests {
				requests++
				for version, d := range o.ByVersion {
					assert.Equal(t, Classify(req, ke, version), d, "%s on %s", ke.Message, req)
				}
			}
		}
		assert.Equal(t, len(Requests()), requests, ke.Message)
		assert.NotEmpty(t, e.Meaning)
		assert.NotEmpty(t, e.Remedy)
	}
}

func TestExplainFinds(t *testing.T) {
	for asked, want := range map[string]string{
		"INVALID_PRODUCER_EPOCH":   "INVALID_PRODUCER_EPOCH",
		"invalid_producer_epoch":   "INVALID_PRODUCER_EPOCH",
		" 47 ":                     "INVALID_PRODUCER_EPOCH",
		"-1":                       "UNKNOWN_SERVER_ERROR",
		"not_leader_or_follower":   "NOT_LEADER_FOR_PARTITION",
		"transport":                CodeTransport,
		"OFFSET_OUT_OF_RANGE":      "OFFSET_OUT_OF_RANGE",
		"STREAMS_INVALID_TOPOLOGY": "STREAMS_INVALID_TOPOLOGY",
	} {
		e, ok := Explain(asked)
		require.True(t, ok, asked)
		assert.Equal(t, want, e.Code)
	}
	for _, asked := range []string{"", "0", "9999", "99999999", "NO_SUCH_CODE"} {
		_, ok := Explain(asked)
		assert.False(t, ok, asked)
	}
}

func TestNames(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range Requests() {
		assert.NotEqual(t, Request(0).String(), r.String())
		assert.False(t, seen[r.String()], r)
		seen[r.String()] = true
		assert.True(t, anyRequest.has(r), r)
	}
	assert.False(t, anyRequest.has(0))
	labels := map[By]string{ByNone: "none", ByEpoch: "epoch", ByGeneration: "generation", ByInstance: "instance", ByTimeout: "timeout"}
	for by, label := range labels {
		assert.Equal(t, label, by.String())
		assert.Equal(t, by == ByEpoch || by == ByInstance, by.EndsProcess())
	}
}
