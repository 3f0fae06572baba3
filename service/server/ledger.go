package server

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"time"

	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/service/durable"
	"github.com/svc-edge/svc-verify/service/httpd"
)

// Kinds of documents in the store.
const (
	kindState       = "state" // single documents, by the ids below
	kindNode        = "node"
	kindTransaction = "transaction"
	kindOpen        = "open" // transactions that need something done
	kindRotation    = "rotation"
	kindCertificate = "certificate"
	kindRegistry    = "registry"
	kindList        = "crl"
	kindNotice      = "notice"
	kindIntegration = "integration"
	kindResume      = "resume"

	stateCloud    = "cloud"
	statePolicy   = "policy"
	stateRoster   = "roster"
	stateServices = "services"
	stateIncident = "incident"
	stateNewest   = "newest" // number of the newest transaction
)

// ledger makes decisions durable. Only one is made at a time, and nothing of it is to be seen
// before it is on disk. After a failure to write one there are no more: the server's next
// answer could contradict its answers after a restart.
type ledger struct {
	store   *durable.Store
	mu      sync.Mutex    // held over every decision, until it is durable
	changed chan struct{} // closed and replaced after each one
	failed  error
	broken  chan struct{} // closed with the first failure

	// The changes of a decision that are not durable yet.
	writes    []func(*durable.Tx) error
	documents map[place]func() seal.Object // as they are at its end; nil to delete one
}

// place is the kind and the id of a document.
type place struct{ kind, id string }

func openLedger(dir string) (*ledger, error) {
	store, err := durable.Open(dir, "tenant")
	if err != nil {
		return nil, err
	}
	return &ledger{store: store, changed: make(chan struct{}), broken: make(chan struct{}),
		documents: map[place]func() seal.Object{}}, nil
}

// close ends the use of the state directory.
func (l *ledger) close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.failed = errors.New("the server is closed")
	return l.store.Close()
}

// update makes a decision: f, and then all that f changed durable. A refusal is
// returned as it is; whatever f had changed before stays changed.
func (l *ledger) update(f func() error) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.failed != nil {
		return httpd.Refuse(http.StatusServiceUnavailable, "unavailable", "the service has failed")
	}
	err := f()
	if failure := l.commit(); failure != nil {
		l.failed = failure
		close(l.broken)
		return httpd.Refuse(http.StatusServiceUnavailable, "unavailable", "the decision could not be made durable")
	}
	return err
}

// inspect runs f under the lock. It must change nothing that is durable.
func (l *ledger) inspect(f func() error) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.failed != nil {
		return httpd.Refuse(http.StatusServiceUnavailable, "unavailable", "the service has failed")
	}
	return f()
}

// answerView returns the answer of show, and decides nothing.
func (l *ledger) answerView(show func() (seal.Object, error)) (answer seal.Object, err error) {
	err = l.inspect(func() error {
		answer, err = show()
		return err
	})
	return answer, err
}

// awaitDone makes a decision, f, now and after each change, until it is done or the
// wait is over. Without a change it is made again after a tick, or after again if
// that is longer.
func (l *ledger) awaitDone(ctx context.Context, wait time.Duration,
	f func() (done bool, again time.Duration, err error)) error {
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	for over := false; ; over = ctx.Err() != nil {
		var done bool
		var again time.Duration
		var changed chan struct{}
		if err := l.update(func() (err error) {
			changed = l.changed
			done, again, err = f()
			return err
		}); err != nil || done || over {
			return err
		}
		timer := time.NewTimer(max(again, tick))
		select {
		case <-changed:
		case <-timer.C:
		case <-l.broken:
		case <-ctx.Done():
		}
		timer.Stop()
	}
}

// commit makes the changes durable and wakes everyone who waits for one.
func (l *ledger) commit() error {
	if len(l.writes)+len(l.documents) == 0 {
		return nil
	}
	if err := l.store.Update(l.write); err != nil {
		return err
	}
	l.writes = nil
	clear(l.documents)
	l.wake()
	return nil
}

// wake wakes everyone who waits for a change.
func (l *ledger) wake() {
	close(l.changed)
	l.changed = make(chan struct{})
}

func (l *ledger) write(tx *durable.Tx) error {
	for _, write := range l.writes {
		if err := write(tx); err != nil {
			return err
		}
	}
	for at, latest := range l.documents {
		err := error(nil)
		if document := latest(); document == nil {
			err = tx.Delete(at.kind, at.id)
		} else {
			err = tx.Put(at.kind, at.id, document)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// append adds an event of the tenant log to the current decision.
func (l *ledger) append(event seal.Object) {
	l.writes = append(l.writes, func(tx *durable.Tx) error { return tx.Append(event) })
}

// put adds a document to the current decision, nil to delete it.
func (l *ledger) put(kind, id string, document seal.Object) {
	l.save(kind, id, func() seal.Object { return document })
}

// save is put for a document as it is at the decision's end.
func (l *ledger) save(kind, id string, latest func() seal.Object) {
	l.documents[place{kind, id}] = latest
}

// removeThrough deletes the documents of a kind up to an id with the current decision.
func (l *ledger) removeThrough(kind, id string) {
	l.writes = append(l.writes, func(tx *durable.Tx) error { return tx.DeleteThrough(kind, id) })
}

// exists reports whether a document is in the store or in the current decision.
func (l *ledger) exists(kind, id string) (bool, error) {
	document, err := l.store.Get(kind, id)
	return document != nil || l.documents[place{kind, id}] != nil, err
}

// page is how many entries are read from the store at once.
const page = 256
