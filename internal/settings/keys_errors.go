package settings

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

func errorKeys() []key {
	return []key{
		{name: "deserialization.exception.handler", byDefault: string(HandlerFail),
			doc: "What happens to a record that cannot be decoded: fail, continue, or dlq.",
			value: handler("LogAndFailExceptionHandler", "LogAndContinueExceptionHandler",
				func(s *Settings) *Handler { return &s.Errors.Deserialization })},
		{name: "default.deserialization.exception.handler", alias: "deserialization.exception.handler"},
		{name: "processing.exception.handler", byDefault: string(HandlerFail),
			doc: "What happens to a record whose processing fails or panics: fail, continue, or dlq.",
			value: handler("LogAndFailProcessingExceptionHandler", "LogAndContinueProcessingExceptionHandler",
				func(s *Settings) *Handler { return &s.Errors.Processing })},
		{name: "production.exception.handler", byDefault: string(HandlerFail),
			doc: "What happens to a record whose output is refused, because it is too large for instance: fail, continue, or dlq.",
			value: handler("DefaultProductionExceptionHandler", "",
				func(s *Settings) *Handler { return &s.Errors.Production })},
		{name: "default.production.exception.handler", alias: "production.exception.handler"},
		{name: "processing.exception.handler.global.enabled", byDefault: "false",
			doc:   "Whether the processing handler also decides for records of global tables.",
			value: boolean(func(s *Settings) *bool { return &s.Errors.ProcessingGlobal })},
		{name: "errors.dead.letter.queue.topic.name",
			doc:   "Topic of the dead letters, written in the same transaction; a LogAndContinue… handler class with this key means dlq, as in Kafka Streams.",
			value: text(func(s *Settings) *string { return &s.Errors.DeadLetterTopic }, topicName)},
		{name: "eosproc.dlq.max.error.rate", byDefault: "off",
			doc:   "Share of records, above 0 and up to 1, that may end as dead letters before the application stops; off is no limit.",
			value: value{kind: TypeNumber, set: errorRate}},
		{name: "eosproc.retries.attempts", byDefault: "0",
			doc:   "Attempts after the first before the processing handler decides about a record.",
			value: integer(0, 1000, func(s *Settings) *int { return &s.Errors.RetryAttempts })},
		{name: "eosproc.retries.backoff.ms", byDefault: "100",
			doc:   "Pause before the first of these attempts; it doubles with each.",
			value: millis(0, 3600000, func(s *Settings) *time.Duration { return &s.Errors.RetryBackoff })},
		{name: "eosproc.retries.backoff.max.ms", byDefault: "1000",
			doc:   "Longest pause between attempts.",
			value: millis(0, 3600000, func(s *Settings) *time.Duration { return &s.Errors.RetryBackoffMax })},
	}
}

func errorRate(s *Settings, text string) *fault {
	if strings.EqualFold(text, "off") {
		s.Errors.DeadLetterMaxRate = 0
		return nil
	}
	rate, err := strconv.ParseFloat(text, 64)
	if err != nil || !(rate > 0 && rate <= 1) {
		return &fault{message: fmt.Sprintf("%s is not a share above 0 and up to 1, such as 0.01 for one record in a hundred", quote(text)), suggestion: "off"}
	}
	s.Errors.DeadLetterMaxRate = rate
	return nil
}
