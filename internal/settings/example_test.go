package settings_test

import (
	"fmt"

	"github.com/eosproc/eosproc/internal/settings"
)

func ExampleParse() {
	s, problems := settings.Parse(map[string]string{
		"application.id":          "orders",
		"bootstrap.servers":       "localhost:9092",
		"state.dir":               "/var/lib/orders",
		"comit.interval.ms":       "50",
		"commit.interval.ms":      "20000",
		"rocksdb.config.setter":   "com.acme.Setter",
		"consumer.fetch.max.wait": "10",
	})
	for _, p := range problems {
		fmt.Printf("%s: %s\n", p.Severity, p)
	}
	fmt.Println(s.Guarantee, problems.Err() != nil)
	// Output:
	// error: comit.interval.ms: unknown key (did you mean "commit.interval.ms"?)
	// error: commit.interval.ms: 20000 ms is not below transaction.timeout.ms, 10000 ms: the broker would abort every transaction before it commits; lower the first or raise the second
	// error: consumer.fetch.max.wait: unknown key (did you mean "consumer.fetch.max.wait.ms"?)
	// error: rocksdb.config.setter: is not offered: stores are kept in Pebble, which has no such class; memory is set with statestore.cache.max.bytes
	// exactly_once_v2 true
}
