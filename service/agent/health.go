package agent

import (
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/service/otlp"
)

// health is how the node is doing.
type health struct {
	*core
	integrations *integrations
	progress     *progress
	discovery    *discovery // nil while it is off
}

// document is that of /healthz.
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
	for _, entry := range seal.List(health, "integrations") {
		if o, _ := entry.(seal.Object); seal.Text(o, "kind") == "otlp_audit" && seal.Text(o, "health") != "healthy" {
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
