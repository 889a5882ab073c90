package demo

import (
	"encoding/json"
	"regexp"
	"strings"
)

// logLine is what the demo wants to know of a line of a worker's log.
type logLine struct {
	Level   string `json:"level"`
	Message string `json:"msg"`
	Error   string `json:"error"`
	Verdict string `json:"verdict"`
}

// parseLog reads a line of slog's JSON handler. Anything else on the child's
// standard error (a panic, a runtime's message) is not for the demo to understand.
func parseLog(line []byte) (logLine, bool) {
	var l logLine
	if json.Unmarshal(line, &l) != nil || l.Message == "" {
		return logLine{}, false
	}
	return l, true
}

// refused reports whether the line says that a step of a commit did not succeed.
func (l logLine) refused() bool { return l.Message == "commit step failed" }

// fenced reports whether the brokers refused the commit because its writer may no
// longer write.
func (l logLine) fenced() bool { return l.refused() && strings.HasPrefix(l.Verdict, "fenced") }

var kafkaCode = regexp.MustCompile(`\b[A-Z]+(?:_[A-Z]+)+\b`)

// code returns the name that Kafka gives to the error of the line.
func (l logLine) code() string {
	if code := kafkaCode.FindString(l.Error); code != "" {
		return code
	}
	return l.Error
}
