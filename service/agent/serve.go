package agent

import (
	"context"
	"net/http"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/service/feed"
	"github.com/svc-edge/svc-verify/service/httpd"
	"github.com/svc-edge/svc-verify/service/otlp"
)

// serve answers on the local API until the context ends. Every caller has a
// certificate of the observers' authority; the trust-event feed asks for more.
func (a *Agent) serve(ctx context.Context) error {
	local := a.config.LocalAPI
	return httpd.Serve(ctx, a.listener, httpd.ServerTLS(local.Identity.Pair(), local.Clients.Pool()), a.handler())
}

// handler is the local API: /healthz, /metrics and the trust events. Its server has checked
// the caller's certificate.
func (a *Agent) handler() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/healthz", httpd.ReadOnly(httpd.Handle(func(*httpd.Call) (seal.Object,
		error) {
		return a.health.document(), nil
	})))
	mux.Handle("/metrics", httpd.ReadOnly(a.metrics.handler()))
	mux.Handle("/v1/trust-events", a.feed)
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		httpd.WriteProblem(w, r, httpd.Refuse(http.StatusNotFound, "not_found", "there is nothing at %q", r.URL.Path))
	})
	return mux
}

// health is how the node is doing.
type health struct {
	*core
	integrations *integrations
	progress     *progress
	discovery    *discovery // nil while it is off
}

// document returns the document of /healthz.
func (h *health) document() seal.Object {
	discovered, export := h.discovery.health(), h.export()
	h.mu.Lock()
	defer h.mu.Unlock()
	o := seal.Object{
		"node_id":               h.config.NodeID,
		"policy_version":        h.node.PolicyVersion(),
		"policy_sha256":         h.node.PolicyDigest(),
		"policy_last_synced_at": "",
		"audit_head":            h.node.Head().String(),
		"audit_sequence":        int64(h.node.Sequence()),
		"integrations":          seal.Objects(append(h.integrations.entries(), export.Entry())),
		"dependency_discovery":  discovered,
	}
	if !h.progress.synced.IsZero() {
		o["policy_last_synced_at"] = seal.Time(h.progress.synced)
	}
	o["status"] = status(o)
	return o
}

// export is how the exporter is doing.
func (h *health) export() otlp.Status {
	if h.exporter == nil {
		return otlp.Status{}
	}
	return h.exporter.Status()
}

// status is a node's state: it is degraded while the exporter is
// failing, while the most recent probe of a dependency failed, and while
// observations wait to be sent. An integration degrades only itself.
func status(health seal.Object) string {
	discovered := seal.Member(health, "dependency_discovery")
	if seal.Integer(discovered, "failed") > 0 || seal.Integer(discovered, "queued") > 0 {
		return "degraded"
	}
	for _, o := range seal.ObjectList(health, "integrations") {
		if seal.Text(o, "kind") == "otlp_audit" && seal.Text(o, "health") != "healthy" {
			return "degraded"
		}
	}
	return "ok"
}

func entry(kind string, installed bool, code string) seal.Object {
	o := seal.Object{"kind": kind, "installed": installed, "health": "healthy"}
	if code != "" {
		o["health"], o["error_code"] = "degraded", code
	}
	return o
}

// metrics are the series of /metrics, all of them from the
// start.
type metrics struct {
	registry *prometheus.Registry

	requests, issued, outboxQueued, promoted prometheus.Counter
	registrations, probes, observations      prometheus.Counter
	policySuccesses, policyFailures          prometheus.Counter
	decisions                                *prometheus.CounterVec
}

func newMetrics(trust *feed.Feed, exporter *otlp.Exporter) *metrics {
	m := &metrics{registry: prometheus.NewRegistry()}
	m.requests = m.counter("requests", "Issuance requests evaluated by the node.")
	m.issued = m.counter("certificates_issued", "Certificates returned from the signer.")
	m.outboxQueued = m.counter("outbox_queued", "Approved transactions queued after transport failures.")
	m.promoted = m.counter("rotations_promoted", "Health-gated promotions.")
	m.registrations = m.counter("registration_sync", "Service-registration syncs.")
	m.probes = m.counter("dependency_probes", "Probes of dependencies.")
	m.observations = m.counter("dependency_observations", "Observations of dependencies.")
	m.decisions = m.vector("policy_decisions", "Local allow and deny decisions.", "decision")
	for _, decision := range []string{"allow", "deny"} {
		m.decisions.WithLabelValues(decision)
	}
	syncs := m.vector("policy_sync", "Signed policy sync results.", "result")
	m.policySuccesses, m.policyFailures = syncs.WithLabelValues("success"), syncs.WithLabelValues("failure")
	m.read("trust_event_batches", "Answers of the trust-event feed that held events.", nil,
		func() uint64 { return trust.Counts().Batches })
	m.read("trust_events_delivered", "Trust events delivered to subscribers.", nil,
		func() uint64 { return trust.Counts().Delivered })
	if exporter != nil {
		m.observeExporter(exporter)
	}
	return m
}

const namespace = "svc_node_"

func (m *metrics) counter(name, help string) prometheus.Counter {
	return m.vector(name, help).WithLabelValues()
}

func (m *metrics) vector(name, help string, labels ...string) *prometheus.CounterVec {
	opts := prometheus.CounterOpts{Name: namespace + name + "_total", Help: help}
	return promauto.With(m.registry).NewCounterVec(opts, labels)
}

// read is a counter that another part of the node keeps.
func (m *metrics) read(name, help string, labels prometheus.Labels, value func() uint64) {
	opts := prometheus.CounterOpts{Name: namespace + name + "_total", Help: help, ConstLabels: labels}
	promauto.With(m.registry).NewCounterFunc(opts, func() float64 { return float64(value()) })
}

func (m *metrics) observeExporter(e *otlp.Exporter) {
	for result, value := range map[string]func() uint64{
		"success": func() uint64 { return e.Status().Successes },
		"failure": func() uint64 { return e.Status().Failures },
	} {
		m.read("otlp_audit_exports", "OTLP export results.", prometheus.Labels{"result": result}, value)
	}
	gauge := func(name, help string, value func() uint64) {
		opts := prometheus.GaugeOpts{Name: namespace + name, Help: help}
		promauto.With(m.registry).NewGaugeFunc(opts, func() float64 { return float64(value()) })
	}
	gauge("otlp_audit_cursor", "Last sequence acknowledged by the collector.",
		func() uint64 { return e.Status().Cursor })
	gauge("otlp_audit_source_head", "Newest local audit sequence.", func() uint64 { return e.Status().SourceHead })
	gauge("otlp_audit_backlog", "Events not yet acknowledged.", func() uint64 { return e.Status().Backlog() })
}

// handler answers /metrics.
func (m *metrics) handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{MaxRequestsInFlight: 4})
}
