// Package httpapi serves what an operator and a scheduler ask a running
// application over HTTP: metrics, health, version, topology.
//
// It owns the paths and the limits of the server. It must not know what the
// application does: it is given functions to ask. It changes nothing: there are
// no administrative requests, no profiles, no view of records or configuration.
//
// # Invariants
//
//   - Every request is bounded in time and size.
//   - A body is one short text; health checks reveal no more than what the
//     application waits for.
//   - [Server.Run] returns after the listener is closed and requests have ended.
package httpapi
