package demo

import (
	"fmt"
	"math/rand/v2"
	"strconv"

	"github.com/tidwall/gjson"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/eosproc/eosproc/internal/verify"
)

const (
	customers = 200
	placed    = "PLACED"
	cancelled = "CANCELLED"
)

// orders generates orders. The same seed gives the same orders.
type orders struct {
	random *rand.Rand
	next   int64
	of     [customers]int
}

func newOrders(seed uint64) *orders {
	return &orders{random: rand.New(rand.NewPCG(seed, 0x6f7264657273))}
}

// order makes the next order: one of four is cancelled. Ids count from 0. The
// record says all that is needed to check it: its id, its customer, and which of
// that customer's orders it is.
func (o *orders) order(topic string) (record *kgo.Record, wanted bool) {
	customer := o.random.IntN(customers)
	status := placed
	if o.random.IntN(4) == 0 {
		status = cancelled
	}
	amount := 1 + o.random.IntN(500)
	o.of[customer]++
	name := fmt.Sprintf("c%03d", customer)
	value := fmt.Appendf(nil, `{"id":%d,"customer":%q,"number":%d,"status":%q,"amount":%d}`, o.next, name, o.of[customer], status, amount)
	o.next++
	return &kgo.Record{Topic: topic, Key: []byte(name), Value: value}, status == placed
}

// identify implements [verify.Identify]: orders that the pipeline filters out
// take no part.
func identify(side verify.Side, record *kgo.Record) (id []byte, keep bool, err error) {
	n, err := orderID(record.Value)
	if err != nil {
		return nil, false, err
	}
	keep = side == verify.Output || gjson.GetBytes(record.Value, "status").Str == placed
	return strconv.AppendInt(nil, n, 10), keep, nil
}

func orderID(value []byte) (int64, error) {
	field := gjson.GetBytes(value, "id")
	n, err := strconv.ParseInt(field.Raw, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("read order id: %w", err)
	}
	return n, nil
}
