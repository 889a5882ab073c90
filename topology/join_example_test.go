package topology_test

import (
	"fmt"
	"strings"
	"time"

	"github.com/eosproc/eosproc/codec"
	"github.com/eosproc/eosproc/eostest"
	"github.com/eosproc/eosproc/statestore"
	"github.com/eosproc/eosproc/topology"
)

// The topics of the examples of joins.
var (
	clicks   = topology.NewTopic("clicks", codec.String, codec.String)
	users    = topology.NewTopic("users", codec.String, codec.String)
	payments = topology.NewTopic("payments", codec.String, codec.String)
)

// rowsOf declares the store of a table of texts.
func rowsOf(name string) statestore.TimestampedKV[string, string] {
	return statestore.NewTimestampedKV(name, codec.String, codec.String)
}

// at gives a topic a record with a timestamp in ms.
func at(d *eostest.Driver, t topology.Topic[string, string], ms int64, key, value string) {
	eostest.Send(d, t, key, value, time.UnixMilli(ms))
}

// either names the side of an outer join that is missing "-".
func either(l string, hasL bool, r string, hasR bool) string {
	if !hasL {
		l = "-"
	}
	if !hasR {
		r = "-"
	}
	return l + "+" + r
}

func orNobody(l, r string, ok bool) string { return either(l, true, r, ok) }

func ExampleJoin() {
	b := topology.NewBuilder()
	names := topology.TableFrom(b, users, rowsOf("names"))
	topology.Join(topology.From(b, clicks), names, func(page, name string) string { return name + " at " + page }).To(out)

	d := drive(b)
	at(d, clicks, 1, "u1", "/early")
	at(d, users, 2, "u1", "Ann")
	at(d, clicks, 3, "u1", "/home")
	show(d, out)
	// Output: out: u1=Ann at /home at 3
}

func ExampleLeftJoin() {
	b := topology.NewBuilder()
	names := topology.TableFrom(b, users, rowsOf("names"))
	topology.LeftJoin(topology.From(b, clicks), names, func(page, name string, ok bool) string {
		if !ok {
			name = "somebody"
		}
		return name + " at " + page
	}).To(out)

	d := drive(b)
	at(d, clicks, 1, "u1", "/home")
	show(d, out)
	// Output: out: u1=somebody at /home at 1
}

func ExampleJoinGrace() {
	history := statestore.NewVersioned("names", codec.String, codec.String, statestore.VersionedConfig{HistoryRetention: time.Minute})
	wait := topology.NewBuffer("clicks-wait", codec.String, codec.String)
	b := topology.NewBuilder()
	names := topology.TableFrom(b, users, history)
	topology.Join(topology.From(b, clicks), names, func(page, name string) string { return name + " at " + page },
		topology.JoinGrace(10*time.Millisecond, wait)).To(out)

	d := drive(b)
	at(d, clicks, 5, "u1", "/home")
	at(d, users, 4, "u1", "Ann") // late, but the click waits for it
	at(d, clicks, 15, "u1", "/cart")
	show(d, out)
	// Output: out: u1=Ann at /home at 5
}

func ExampleKeepNullKeys() {
	anonymous := topology.NewTopic("anonymous", codec.Bytes, codec.String)
	b := topology.NewBuilder()
	sent := topology.From(b, anonymous).Repartition(topology.NewTopic("by-user", codec.Bytes, codec.String), topology.KeepNullKeys())
	sent.To(topology.NewTopic("out", codec.Bytes, codec.String))

	d := drive(b)
	eostest.Send(d, anonymous, nil, "/home", time.UnixMilli(1))
	for _, r := range d.ReadRaw("out") {
		fmt.Println(r.Key == nil, string(r.Value))
	}
	// Output: true /home
}

func ExampleJoinTables() {
	b := topology.NewBuilder()
	left, right := topology.TableFrom(b, users, rowsOf("names")), topology.TableFrom(b, payments, rowsOf("cards"))
	topology.JoinTables(left, right, func(name, card string) string { return name + " pays with " + card }).Changes().To(out)

	d := drive(b)
	at(d, users, 1, "u1", "Ann")
	at(d, payments, 2, "u1", "visa")
	at(d, users, 3, "u1", "Anna")
	show(d, out)
	// Output:
	// out: u1=Ann pays with visa at 2
	// out: u1=Anna pays with visa at 3
}

func ExampleLeftJoinTables() {
	b := topology.NewBuilder()
	left, right := topology.TableFrom(b, users, rowsOf("names")), topology.TableFrom(b, payments, rowsOf("cards"))
	topology.LeftJoinTables(left, right, orNobody).Changes().To(out)

	d := drive(b)
	at(d, users, 1, "u1", "Ann")
	at(d, payments, 2, "u1", "visa")
	show(d, out)
	// Output:
	// out: u1=Ann+- at 1
	// out: u1=Ann+visa at 2
}

