package fencing

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/twmb/franz-go/pkg/kerr"
)

// Explanation is what the table knows about one error.
type Explanation struct {
	// Code is Kafka's name of the error, or one of the Code constants.
	Code string
	// Number is Kafka's number of the error; 0 for the Code constants.
	Number int16
	// Meaning says what happened, Remedy what a person should do.
	Meaning, Remedy string
	// Outcomes is what eosproc does, the requests with the same outcome
	// together, in protocol order.
	Outcomes []Outcome
	// Default is set when the table does not name the error: all outcomes are
	// the default ones, and Meaning is Kafka's description.
	Default bool
}

// Outcome is the decision that some requests share.
type Outcome struct {
	Requests []Request
	// ByVersion holds the decision for transaction.version 0, 1 and 2.
	ByVersion [3]Decision
}

// Uniform reports whether transaction.version makes no difference.
func (o Outcome) Uniform() bool {
	return o.ByVersion[0] == o.ByVersion[1] && o.ByVersion[1] == o.ByVersion[2]
}

// aliases are names that Kafka uses today for what kgo calls otherwise.
var aliases = map[string]string{"NOT_LEADER_OR_FOLLOWER": "NOT_LEADER_FOR_PARTITION"}

// Explain finds an error by Kafka's name (in any case), by its number, or by a
// Code constant. It knows every code that the Kafka client knows; false means
// that there is no such code.
func Explain(code string) (Explanation, bool) {
	name := strings.TrimSpace(code)
	if n, err := strconv.ParseInt(name, 10, 16); err == nil {
		for _, ke := range brokerErrors() {
			if int64(ke.Code) == n {
				return explain(ke.Message, ke), true
			}
		}
		return Explanation{}, false
	}
	if alias, ok := aliases[strings.ToUpper(name)]; ok {
		name = alias
	}
	for _, ke := range brokerErrors() {
		if strings.EqualFold(ke.Message, name) {
			return explain(ke.Message, ke), true
		}
	}
	for _, r := range clientRows {
		if strings.EqualFold(r.code, name) {
			return explain(r.code, nil), true
		}
	}
	return Explanation{}, false
}

// Codes lists the names of the errors that the table names, in its order.
func Codes() []string {
	codes := make([]string, 0, len(table))
	for _, r := range table {
		codes = append(codes, r.code)
	}
	return codes
}

func explain(code string, ke *kerr.Error) Explanation {
	e := Explanation{Code: code, Default: true}
	if ke != nil {
		e.Number = ke.Code
		e.Meaning = ke.Description
		e.Remedy = "Look it up in the broker's log; eosproc does not expect this error here."
	}
	r := rowByCode[code]
	if r != nil {
		e.Meaning, e.Remedy, e.Default = r.meaning, r.remedy, false
	}
	for _, req := range Requests() {
		var byVersion [transactionVersions]Decision
		for v := range byVersion {
			d := defaultDecision(req, ke == nil || ke.Retriable)
			if r != nil {
				if named, ok := r.decide(req, v); ok {
					d = named
				}
			}
			d.Code = code
			byVersion[v] = d
		}
		i := slices.IndexFunc(e.Outcomes, func(o Outcome) bool { return o.ByVersion == byVersion })
		if i < 0 {
			e.Outcomes = append(e.Outcomes, Outcome{Requests: []Request{req}, ByVersion: byVersion})
			continue
		}
		e.Outcomes[i].Requests = append(e.Outcomes[i].Requests, req)
	}
	return e
}

// brokerErrors lists every error that the Kafka client knows, by number. kerr
// keeps no list of its own, so the numbers are tried one by one, once.
var brokerErrors = sync.OnceValue(func() []*kerr.Error {
	all := []*kerr.Error{kerr.UnknownServerError}
	for n := 1; n <= math.MaxInt16; n++ {
		if ke := kerr.TypedErrorForCode(int16(n)); ke.Code == int16(n) {
			all = append(all, ke)
		}
	}
	return all
})
