package fencing

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestNewTransactionalID(t *testing.T) {
	id, err := NewTransactionalID("orders", "orders-0", 1, 0)
	require.NoError(t, err)
	assert.Equal(t, "orders-orders-0-1-0", id.String())
}

func TestNewTransactionalIDRefuses(t *testing.T) {
	long := strings.Repeat("a", 200)
	tests := []struct {
		name                  string
		application, instance string
		worker, slot          int
		message               string
	}{
		{"empty application", "", "a", 0, 0, "application.id is empty"},
		{"empty instance", "a", "", 0, 0, "instance id is empty"},
		{"dot", "..", "a", 0, 0, `must not be ".."`},
		{"slash", "a/b", "a", 0, 0, `has '/' at byte 1`},
		{"space", "a", "pod 1", 0, 0, `instance id "pod 1" has ' ' at byte 3`},
		{"unicode", "a", "größe", 0, 0, `has 'ö' at byte 2`},
		{"broken utf-8", "a", "x\xff", 0, 0, `at byte 1`},
		{"newline", "a\n", "a", 0, 0, `has '\n'`},
		{"application too long", long + "a", "a", 0, 0, "application.id has 201 bytes, at most 200"},
		{"instance too long", "a", long, 0, 0, "instance id has 200 bytes, at most 128"},
		{"together too long", long, long[:60], 0, 0, "shorten application.id (200) or the instance id (60)"},
		{"negative worker", "a", "a", -1, 0, "must not be negative"},
		{"negative slot", "a", "a", 0, -1, "must not be negative"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			id, err := NewTransactionalID(tt.application, tt.instance, tt.worker, tt.slot)
			require.ErrorIs(t, err, ErrInvalidID)
			assert.ErrorContains(t, err, tt.message)
			assert.Empty(t, id)
		})
	}
}

func TestTransactionalIDFillsTheLimit(t *testing.T) {
	id, err := NewTransactionalID(strings.Repeat("a", 200), strings.Repeat("b", 44), 0, 0)
	require.NoError(t, err)
	assert.Len(t, id.String(), 249)
}

func TestToken(t *testing.T) {
	member := Token{Group: "orders", MemberID: "m-1", Generation: 4}
	assert.True(t, member.Valid())
	assert.False(t, NoToken("orders").Valid())
	assert.False(t, Token{}.Valid(), "the zero token proves nothing")
	assert.False(t, Token{Group: "orders", MemberID: "m-1", Generation: -1}.Valid())
	assert.False(t, Token{Group: "orders", Generation: 4}.Valid())
	assert.True(t, Token{Group: "orders", MemberID: "m-1"}.Valid(), "generations may start at 0")

	next := member
	next.Generation++
	assert.False(t, member.SameMembership(next))
	assert.True(t, member.SameMembership(member))

	assert.Equal(t, `group "orders" member m-1 generation 4`, member.String())
	assert.Equal(t, `group "orders": no member`, NoToken("orders").String())
	member.InstanceID = "pod-1"
	assert.Contains(t, member.String(), "instance pod-1")
}
