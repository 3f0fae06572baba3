package agent

import (
	"context"
	"errors"
	"fmt"

	"github.com/svc-edge/svc-verify/internal/nodeconfig"
)

// secretStore holds the desired state of the secret-store integration against
// the node's own settings, before the adapter does anything (interface 3.2, 7).
type secretStore struct {
	settings *nodeconfig.SecretStore // nil if the node has none
	adapter  Adapter                 // nil if there is none on this node
}

func (s secretStore) Check(ctx context.Context, d Desired) error {
	if err := s.matches(d); err != nil {
		return err
	}
	return s.adapter.Check(ctx, d)
}

// matches checks that console and node mean the same store.
func (s secretStore) matches(d Desired) error {
	switch {
	case s.settings == nil:
		return fault(codeNotConfigured, errors.New("the node has no settings of a secret store"))
	case d.AdapterReference != s.settings.AdapterReference:
		return fault(codeReferenceInvalid, fmt.Errorf("the node's adapter is %q, the console's %q", s.settings.AdapterReference, d.AdapterReference))
	case d.ProfileID != s.settings.ProfileID:
		return fault(codeProfileNotMapped, fmt.Errorf("the node's profile is %q, the console's %q", s.settings.ProfileID, d.ProfileID))
	case s.adapter == nil:
		return fault(codeStoreUnavailable, errors.New("this node has no adapter for secret stores"))
	}
	return nil
}

func (s secretStore) Withdraw(ctx context.Context, d Desired) error {
	if s.adapter == nil {
		return nil
	}
	return s.adapter.Withdraw(ctx, d)
}

func (s secretStore) Stage(ctx context.Context, d Delivery) error {
	if err := s.matches(d.Desired); err != nil {
		return err
	}
	return s.adapter.Stage(ctx, d)
}

func (s secretStore) Promote(ctx context.Context, d Delivery) error {
	if err := s.matches(d.Desired); err != nil {
		return err
	}
	return s.adapter.Promote(ctx, d)
}
