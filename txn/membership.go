package txn

import (
	"context"
	"errors"
	"fmt"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/eosproc/eosproc/fencing"
)

// proveMembership asks the group coordinator whether it still knows the token's
// member in its generation, by a request that changes nothing: a heartbeat of
// the classic protocol; under KIP-848, where a heartbeat would also report an assignment, an
// offset fetch, which checks the member epoch. (Committing the known positions
// again would prove it too, but would take back a commit whose answer was lost.)
func proveMembership(ctx context.Context, client *kgo.Client, token fencing.Token, consumerProtocol bool) error {
	if !token.Valid() {
		return &stepError{fencing.Heartbeat, kerr.UnknownMemberID}
	}
	if consumerProtocol {
		req := kmsg.NewPtrOffsetFetchRequest()
		group := kmsg.NewOffsetFetchRequestGroup()
		group.Group, group.MemberID, group.MemberEpoch = token.Group, &token.MemberID, token.Generation
		group.Topics = []kmsg.OffsetFetchRequestGroupTopic{}
		req.Groups = append(req.Groups, group)
		resp, err := req.RequestWith(ctx, client)
		if err != nil {
			return &stepError{fencing.OffsetFetch, err}
		}
		for _, g := range resp.Groups {
			if err := kerr.ErrorForCode(g.ErrorCode); err != nil {
				return &stepError{fencing.Heartbeat, err}
			}
		}
		return nil
	}
	req := kmsg.NewPtrHeartbeatRequest()
	req.Group, req.Generation, req.MemberID = token.Group, token.Generation, token.MemberID
	if token.InstanceID != "" {
		req.InstanceID = &token.InstanceID
	}
	resp, err := req.RequestWith(ctx, client)
	if err == nil {
		err = kerr.ErrorForCode(resp.ErrorCode)
	}
	if err == nil || errors.Is(err, kerr.RebalanceInProgress) {
		return nil
	}
	return &stepError{fencing.Heartbeat, fmt.Errorf("prove membership of %s: %w", token, err)}
}
