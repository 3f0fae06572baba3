package agent

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/svc-edge/svc-verify/harness/chance"
	"github.com/svc-edge/svc-verify/harness/node"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/service/adapter"
	"github.com/svc-edge/svc-verify/service/durable"
	"github.com/svc-edge/svc-verify/service/httpd"
	"github.com/svc-edge/svc-verify/service/nodeconfig"
)

// Config is what a node's process starts with.
type Config struct {
	Node *nodeconfig.Config
	Log  *slog.Logger
	// CapabilityLifetime is how long capability evidence holds,
	// [node.CapabilityLifetime] if it is 0.
	CapabilityLifetime time.Duration
}

// Agent is a node's process. Run does the work; the other methods may be called
// at any time by anyone.
type Agent struct {
	config       *nodeconfig.Config
	log          *slog.Logger
	clock        chance.Clock
	capabilities time.Duration
	store        *durable.Store
	listener     net.Listener
	cloud        *httpd.Client
	metrics      *metrics
	feed         trustFeed
	exporter     auditExporter              // nil while it is off
	discovery    *discovery                 // nil while it is off
	adapters     map[string]adapter.Adapter // by kind
	operating    sync.WaitGroup             // the operations that are under way
	key          atomic.Pointer[seal.Key]
	wake         chan struct{} // the loop with the cloud has something to hand over
	lapses       chan struct{} // there is new capability evidence to watch

	mu     sync.Mutex // all of what follows
	node   *node.Node
	tx     *durable.Tx // of the decision that is being made
	unkept error       // of an event of that decision
	told   bool        // it publishes a trust event
	broken error       // after a decision that could not be made durable

	generation    int64 // of the key
	outbox        outbox
	synced        time.Time // when the policy was last confirmed by the cloud
	noticed       int64     // the sequence of the cloud's last notice
	registrations int64     // their version
	integrations  map[string]*integration
	holder        string                // the integration that has the secret store, empty if none
	operations    map[string]*operation // under way, by integration
}

// Open takes up the state directory of a node, or begins a new one, and listens
// on the local API's address. It fails if the state cannot be that of this node.
func Open(c Config) (*Agent, error) {
	store, err := durable.Open(c.Node.StateDirectory.Path, "journal")
	if err != nil {
		return nil, fmt.Errorf("the state directory: %w", err)
	}
	a := &Agent{
		config: c.Node, log: c.Log, clock: chance.Wall(), capabilities: c.CapabilityLifetime, store: store,
		wake: make(chan struct{}, 1), lapses: make(chan struct{}, 1),
		integrations: map[string]*integration{}, operations: map[string]*operation{},
	}
	if a.capabilities == 0 {
		a.capabilities = node.CapabilityLifetime
	}
	if err := a.open(); err != nil {
		return nil, errors.Join(err, a.Close())
	}
	return a, nil
}

func (a *Agent) open() error {
	if err := a.restore(); err != nil {
		return err
	}
	if err := a.openParts(); err != nil {
		return err
	}
	if err := a.openAdapters(); err != nil {
		return err
	}
	a.metrics = newMetrics(a.feed, a.exporter)
	cloud := a.config.Cloud
	a.cloud = httpd.NewClient(httpd.ClientConfig{
		URL: cloud.URL, Roots: cloud.Authorities.Pool(), Identity: certificate(cloud.Identity),
		Pins: cloud.Pins, Timeout: cloud.RequestTimeout,
	})
	if a.config.Discovery != nil {
		a.discovery = newDiscovery(a.config.Discovery, a.metrics)
	}
	var err error
	a.listener, err = net.Listen("tcp", a.config.LocalAPI.Address.String())
	return err
}

// certificate is an identity as TLS takes it.
func certificate(id nodeconfig.Identity) tls.Certificate {
	c := tls.Certificate{PrivateKey: id.Key, Leaf: id.Chain[0]}
	for _, link := range id.Chain {
		c.Certificate = append(c.Certificate, link.Raw)
	}
	return c
}

// Address is where the local API listens.
func (a *Agent) Address() net.Addr { return a.listener.Addr() }

// Close gives up the state directory. The agent must not be running.
func (a *Agent) Close() error {
	var err error
	if a.listener != nil {
		// Closed already if the agent ran.
		_ = a.listener.Close()
	}
	if a.cloud != nil {
		a.cloud.Close()
	}
	if a.store != nil {
		err = a.store.Close()
	}
	return err
}

// Run does the node's work until the context ends, and then returns nil. It
// fails if the node must not go on.
func (a *Agent) Run(ctx context.Context) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	tasks := []func(context.Context) error{a.serve, a.follow, a.watchCapabilities, a.watchRotation}
	if a.exporter != nil {
		tasks = append(tasks, a.exporter.Run)
	}
	if a.discovery != nil {
		tasks = append(tasks, func(ctx context.Context) error { a.discovery.run(ctx, a.Wake); return nil })
	}
	a.log.Info("the node runs", "node_id", a.config.NodeID, "key_id", a.key.Load().ID, "address", a.Address().String())
	failures := make([]error, len(tasks))
	var all sync.WaitGroup
	for i, task := range tasks {
		all.Go(func() {
			if failures[i] = task(ctx); failures[i] != nil {
				cancel(failures[i])
			}
		})
	}
	all.Wait()
	a.operating.Wait() // none begins after the loop has ended
	a.log.Info("the node ends", "node_id", a.config.NodeID)
	return errors.Join(failures...)
}

// Wake lets the loop with the cloud hand over at once what there is.
func (a *Agent) Wake() { signal(a.wake) }

func signal(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
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

// decide lets the node judge, and makes what it signed and all that judge does
// with the transaction durable together. A refusal changes nothing. After any
// other error the node must not go on, and says nothing any more.
func (a *Agent) decide(judge func(tx *durable.Tx) error) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.broken != nil {
		return a.broken
	}
	before := a.node.Sequence()
	err := a.store.Update(func(tx *durable.Tx) error {
		a.tx, a.unkept, a.told = tx, nil, false
		if err := judge(tx); err != nil {
			return err
		}
		return a.unkept
	})
	a.tx = nil
	var refused refusal
	if errors.As(err, &refused) && a.node.Sequence() == before {
		return refused.error
	}
	if err != nil {
		a.broken = fmt.Errorf("a decision could not be made durable: %w", err)
		return a.broken
	}
	if a.exporter != nil && a.node.Sequence() != before {
		a.exporter.Wake()
	}
	if a.told {
		a.feed.Wake()
	}
	return nil
}

// publish adds a trust event to the decision.
func (a *Agent) publish(topic string, data seal.Object) error {
	a.told = true
	return a.feed.Publish(a.tx, topic, data)
}

// keep makes an event of the journal durable, within the decision.
func (a *Agent) keep(event seal.Object) {
	if a.unkept == nil {
		a.unkept = a.tx.Append(event)
	}
}

// dead is why the node must not go on, nil if it may.
func (a *Agent) dead() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.broken
}

// sign seals a statement with the key that the node has now. It takes no lock,
// as it is called within decisions too.
func (a *Agent) sign(statement seal.Object) seal.Object {
	return seal.Seal(statement, *a.key.Load())
}
