// Package adapter is the interface of a node's adapters. It has their tasks, and
// the codes of their failures. An adapter delivers certificates to the workloads
// of one kind of integration.
package adapter

import (
	"context"
	"crypto"
	"errors"
)

// Adapter delivers certificates to the workloads of one kind of integration.
// Its methods are never called concurrently for one integration.
//
// A delivery has two steps: Stage puts it next to the one in use, and Promote puts it in use.
// Both may be called again for the same delivery, after a crash in the middle among others,
// and then end in the same state. An error is a [*Fault] if one of its codes explains it. An
// error of a context that has ended decides nothing: the delivery is called again, or given up
// by the next Check or Withdraw.
type Adapter interface {
	// Check adopts the desired state of an integration, as often as the node likes, ends
	// interrupted work, and checks that it can be operated.
	Check(ctx context.Context, d Desired) error
	// Withdraw ends the node's authority over an integration, after it has ended interrupted
	// work.
	Withdraw(ctx context.Context, d Desired) error
	Stage(ctx context.Context, d Delivery) error
	// Promote checks that workloads find the staged delivery, and puts back the one that was
	// in use before if they do not.
	Promote(ctx context.Context, d Delivery) error
}

// Desired is the state of an integration that the console wants.
type Desired struct {
	IntegrationID    string `json:"integration_id"`
	Kind             string `json:"kind"`
	AdapterReference string `json:"adapter_reference"`
	ProfileID        string `json:"profile_id"`
	Revision         int64  `json:"revision"`
	Enabled          bool   `json:"enabled"`
}

// Delivery is a certificate chain with its key, for one integration.
type Delivery struct {
	Desired
	TransactionID string
	Certificates  [][]byte // DER, the leaf first
	Key           crypto.Signer
}

// Fault is why an adapter cannot be operated, or a delivery failed.
type Fault struct {
	Code  string // of service/docs/service.md or service/docs/secret-store.md
	Cause error
}

// Error returns code and cause.
func (f *Fault) Error() string { return f.Code + ": " + f.Cause.Error() }

// Unwrap returns the cause.
func (f *Fault) Unwrap() error { return f.Cause }

// NewFault is a fault of a code.
func NewFault(code string, cause error) error { return &Fault{code, cause} }

// CodeOf is the code of an adapter's error, empty if there is none, and
// [Unavailable] if the adapter has no code for it.
func CodeOf(err error) string {
	var f *Fault
	switch {
	case err == nil:
		return ""
	case errors.As(err, &f):
		return f.Code
	}
	return Unavailable
}

// Codes of integrations and deliveries (service/docs/service.md,
// service/docs/secret-store.md).
const (
	Unavailable          = "adapter_unavailable"
	DeliveryInvalid      = "delivery_invalid"
	NotConfigured        = "secret_store_not_configured"
	ReferenceInvalid     = "adapter_reference_invalid"
	ProfileNotMapped     = "profile_not_mapped"
	AwaitsDesired        = "store_awaiting_desired_state"
	StoreUnavailable     = "store_unavailable"
	BootstrapFailed      = "store_bootstrap_failed"
	StateInvalid         = "store_state_invalid"
	PointerInvalid       = "store_pointer_invalid"
	RecoveryPending      = "store_recovery_pending"
	StoreNotAllowed      = "secret_store_integration_unavailable"
	PromotionUnconfirmed = "promotion_unconfirmed"
	PromotionInterrupted = "promotion_interrupted"
	ReloadFailed         = "reload_failed"
)
