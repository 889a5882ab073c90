package settings

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/eosproc/eosproc/internal/kafkaconf"
)

// applyClient collects what kafkaconf reads. There is one connection for all
// clients, so two different values for one key cannot both hold.
func (p *parser) applyClient(at placed) {
	name := at.row.name
	if before, set := p.client[name]; set && before != at.value && !p.faulty[name] {
		p.report(name, at.written, fault{
			message:    fmt.Sprintf("differs from %s, but all clients share one connection; give it once", p.settings.name(name)),
			suggestion: name,
		})
		return
	}
	p.client[name] = at.value
	p.settings.given[name] = at.written
}

// connect reads the connection. kafkaconf words its faults as "key: reason".
func (p *parser) connect() {
	client, unknown, err := kafkaconf.FromProperties(p.client)
	p.settings.Client, p.disconnected = client, err != nil
	for _, name := range unknown {
		p.report(name, p.settings.name(name), fault{message: "has no effect on the connection", severity: Warning})
	}
	for _, fault := range connectionFaults(err) {
		p.problems = append(p.problems, Problem{Key: p.settings.name(fault.key), Message: fault.message})
		p.faulty[fault.key] = true
	}
	if err != nil {
		// Without a connection its addresses are unknown, not missing.
		p.faulty["bootstrap.servers"] = p.faulty["bootstrap.servers"] || p.client["bootstrap.servers"] != "" || p.client["metadata.broker.list"] != ""
	}
}

type connectionFault struct{ key, message string }

func connectionFaults(err error) []connectionFault {
	if err == nil {
		return nil
	}
	for inner := err; inner != nil; inner = errors.Unwrap(inner) {
		if joined, ok := inner.(interface{ Unwrap() []error }); ok && len(joined.Unwrap()) > 0 {
			var faults []connectionFault
			for _, one := range joined.Unwrap() {
				faults = append(faults, connectionFaults(one)...)
			}
			// An error with two causes of its own is one fault, not two.
			if !slices.ContainsFunc(faults, func(f connectionFault) bool { return f.key == "" }) {
				return faults
			}
			break
		}
	}
	name, message, found := strings.Cut(err.Error(), ": ")
	if row, known := index[name]; found && known && row.client {
		return []connectionFault{{name, message}}
	}
	return []connectionFault{{"", err.Error()}}
}
