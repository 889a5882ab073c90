package kafkaconf

import (
	"bytes"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/twmb/franz-go/pkg/kgo"
)

func TestAnOutageIsNotReportedWithEveryAttempt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		log := quietly(slog.New(slog.NewTextHandler(&out, nil)))
		attempt := func(addr string) {
			log.Log(kgo.LogLevelWarn, "unable to open connection to broker", "addr", addr, "err", "connection refused")
		}
		lines := func() int { return strings.Count(out.String(), "connection refused") }
		for range 50 {
			attempt("a:9092")
			attempt("b:9092")
		}
		assert.Equal(t, 2, lines(), "once for each broker")
		<-time.After(repeatAfter)
		attempt("a:9092")
		assert.Equal(t, 3, lines(), "the outage goes on")
		for i := range 3 * mostLines {
			log.Log(kgo.LogLevelError, fmt.Sprint("trouble ", i))
		}
		assert.Equal(t, 3*mostLines, strings.Count(out.String(), "trouble"), "different lines are all said")
	})
}