func ExampleOuterJoinTables() {
	b := topology.NewBuilder()
	left, right := topology.TableFrom(b, users, rowsOf("names")), topology.TableFrom(b, payments, rowsOf("cards"))
	topology.OuterJoinTables(left, right, either, topology.Materialized[string, string](rowsOf("both"))).Changes().To(out)

	d := drive(b)
	at(d, payments, 1, "u1", "visa")
	at(d, users, 2, "u1", "Ann")
	show(d, out)
	// Output:
	// out: u1=-+visa at 1
	// out: u1=Ann+visa at 2
}

func ExampleJoinStreams() {
	b := topology.NewBuilder()
	stores := topology.NewJoinStores("paid-clicks", codec.String, codec.String, codec.String)
	topology.JoinStreams(topology.From(b, clicks), topology.From(b, payments), topology.Within(10*time.Millisecond), stores,
		func(click, payment string) string { return click + "+" + payment }).To(out)

	d := drive(b)
	at(d, clicks, 1, "u1", "/buy")
	at(d, payments, 11, "u1", "3€")
	at(d, payments, 12, "u1", "too late")
	show(d, out)
	// Output: out: u1=/buy+3€ at 11
}

func ExampleLeftJoinStreams() {
	b := topology.NewBuilder()
	stores := topology.NewJoinStores("paid-clicks", codec.String, codec.String, codec.String)
	within := topology.Within(0).After(10 * time.Millisecond).Grace(5 * time.Millisecond)
	topology.LeftJoinStreams(topology.From(b, clicks), topology.From(b, payments), within, stores, orNobody).To(out)

	d := drive(b)
	at(d, clicks, 1, "u1", "/buy")
	at(d, clicks, 17, "u2", "/home") // beyond 1 + 10 + 5: nobody has paid
	show(d, out)
	// Output: out: u1=/buy+- at 1
}

func ExampleOuterJoinStreams() {
	b := topology.NewBuilder()
	stores := topology.NewJoinStores("paid-clicks", codec.String, codec.String, codec.String)
	topology.OuterJoinStreams(topology.From(b, clicks), topology.From(b, payments), topology.Within(10*time.Millisecond), stores, either).To(out)

	d := drive(b)
	at(d, payments, 1, "u1", "3€")
	at(d, clicks, 12, "u2", "/home")
	show(d, out)
	// Output: out: u1=-+3€ at 1
}

func ExampleJoinGlobal() {
	b := topology.NewBuilder()
	names := topology.GlobalTableFrom(b, users)
	user := func(_, payment string) string { return strings.Fields(payment)[0] }
	topology.JoinGlobal(topology.From(b, payments), names, user, func(payment, name string) string { return name + ": " + payment }).To(out)

	d := drive(b)
	at(d, users, 1, "u1", "Ann")
	at(d, payments, 2, "p77", "u1 3€")
	show(d, out)
	// Output: out: p77=Ann: u1 3€ at 2
}

func ExampleLeftJoinGlobal() {
	b := topology.NewBuilder()
	names := topology.GlobalTableFrom(b, users)
	user := func(_, payment string) string { return strings.Fields(payment)[0] }
	topology.LeftJoinGlobal(topology.From(b, payments), names, user, orNobody).To(out)

	d := drive(b)
	at(d, payments, 2, "p77", "u1 3€")
	show(d, out)
	// Output: out: p77=u1 3€+- at 2
}

// paidBy says that a payment is of the user before its first blank.
func paidBy(_, payment string) (string, bool) {
	user, _, ok := strings.Cut(payment, " ")
	return user, ok
}

var paying = topology.ForeignKeys[string, string, string, string]{
	Name: "payer", Key: codec.String, Left: codec.String, Foreign: codec.String, Right: codec.String,
}

func ExampleJoinForeignKey() {
	b := topology.NewBuilder()
	left, right := topology.TableFrom(b, payments, rowsOf("paid")), topology.TableFrom(b, users, rowsOf("names"))
	topology.JoinForeignKey(left, right, paidBy, paying, func(payment, name string) string { return name + ": " + payment },
		rowsOf("named")).Changes().To(out)

	d := drive(b)
	at(d, payments, 1, "p77", "u1 3€")
	at(d, users, 2, "u1", "Ann")
	show(d, out)
	// Output: out: p77=Ann: u1 3€ at 2
}

func ExampleLeftJoinForeignKey() {
	b := topology.NewBuilder()
	left, right := topology.TableFrom(b, payments, rowsOf("paid")), topology.TableFrom(b, users, rowsOf("names"))
	topology.LeftJoinForeignKey(left, right, paidBy, paying, orNobody, rowsOf("named")).Changes().To(out)

	d := drive(b)
	at(d, payments, 1, "p77", "u1 3€")
	at(d, users, 2, "u1", "Ann")
	show(d, out)
	// Output:
	// out: p77=u1 3€+- at 1
	// out: p77=u1 3€+Ann at 2
}
