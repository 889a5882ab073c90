package main

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/eosproc/eosproc/eostest"
)

func TestPlacedOrdersBecomePayments(t *testing.T) {
	topo, err := build()
	require.NoError(t, err)
	d := eostest.New(t, topo)
	at := time.UnixMilli(1000)
	eostest.Send(d, orders, "o-1", Order{ID: 1, Status: "PLACED", Amount: 500, Customer: "ada"}, at)
	eostest.Send(d, orders, "o-2", Order{ID: 2, Status: "NEW", Amount: 500, Customer: "ada"}, at)
	eostest.Send(d, orders, "o-3", Order{ID: 3, Status: "PLACED", Amount: 0, Customer: "bob"}, at)

	got := eostest.Read(d, payments)
	require.Len(t, got, 1)
	require.Equal(t, "ada", got[0].Key)
	require.Equal(t, Payment{Order: 1, Cents: 500}, got[0].Value)
	require.EqualValues(t, 1000, got[0].Timestamp)
}
