// Package kafkaproxy is a TCP proxy for tests that understands Kafka's framing:
// it stands before each broker and can lose, delay or cut one chosen request,
// or its answer, while everything else passes.
//
// It owns listeners, connections and rules. It must not know what a request's
// body means; it reads the size, the request header (api key, version,
// correlation id, client id) and the answer's correlation id. It only works on
// plaintext connections.
//
// There are two ways to bring a client before it. Brokers that advertise the
// proxy's addresses ([Proxy.Advertise]) serve any client, also one in another
// process. A kgo client inside the test may dial through [Proxy.Dial] instead,
// which needs nothing of the brokers and works for kfake and foreign clusters.
//
// Invariants:
//   - Frames of one direction of a connection keep their order, whatever is
//     delayed: a delay holds up what follows, as the network would.
//   - A rule acts on at most as many requests as it says, however many
//     connections match it at the same time.
//   - Close returns after every goroutine has ended.
package kafkaproxy
