package agent

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"sync"
	"time"

	"github.com/svc-edge/svc-verify/harness/chance"
	"github.com/svc-edge/svc-verify/harness/consent"
	"github.com/svc-edge/svc-verify/harness/eventtype"
	"github.com/svc-edge/svc-verify/harness/node"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/service/durable"
	"github.com/svc-edge/svc-verify/service/feed"
	"github.com/svc-edge/svc-verify/service/httpd"
	"github.com/svc-edge/svc-verify/service/nodeconfig"
	"github.com/svc-edge/svc-verify/service/otlp"
)

// Config is the configuration of a node's process.
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
	*core
	identity     identity
	outbox       outbox
	capabilities capabilities
	listener     net.Listener
	adapters     adapters
	operations   operations
	integrations integrations
	deliveries   deliveries
	work         work
	progress     progress
	health       health
	follower     follower
}

// Open opens the state directory of a node, or begins a new one, and listens on the local
// API's address. It fails if the state cannot belong to this node.
func Open(c Config) (*Agent, error) {
	store, err := durable.Open(c.Node.StateDirectory.Path, "journal")
	if err != nil {
		return nil, fmt.Errorf("the state directory: %w", err)
	}
	a := newAgent(newCore(c, store), c.CapabilityLifetime)
	if err := a.open(); err != nil {
		return nil, errors.Join(err, a.Close())
	}
	return a, nil
}

// newAgent puts the parts of an agent together.
func newAgent(c *core, capabilityLifetime time.Duration) *Agent {
	if capabilityLifetime == 0 {
		capabilityLifetime = node.CapabilityLifetime
	}
	a := &Agent{
		core: c, identity: identity{core: c}, outbox: outbox{core: c},
		capabilities: capabilities{core: c, lifetime: capabilityLifetime, lapses: make(chan struct{}, 1)},
		adapters:     adapters{core: c}, operations: operations{core: c, underWay: map[string]*operation{}},
	}
	a.integrations = integrations{
		core: c, outbox: &a.outbox, adapters: &a.adapters, operations: &a.operations, byID: map[string]*integration{},
	}
	a.deliveries = deliveries{c, &a.outbox, &a.integrations}
	a.work = work{c, &a.outbox, &a.capabilities, &a.operations, &a.deliveries}
	a.progress = progress{core: c, outbox: &a.outbox}
	a.health = health{core: c, integrations: &a.integrations, progress: &a.progress}
	a.follower = follower{c, &a.identity, &a.outbox, &a.integrations, &a.progress, &a.work, &a.health}
	return a
}

func (a *Agent) open() error {
	if err := a.restore(); err != nil {
		return err
	}
	if err := a.openParts(); err != nil {
		return err
	}
	if err := a.adapters.open(); err != nil {
		return err
	}
	a.metrics = newMetrics(a.feed, a.exporter)
	cloud := a.config.Cloud
	a.cloud = httpd.NewClient(httpd.ClientConfig{
		URL: cloud.URL, Roots: cloud.Authorities.Pool(), Identity: cloud.Identity.Pair(),
		Pins: cloud.Pins, Timeout: cloud.RequestTimeout,
	})
	if a.config.Discovery != nil {
		a.health.discovery = newDiscovery(a.config.Discovery, a.metrics)
	}
	var err error
	a.listener, err = net.Listen("tcp", a.config.LocalAPI.Address.String())
	return err
}

// Address is where the local API listens.
func (a *Agent) Address() net.Addr { return a.listener.Addr() }

// Close gives up the state directory. The agent must not be running.
func (a *Agent) Close() error {
	if a.listener != nil {
		// Closed already if the agent ran.
		_ = a.listener.Close()
	}
	if a.cloud != nil {
		a.cloud.Close()
	}
	return a.store.Close()
}

// Run does the node's work until the context ends, and then returns nil. It
// fails if the node must not go on.
func (a *Agent) Run(ctx context.Context) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	tasks := []func(context.Context) error{a.serve, a.follower.run, a.capabilities.watch, a.identity.watch}
	if a.exporter != nil {
		tasks = append(tasks, a.exporter.Run)
	}
	if a.health.discovery != nil {
		tasks = append(tasks, func(ctx context.Context) error { a.health.discovery.run(ctx, a.Wake); return nil })
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
	a.operations.all.Wait() // none begins after the loop has ended
	a.log.Info("the node ends", "node_id", a.config.NodeID)
	return errors.Join(failures...)
}

// openParts opens the feed and the exporter. A node whose trust events are subscribed to
// answers with a key that it signs with: one pin covers the connection and the events.
func (a *Agent) openParts() error {
	local := a.config.LocalAPI
	if len(local.Subscribers) > 0 && !a.identity.has(local.Identity.Key.Public()) {
		return errForeignKey
	}
	trust, err := feed.New(feed.Config{
		TenantID: a.config.TenantID, NodeID: a.config.NodeID, Store: a.store, Sign: a.sign, Clock: a.clock,
		Subscribers: local.Subscribers,
	})
	if err != nil {
		return err
	}
	a.feed = trust
	if err := a.noteExport(); err != nil || a.config.Export == nil {
		return err
	}
	exporter, err := otlp.New(otlp.Config{
		Export: a.config.Export, TenantID: a.config.TenantID, NodeID: a.config.NodeID,
		Store: a.store, Sign: a.sign, Clock: a.clock, Log: a.log,
	})
	if err != nil {
		return err
	}
	a.exporter = exporter
	return nil
}

// noteExport journals that the export is configured in another way than when it was journalled
// last. A node that never exported journals nothing.
func (a *Agent) noteExport() error {
	configuration := seal.Object{"enabled": false}
	if e := a.config.Export; e != nil {
		configuration = seal.Object{
			"enabled": true, "exporter_id": e.ExporterID, "endpoint": e.Endpoint, "batch_size": int64(e.BatchSize),
		}
	}
	before, err := a.store.Get(kindExport, only)
	if err != nil {
		return err
	}
	if seal.Digest(configuration) == seal.Digest(before) || before == nil && a.config.Export == nil {
		return nil
	}
	return a.update(func(tx *durable.Tx) error {
		a.node.Note(eventtype.ExportConfigured, "", configuration)
		return tx.Put(kindExport, only, configuration)
	})
}

// restore makes the node of the state directory, or a new one.
func (a *Agent) restore() error {
	roster := consent.NewRoster(a.config.TenantID)
	roster.Audit, roster.Policies = a.config.AuditKeys, a.config.PolicyKeys
	if err := a.identity.restore(roster); err != nil {
		return err
	}
	state, err := a.readState()
	if err != nil {
		return err
	}
	a.node, err = node.Restore(node.Config{
		ID: a.config.NodeID, Roster: roster, Clock: a.clock, Salts: chance.Fresh().Stream("salts"), Key: *a.key.Load(),
		CapabilityLifetime: a.capabilities.lifetime, Keep: a.append,
	}, state)
	if err != nil {
		return err
	}
	return errors.Join(a.progress.restore(), a.outbox.restore(), a.integrations.restore())
}

// readState reads the state that the node must not lose.
func (a *Agent) readState() (node.State, error) {
	kept, err := a.onlyOnes(kindPolicy, kindRoster, kindWitnessed)
	return node.State{
		Journal: a.store.Events(), Policy: seal.Member(kept[kindPolicy], "policy"), Roster: kept[kindRoster],
		Witnessed: kept[kindWitnessed],
	}, err
}
