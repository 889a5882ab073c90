package fencing

import (
	"fmt"
	"strings"
)

const (
	// maxTransactionalID is the longest name that Kafka takes for a topic or a
	// group. transactional.id has no limit of its own in the protocol, but it
	// ends up in file names, ACLs and tools that assume this one.
	maxTransactionalID = 249
	// maxApplicationID leaves room for what is appended to an application id:
	// "-<store>-changelog" in topic names, the instance in transactional ids.
	maxApplicationID = 200
	// maxInstanceID is generous: names of pods in a StatefulSet have at most 63.
	maxInstanceID = 128
)

// TransactionalID names one producer:
//
//	<application.id>-<instance id>-<worker>-<slot>
//
// It is the same after every restart, so that the successor of a crashed
// process finishes what that one left open, and differs from that of every
// other living producer. It depends neither on the number of partitions nor on
// the number of workers: ids that shift with either leave zombies unfenced.
//
// The parts may contain hyphens themselves, since names of pods do, and the
// application id stays a prefix for ACLs. So two applications of which one's
// name continues the other's ("orders" and "orders-eu") must not choose
// instance ids that make up for the difference: they would fence each other.
type TransactionalID string

// NewTransactionalID makes the id of one producer of one worker. worker and
// slot count from 0. The parts are validated again, since a wrong one shows
// only when two processes fence each other. Errors match [ErrInvalidID].
func NewTransactionalID(application, instance string, worker, slot int) (TransactionalID, error) {
	if err := ValidateApplicationID(application); err != nil {
		return "", err
	}
	if err := ValidateInstanceID(instance); err != nil {
		return "", err
	}
	if worker < 0 || slot < 0 {
		return "", fmt.Errorf("%w: worker %d and slot %d of a transactional id must not be negative", ErrInvalidID, worker, slot)
	}
	id := fmt.Sprintf("%s-%s-%d-%d", application, instance, worker, slot)
	if len(id) > maxTransactionalID {
		return "", fmt.Errorf("%w: transactional id %q has %d characters, at most %d are allowed; shorten application.id (%d) or the instance id (%d)",
			ErrInvalidID, id, len(id), maxTransactionalID, len(application), len(instance))
	}
	return TransactionalID(id), nil
}

// String returns the id as it is sent.
func (id TransactionalID) String() string { return string(id) }

// ValidateApplicationID checks an application.id: it is also the group id, the
// prefix of internal topics, and the name of the state directory. Errors match
// [ErrInvalidID].
func ValidateApplicationID(id string) error {
	return validate("application.id", id, maxApplicationID)
}

// ValidateInstanceID checks an instance id. Errors match [ErrInvalidID].
func ValidateInstanceID(id string) error {
	return validate("instance id", id, maxInstanceID)
}

func validate(what, id string, limit int) error {
	switch {
	case id == "":
		return fmt.Errorf("%w: %s is empty", ErrInvalidID, what)
	case id == "." || id == "..":
		return fmt.Errorf("%w: %s must not be %q", ErrInvalidID, what, id)
	case len(id) > limit:
		return fmt.Errorf("%w: %s has %d bytes, at most %d are allowed", ErrInvalidID, what, len(id), limit)
	}
	i := strings.IndexFunc(id, func(r rune) bool { return !legal(r) })
	if i < 0 {
		return nil
	}
	bad := []rune(id[i:])[0]
	return fmt.Errorf("%w: %s %q has %q at byte %d; allowed are A-Z a-z 0-9 . _ -", ErrInvalidID, what, id, bad, i)
}

// legal reports whether Kafka takes the character in names of topics.
func legal(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '.' || r == '_' || r == '-'
}
