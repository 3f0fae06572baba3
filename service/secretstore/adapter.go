package secretstore

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/service/adapter"
	"github.com/svc-edge/svc-verify/service/form"
	"github.com/svc-edge/svc-verify/service/nodeconfig"
)

// Store is the secrets engine, at the mount and base path of the settings. A
// path is "pointer" or "generations/slot-000001". [Client] is the real one.
type Store interface {
	// Metadata returns the engine's metadata of the current version of a path, and [ErrAbsent]
	// if the engine knows none.
	Metadata(ctx context.Context, path string) (Metadata, error)
	// Read returns the current version of a record. The record is nil if that
	// version was deleted or destroyed; the error is [ErrAbsent] if there is no
	// version.
	Read(ctx context.Context, path string) (seal.Object, Metadata, error)
	// Write writes a further version if the current one is cas, 0 for none, and returns the
	// engine's metadata of it. The error is [ErrConflict] if another one was current, and a
	// [*RefusedError] if the engine refused otherwise. After any error but a refusal the
	// record may have been written.
	Write(ctx context.Context, path string, cas int64, record seal.Object) (Metadata, error)
}

// Metadata describes a version, as the engine reports it.
type Metadata struct {
	Version int64
	Created string // as the engine writes it
	Deleted bool   // deleted or destroyed
}

// Workload is the service that uses the certificates. [NewWorkload] returns the
// real one.
type Workload interface {
	// Reload has the workload take up a certificate. It does nothing if no
	// program is configured.
	Reload(ctx context.Context, certificateFile string) error
	// Probe asks the health URL once, and returns nil if it shows the leaf (DER).
	Probe(ctx context.Context, leaf []byte) error
}

// Errors of a store.
var (
	ErrAbsent   = errors.New("the store has no such record")
	ErrConflict = errors.New("the store has another version than expected")
)

// RefusedError is an answer of the engine that is neither success nor one of the errors above.
// The request was not carried out if the status is 4xx.
type RefusedError struct {
	Status int
	Errors []string // as the engine reports them, quoted and shortened
}

// Journal makes the adapter's state durable, each change together with the
// events that tell of it.
type Journal interface {
	// Load returns the state that was kept last, nil if there is none.
	Load() (seal.Object, error)
	// Keep replaces the state and appends the events, both or none. After an
	// error the adapter must not be used any more.
	Keep(state seal.Object, events ...Event) error
}

// Event is an event of the node's journal.
type Event struct {
	Type          string
	TransactionID string // "" if it is about none
	Data          seal.Object
}

// Config configures an adapter.
type Config struct {
	Settings *nodeconfig.SecretStore
	Store    Store
	Workload Workload
	Journal  Journal
	// Now returns the time, in UTC.
	Now func() time.Time
	// Wait returns after a time, or with the context's error before.
	Wait func(ctx context.Context, d time.Duration) error
	Log  *slog.Logger
}

// Adapter delivers into one location of a store. No one calls two of its methods
// at a time.
type Adapter struct {
	*location
	invalid error // why the kept state cannot be read
}

// location is where the store is written: its content, as far as this node knows, and the
// writes that keep it so. The adapter decides on their purpose.
type location struct {
	config Config
	state  state
	broken error // of the journal: nothing is done any more
}

var _ adapter.Adapter = (*Adapter)(nil)

// New loads the state of a location. A state that cannot be read is no error of New: the
// adapter reports it at each check, and does nothing else.
func New(c Config) (*Adapter, error) {
	o, err := c.Journal.Load()
	if err != nil {
		return nil, err
	}
	a := &Adapter{location: &location{config: c}}
	a.state, a.invalid = restoreState(o)
	return a, nil
}

// keep makes a change of the state durable, with the events that tell of it. After an error no
// one knows how much is durable: there is no further change, and as a change precedes every
// effect, no further effect.
func (l *location) keep(change func(*state), events ...Event) error {
	if l.broken != nil {
		return l.broken
	}
	next := firstState()
	seal.Do(form.Restore(form.Document(l.state), &next)) // a copy, as it is kept
	change(&next)
	if err := l.config.Journal.Keep(form.Document(next), events...); err != nil {
		l.broken = err
		return err
	}
	l.state = next
	return nil
}

// faultOf turns an error of the store into a fault: with the code foreign if the store holds
// records that this node did not write, else unavailable. A context that has ended decides
// nothing.
func faultOf(ctx context.Context, foreign string, err error) error {
	return failureOr(ctx, foreign, adapter.StoreUnavailable, err)
}

func failureOr(ctx context.Context, foreign, unavailable string, err error) error {
	var known *adapter.Fault
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.As(err, &known):
		return err
	case errors.Is(err, errForeign):
		return adapter.NewFault(foreign, err)
	}
	return adapter.NewFault(unavailable, err)
}
