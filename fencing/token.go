package fencing

import "fmt"

// Token proves membership of a consumer group. It is captured when records are
// polled, and sent with the offsets of the transaction that processed them
// (KIP-447). Captured at commit time instead, it could belong to a newer
// generation than the records, and would fence nothing.
type Token struct {
	Group string
	// MemberID is the id that the group coordinator gave; empty means none.
	MemberID string
	// InstanceID is group.instance.id; empty for a dynamic member.
	InstanceID string
	// Generation is the generation (classic protocol) or member epoch
	// (KIP-848); -1 means none.
	Generation int32
}

// NoToken is the token of a worker that is no member of group.
func NoToken(group string) Token { return Token{Group: group, Generation: -1} }

// Valid reports whether the token can fence. Kafka accepts transactional
// offsets with generation -1 and an empty member id without any check, so a
// commit must never go out with an invalid token.
func (t Token) Valid() bool { return t.Group != "" && t.MemberID != "" && t.Generation >= 0 }

// SameMembership reports whether both tokens are of one member in one
// generation of one group.
func (t Token) SameMembership(o Token) bool {
	return t.Group == o.Group && t.MemberID == o.MemberID && t.Generation == o.Generation
}

// String renders the token for logs.
func (t Token) String() string {
	if !t.Valid() {
		return fmt.Sprintf("group %q: no member", t.Group)
	}
	if t.InstanceID != "" {
		return fmt.Sprintf("group %q member %s (instance %s) generation %d", t.Group, t.MemberID, t.InstanceID, t.Generation)
	}
	return fmt.Sprintf("group %q member %s generation %d", t.Group, t.MemberID, t.Generation)
}
