package agent

import (
	"log/slog"
	"time"

	"github.com/svc-edge/svc-verify/harness/chance"
	"github.com/svc-edge/svc-verify/service/durable"
	"github.com/svc-edge/svc-verify/service/httpd"
	"github.com/svc-edge/svc-verify/service/nodeconfig"
)

// core is what every part of the agent works with.
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

// path is where the cloud answers this node.
func (c *core) path(call string) string {
	return "/api/v1/nodes/" + c.config.NodeID + "/" + call
}

// Wake lets the loop with the cloud hand over at once what there is.
func (c *core) Wake() { signal(c.wake) }

func signal(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
