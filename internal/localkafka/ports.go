package localkafka

import (
	"fmt"
	"math/rand/v2"
	"net"
	"strconv"
)

const loopback = "127.0.0.1"

// The range lies below the ephemeral ports of Linux (32768+) and macOS
// (49152+): there, any outgoing connection may take the port of a broker that
// is just being restarted.
const (
	portLow  = 20000
	portHigh = 32000
)

// freePorts returns n ports on which nothing listens. They are all held while
// searching, so that they differ.
func freePorts(n int) ([]int, error) {
	ports := make([]int, 0, n)
	for tries := 0; len(ports) < n; tries++ {
		if tries > 100*n {
			return nil, fmt.Errorf("find free port: none among %d tried between %d and %d", tries, portLow, portHigh)
		}
		p := portLow + rand.IntN(portHigh-portLow)
		l, err := net.Listen("tcp", hostPort(p))
		if err != nil {
			continue
		}
		defer l.Close()
		ports = append(ports, p)
	}
	return ports, nil
}

func hostPort(port int) string { return net.JoinHostPort(loopback, strconv.Itoa(port)) }
