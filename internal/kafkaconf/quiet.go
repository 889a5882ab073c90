package kafkaconf

import (
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/plugin/kslog"
)

// quiet puts what the client calls INFO one level down: it reports every
// transaction and every heartbeat loop there, several lines for each. And it does
// the same to a line that says again what was said a moment ago: during an outage
// each client would report every attempt to connect.
type quiet struct {
	kgo.Logger
	said *recently
}

func quietly(log *slog.Logger) kgo.Logger {
	return quiet{kslog.New(log), &recently{at: map[string]time.Time{}}}
}

// Level implements [kgo.Logger]. The client asks before it formats anything.
func (q quiet) Level() kgo.LogLevel {
	if l := q.Logger.Level(); l != kgo.LogLevelInfo {
		return l
	}
	return kgo.LogLevelWarn
}

// Log implements [kgo.Logger].
func (q quiet) Log(level kgo.LogLevel, msg string, keyvals ...any) {
	switch level {
	case kgo.LogLevelInfo:
		level = kgo.LogLevelDebug
	case kgo.LogLevelWarn, kgo.LogLevelError:
		if q.said.again(msg + fmt.Sprint(keyvals...)) {
			level = kgo.LogLevelDebug
		}
	}
	q.Logger.Log(level, msg, keyvals...)
}

// recently knows which lines were said within the last repeatAfter.
type recently struct {
	mu sync.Mutex
	at map[string]time.Time
}

const (
	repeatAfter = 10 * time.Second
	// mostLines bounds the memory for lines that are all different.
	mostLines = 200
)

// again reports whether the line was said a moment ago, and otherwise notes that it is said now.
func (r *recently) again(line string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := time.Now()
	if last, ok := r.at[line]; ok && now.Sub(last) < repeatAfter {
		return true
	}
	if len(r.at) >= mostLines {
		clear(r.at)
	}
	r.at[line] = now
	return false
}
