package kafkaconf_test

import (
	"fmt"
	"strings"

	"github.com/eosproc/eosproc/internal/kafkaconf"
)

func ExampleFromProperties() {
	props, err := kafkaconf.ParseProperties(strings.NewReader(`
bootstrap.servers=broker-1:9093,broker-2:9093
security.protocol=SASL_SSL
sasl.mechanism=SCRAM-SHA-512
sasl.jaas.config=org.apache.kafka.common.security.scram.ScramLoginModule required \
    username="alice" password="wonderland";
clint.id=orders
`), "client.properties")
	if err != nil {
		fmt.Println(err)
		return
	}
	client, unknown, err := kafkaconf.FromProperties(props)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(client.BootstrapServers, client.Security.SASL.Username, client.Security.SASL.Password)
	for _, key := range unknown {
		fmt.Printf("unknown %s, did you mean %s?\n", key, kafkaconf.Suggest(key, kafkaconf.KnownKeys()))
	}
	// Output:
	// [broker-1:9093 broker-2:9093] alice ***
	// unknown clint.id, did you mean client.id?
}
