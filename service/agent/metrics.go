package agent

import (
	"net/http"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/svc-edge/svc-verify/service/feed"
	"github.com/svc-edge/svc-verify/service/otlp"
)

// metrics are the series of /metrics, all of them from the
// start.
type metrics struct {
	registry *prometheus.Registry

	requests, issued, outboxQueued, promoted prometheus.Counter
	allowed, denied                          prometheus.Counter
	policySuccesses, policyFailures          prometheus.Counter
	registrations, probes, observations      prometheus.Counter
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
	decisions := m.vector("policy_decisions", "Local allow and deny decisions.", "decision")
	m.allowed, m.denied = decisions.WithLabelValues("allow"), decisions.WithLabelValues("deny")
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
	c := prometheus.NewCounter(prometheus.CounterOpts{Name: namespace + name + "_total", Help: help})
	m.registry.MustRegister(c)
	return c
}

func (m *metrics) vector(name, help, label string) *prometheus.CounterVec {
	c := prometheus.NewCounterVec(prometheus.CounterOpts{Name: namespace + name + "_total", Help: help},
		[]string{label})
	m.registry.MustRegister(c)
	return c
}

// read is a counter that another part of the node keeps.
func (m *metrics) read(name, help string, labels prometheus.Labels, value func() uint64) {
	m.registry.MustRegister(prometheus.NewCounterFunc(
		prometheus.CounterOpts{Name: namespace + name + "_total", Help: help, ConstLabels: labels},
		func() float64 { return float64(value()) }))
}

func (m *metrics) observeExporter(e *otlp.Exporter) {
	for result, value := range map[string]func() uint64{
		"success": func() uint64 { return e.Status().Successes },
		"failure": func() uint64 { return e.Status().Failures },
	} {
		m.read("otlp_audit_exports", "OTLP export results.", prometheus.Labels{"result": result}, value)
	}
	for _, g := range []struct {
		name, help string
		value      func() uint64
	}{
		{"otlp_audit_cursor", "Last sequence acknowledged by the collector.",
			func() uint64 { return e.Status().Cursor }},
		{"otlp_audit_source_head", "Newest local audit sequence.", func() uint64 { return e.Status().SourceHead }},
		{"otlp_audit_backlog", "Events not yet acknowledged.", func() uint64 { return e.Status().Backlog() }},
	} {
		m.registry.MustRegister(prometheus.NewGaugeFunc(
			prometheus.GaugeOpts{Name: namespace + g.name, Help: g.help}, func() float64 { return float64(g.value()) }))
	}
}

// decision counts a decision of the node.
func (m *metrics) decision(decision string) {
	if decision == "allow" {
		m.allowed.Inc()
	} else {
		m.denied.Inc()
	}
}

// handler answers /metrics.
func (m *metrics) handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{MaxRequestsInFlight: 4})
}
