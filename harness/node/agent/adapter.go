package agent

import (
	"context"
	"crypto"
	"errors"
)

// Adapter delivers certificates to the workloads of one kind of integration.
//
// A delivery goes in two steps: Stage puts it beside what is in use, and Promote
// puts it in use. Both may be called again for the same delivery, after a crash
// in the middle among others, and then end in the same state. An error is a
// [*Fault] if a code of the interface says why.
type Adapter interface {
	// Check takes over the desired state of an integration, as often as the node
	// likes, and checks that it can be operated.
	Check(ctx context.Context, d Desired) error
	// Withdraw ends the node's authority over an integration.
	Withdraw(ctx context.Context, d Desired) error
	Stage(ctx context.Context, d Delivery) error
	// Promote checks that workloads find what was staged, and puts back what was
	// in use before if they do not.
	Promote(ctx context.Context, d Delivery) error
}

// Desired is the state of an integration that the console wants.
type Desired struct {
	IntegrationID    string
	Kind             string
	AdapterReference string
	ProfileID        string
	Revision         int64
	Enabled          bool
}

// Delivery is a certificate chain with its key, for one integration.
type Delivery struct {
	Desired
	TransactionID string
	Certificates  [][]byte // DER, the leaf first
	Key           crypto.Signer
}

// Fault is why an adapter cannot be operated.
type Fault struct {
	Code  string // of the interface, section 7, or docs/service.md
	Cause error
}

// Error returns code and cause.
func (f *Fault) Error() string { return f.Code + ": " + f.Cause.Error() }

// Unwrap returns the cause.
func (f *Fault) Unwrap() error { return f.Cause }

func fault(code string, cause error) error { return &Fault{code, cause} }

// Codes of integrations (interface 7, docs/service.md).
const (
	codeAdapterUnavailable = "adapter_unavailable"
	codeDeliveryInvalid    = "delivery_invalid"
	codeNotConfigured      = "secret_store_not_configured"
	codeReferenceInvalid   = "adapter_reference_invalid"
	codeProfileNotMapped   = "profile_not_mapped"
	codeAwaitsDesired      = "store_awaiting_desired_state"
	codeStoreUnavailable   = "store_unavailable"
)

// bindingCode is a code of a rotation that contradicts its integration; those of
// the secret store have a name of their own.
func bindingCode(kind, code string) string {
	if kind == kindSecretStore {
		return "secret_store_" + code
	}
	return code
}

// Kinds of integrations that a node operates.
const (
	kindNginx       = "nginx"
	kindSecretStore = "secret_store"
)

// codeOf is the code of an adapter's error, empty if there is none.
func codeOf(err error) string {
	var f *Fault
	switch {
	case err == nil:
		return ""
	case errors.As(err, &f):
		return f.Code
	}
	return codeAdapterUnavailable
}
