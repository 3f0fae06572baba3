package agent

import (
	"context"
	"net"
	"sync"

	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/service/httpd"
	"github.com/svc-edge/svc-verify/service/nodeconfig"
)

// discovery probes the dependencies of the configuration by a TCP connection.
//
// The result of a probe is an observation if it differs from the one before, or is the first.
// Observations wait until they are reported to the cloud.
type discovery struct {
	config  *nodeconfig.Discovery
	metrics *metrics

	mu      sync.Mutex
	found   map[string]bool // by service: whether the most recent probe got a connection
	waiting int             // observations not yet reported to the cloud
	taken   int             // the ones that the sync under way reports
}

func newDiscovery(c *nodeconfig.Discovery, m *metrics) *discovery {
	return &discovery{config: c, metrics: m, found: map[string]bool{}}
}

// run probes until the context ends, and calls tell when there are observations.
func (d *discovery) run(ctx context.Context, tell func()) {
	for ctx.Err() == nil {
		if d.round(ctx) {
			tell()
		}
		_ = httpd.Pause(ctx, d.config.Interval, nil)
	}
}

// concurrent is how many probes are made at once.
const concurrent = 8

// round probes every dependency once, and reports whether there are new
// observations.
func (d *discovery) round(ctx context.Context) bool {
	free := make(chan struct{}, concurrent)
	var all sync.WaitGroup
	for _, probe := range d.config.Probes {
		free <- struct{}{}
		all.Go(func() {
			defer func() { <-free }()
			reached := d.probe(ctx, probe.Address)
			if ctx.Err() == nil {
				d.observe(probe.Service, reached)
			}
		})
	}
	all.Wait()
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.waiting > 0
}

func (d *discovery) probe(ctx context.Context, address string) bool {
	d.metrics.probes.Inc()
	dialer := net.Dialer{Timeout: d.config.Timeout}
	connection, err := dialer.DialContext(ctx, "tcp", address)
	if err != nil {
		return false
	}
	_ = connection.Close()
	return true
}

// observe records the result of a probe.
func (d *discovery) observe(service string, reached bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if before, known := d.found[service]; known && before == reached {
		return
	}
	d.found[service] = reached
	d.waiting++
	d.metrics.observations.Inc()
}

// take marks the observations that a sync reports, and states in its health document that none
// of them waits. It reports whether there are any.
func (d *discovery) take(health seal.Object) bool {
	if d == nil {
		return false
	}
	d.mu.Lock()
	d.taken = d.waiting
	told := d.taken > 0
	d.mu.Unlock()
	seal.Member(health, "dependency_discovery")["queued"] = int64(0)
	health["status"] = status(health)
	return told
}

// sent records that the observations marked by take were reported to the cloud.
func (d *discovery) sent() {
	if d == nil {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.waiting, d.taken = d.waiting-d.taken, 0
}

// health is dependency_discovery of /healthz.
func (d *discovery) health() seal.Object {
	if d == nil {
		return seal.Object{"enabled": false, "configured_probes": int64(0), "successful": int64(0), "failed": int64(0),
			"queued": int64(0)}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	successful := 0
	for _, reached := range d.found {
		if reached {
			successful++
		}
	}
	return seal.Object{
		"enabled": true, "configured_probes": int64(len(d.config.Probes)), "successful": int64(successful),
		"failed": int64(len(d.found) - successful), "queued": int64(d.waiting),
	}
}
