package kafkaconf

import (
	"log/slog"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/plugin/kslog"
)

// quiet puts what the client calls INFO one level down: it reports every
// transaction and every heartbeat loop there, several lines for each.
type quiet struct{ kgo.Logger }

func quietly(log *slog.Logger) kgo.Logger { return quiet{kslog.New(log)} }

// Level implements [kgo.Logger]. The client asks before it formats anything.
func (q quiet) Level() kgo.LogLevel {
	if l := q.Logger.Level(); l != kgo.LogLevelInfo {
		return l
	}
	return kgo.LogLevelWarn
}

// Log implements [kgo.Logger].
func (q quiet) Log(level kgo.LogLevel, msg string, keyvals ...any) {
	if level == kgo.LogLevelInfo {
		level = kgo.LogLevelDebug
	}
	q.Logger.Log(level, msg, keyvals...)
}
