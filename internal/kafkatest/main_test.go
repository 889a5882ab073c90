package kafkatest_test

import (
	"os"
	"testing"

	"github.com/eosproc/eosproc/internal/kafkatest"
)

func TestMain(m *testing.M) { os.Exit(kafkatest.Main(m)) }

// onBoth runs a test against kfake and against the shared real Kafka.
func onBoth(t *testing.T, test func(t *testing.T, bootstrap string)) {
	t.Helper()
	t.Run("kfake", func(t *testing.T) {
		_, bootstrap := kafkatest.Fake(t)
		test(t, bootstrap)
	})
	t.Run("kafka", func(t *testing.T) { test(t, kafkatest.Shared(t).Bootstrap()) })
}
