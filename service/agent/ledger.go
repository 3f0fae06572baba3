package agent

import (
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/svc-edge/svc-verify/harness/chance"
	"github.com/svc-edge/svc-verify/harness/node"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/service/durable"
	"github.com/svc-edge/svc-verify/service/feed"
	"github.com/svc-edge/svc-verify/service/httpd"
	"github.com/svc-edge/svc-verify/service/nodeconfig"
	"github.com/svc-edge/svc-verify/service/otlp"
)

// The documents of the state directory: kinds, and the id of documents that exist only once.
const (
	kindIdentity      = "identity"      // whose state it is, and the generations of its key
	kindEnrolment     = "enrolment"     // statements that the cloud has not taken yet, by generation
	kindPolicy        = "policy"        // the envelope taken over last, and when
	kindRoster        = "roster"        // the envelope taken over last
	kindRegistrations = "registrations" // version and services
	kindWitnessed     = "witnessed"     // of the tenant log, see package node
	kindNotices       = "notices"       // the sequence of the last one
	kindOutbox        = "outbox"        // results that the cloud has not taken yet, in order
	kindAnswer        = "answer"        // the result of each piece of work, by transaction and kind
	kindCapability    = "capability"    // the newest evidence of each profile's capabilities
	kindIntegration   = "integration"   // desired state, and the answer about it
	kindRotation      = "rotation"      // by transaction
	kindStore         = "store"         // the state of the secret-store adapter, by location
	kindExport        = "export"        // the exporter's configuration that was journalled last

	only = "current"
)

// page is how many documents or events are read at once.
const page = 256

// ledger makes decisions of the node durable. Only one is made at a time. After a failure to
// write one there are no more: the next statements could contradict the ones that the node
// signs after a restart.
type ledger struct {
	store    *durable.Store
	feed     *feed.Feed
	exporter *otlp.Exporter // nil while it is off
	key      atomic.Pointer[seal.Key]

	mu     sync.Mutex // everything below, and the state that the other parts of the agent keep in memory
	node   *node.Node
	tx     *durable.Tx // of the decision that is being made
	unkept error       // of an event of that decision
	told   bool        // it publishes a trust event
	broken error       // after a decision that could not be made durable
}

// refusal is a judgement of the node that signed nothing.
type refusal struct{ error }

func (r refusal) Unwrap() error { return r.error }

// refuse makes an error of the node a refusal.
func refuse(err error) error {
	if err == nil {
		return nil
	}
	return refusal{err}
}

// update lets the node judge, and makes the signed events and all that judge does with the
// transaction durable together. A refusal changes nothing. After any other error the node must
// stop, and later updates fail.
func (l *ledger) update(judge func(tx *durable.Tx) error) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.broken != nil {
		return l.broken
	}
	before := l.node.Sequence()
	err := l.store.Update(func(tx *durable.Tx) error {
		l.tx, l.unkept, l.told = tx, nil, false
		if err := judge(tx); err != nil {
			return err
		}
		return l.unkept
	})
	l.tx = nil
	var refused refusal
	if errors.As(err, &refused) && l.node.Sequence() == before {
		return refused.error
	}
	if err != nil {
		l.broken = fmt.Errorf("a decision could not be made durable: %w", err)
		return l.broken
	}
	if l.exporter != nil && l.node.Sequence() != before {
		l.exporter.Wake()
	}
	if l.told {
		l.feed.Wake()
	}
	return nil
}

// publish adds a trust event to the decision.
func (l *ledger) publish(topic string, data seal.Object) error {
	l.told = true
	return l.feed.Publish(l.tx, topic, data)
}

// append makes an event of the journal durable, within the decision.
func (l *ledger) append(event seal.Object) {
	if l.unkept == nil {
		l.unkept = l.tx.Append(event)
	}
}

// dead is why the node must not go on, nil if it may.
func (l *ledger) dead() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.broken
}

// sign seals a statement with the key that the node has now. It acquires no lock, as it is
// called within decisions too.
func (l *ledger) sign(statement seal.Object) seal.Object {
	return seal.Seal(statement, *l.key.Load())
}

// core is shared by all parts of the agent.
type core struct {
	config *nodeconfig.Config
	log    *slog.Logger
	clock  chance.Clock
	*ledger
	cloud   *httpd.Client
	metrics *metrics
	wake    chan struct{} // the loop with the cloud has something to hand over
}

func newCore(c Config, store *durable.Store) *core {
	return &core{
		config: c.Node, log: c.Log, clock: chance.Wall(), ledger: &ledger{store: store}, wake: make(chan struct{}, 1),
	}
}

// now is the time as documents write it.
func (c *core) now() time.Time { return c.clock.Next() }

// onlyOnes are the only documents of some kinds, nil where there is none.
func (c *core) onlyOnes(kinds ...string) (map[string]seal.Object, error) {
	documents := map[string]seal.Object{}
	for _, kind := range kinds {
		document, err := c.store.Get(kind, only)
		if err != nil {
			return nil, err
		}
		documents[kind] = document
	}
	return documents, nil
}

// path is where the cloud answers this node.
func (c *core) path(call string) string {
	return "/api/v1/nodes/" + c.config.NodeID + "/" + call
}

// Wake lets the loop with the cloud hand over everything that is waiting at once.
func (c *core) Wake() { signal(c.wake) }

func signal(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
