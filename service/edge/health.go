package edge

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/svc-edge/svc-verify/internal/form"
	"github.com/svc-edge/svc-verify/internal/ijson"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

// maxIntegrations bounds the integrations of one node.
const maxIntegrations = 1024

// Health is the health report of a node. It is not signed: the connection vouches for it. Text
// in it is the node's; quote it before it is shown.
type Health struct {
	Document     []byte // as the node wrote it
	Degraded     bool
	Integrations []Integration
}

// Integration is one entry of a health report.
type Integration struct {
	Kind      string
	Installed *bool // nil where the report does not say
	Enabled   *bool // nil where the report does not say
	Degraded  bool
	ErrorCode string  // only if it is degraded
	Export    *Export // only of an exporter that reports its progress
}

// Export is how far an OTLP exporter has come.
type Export struct {
	ExporterID, EndpointHost    string
	Cursor, SourceHead, Backlog int64
}

// Health asks the node for its health report. A document that is none is an
// error.
func (c *Client) Health(ctx context.Context) (*Health, error) {
	v, err := c.get(ctx, request{path: "/healthz"})
	if err != nil {
		return nil, err
	}
	var r healthReader
	h := r.health(v)
	if err := firstFault("the health report", r.Faults()); err != nil {
		return nil, err
	}
	return h, nil
}

// firstFault makes an error of the first fault of a document.
func firstFault(what string, faults []ijson.Fault) error {
	if len(faults) == 0 {
		return nil
	}
	f := faults[0]
	place := ""
	if f.Path != "" {
		place = " at " + safetext.Quote(f.Path)
	}
	return fmt.Errorf("%s%s: expected %s, found %s", what, place, f.Expected, f.Found)
}

type healthReader struct{ form.Reader }

const (
	healthy  = "healthy"
	degraded = "degraded"
)

func (r *healthReader) health(v *ijson.Value) *Health {
	o := r.Object(v, "status", "node_id", "policy_version", "policy_sha256", "policy_last_synced_at",
		"audit_head", "audit_sequence", "integrations", "dependency_discovery")
	h := &Health{Document: v.Raw(), Degraded: o.OneOf("status", "ok", degraded) == degraded}
	o.Subject("node_id")
	// Before the first policy, and the first event, there is nothing to name.
	none := o.Int("policy_version", 0, form.MaxInt) == 0
	o.Text("policy_sha256", digestForm, orNone(isDigest, none))
	o.Text("policy_last_synced_at", "a time such as 2026-03-02T09:00:00Z", orNone(isTime, none))
	o.Text("audit_head", digestForm, orNone(isDigest, o.Int("audit_sequence", 0, form.MaxInt) == 0))
	for _, entry := range o.List("integrations", 0, maxIntegrations) {
		h.Integrations = append(h.Integrations, r.integration(entry))
	}
	r.discovery(o)
	return h
}

const digestForm = "64 lower-case hexadecimal digits"

func isDigest(s string) bool {
	_, ok := form.Digest(s)
	return ok
}

func isTime(s string) bool {
	t, err := time.Parse(time.RFC3339, s)
	return err == nil && s[len(s)-1] == 'Z' && t.Year() > 0
}

// orNone admits the empty text too, if there is nothing yet that it could name.
func orNone(ok func(string) bool, none bool) func(string) bool {
	return func(s string) bool { return none && s == "" || ok(s) }
}

func (r *healthReader) discovery(o form.Object) {
	d := o.Object("dependency_discovery", "enabled", "configured_probes", "successful", "failed", "queued")
	r.boolean(d, "enabled")
	for _, name := range []string{"configured_probes", "successful", "failed", "queued"} {
		d.Int(name, 0, form.MaxInt)
	}
}

func (r *healthReader) integration(v *ijson.Value) Integration {
	o := r.Object(v, "kind", "installed?", "enabled?", "health", "error_code?",
		"exporter_id?", "endpoint_host?", "cursor?", "source_head?", "backlog?")
	i := Integration{Kind: o.Identifier("kind"), Degraded: o.OneOf("health", healthy, degraded) == degraded}
	if o.Has("installed") {
		i.Installed = r.boolean(o, "installed")
	}
	if o.Has("enabled") {
		i.Enabled = r.boolean(o, "enabled")
	}
	if i.Degraded != o.Has("error_code") {
		r.Fault(v, form.BadValue, "error_code if and only if it is degraded",
			"error_code "+strconv.FormatBool(o.Has("error_code")))
	} else if i.Degraded {
		i.ErrorCode = o.Identifier("error_code")
	}
	i.Export = r.export(o)
	if i.Kind == "otlp_audit" && (i.Enabled == nil || *i.Enabled != (i.Export != nil)) {
		r.Fault(v, form.BadValue, "of otlp_audit enabled, and if it is true what is exported", "another form")
	}
	return i
}

// export reads how far an exporter has come, which is there whole or not at all.
func (r *healthReader) export(o form.Object) *Export {
	names := []string{"exporter_id", "endpoint_host", "cursor", "source_head", "backlog"}
	there := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return !o.Has(name) })
	switch len(there) {
	case 0:
		return nil
	case len(names):
	default:
		r.Fault(o.Get(there[0]), form.BadValue, strings.Join(names, ", ")+" together", "some of them")
		return nil
	}
	return &Export{
		ExporterID:   o.Identifier("exporter_id"),
		EndpointHost: o.Text("endpoint_host", "a host", func(s string) bool { return s != "" && len(s) <= 255 }),
		Cursor:       o.Int("cursor", 0, form.MaxInt),
		SourceHead:   o.Int("source_head", 0, form.MaxInt),
		Backlog:      o.Int("backlog", 0, form.MaxInt),
	}
}

// boolean reads a member that is true or false.
func (r *healthReader) boolean(o form.Object, name string) *bool {
	v := o.Get(name)
	if v == nil {
		return nil
	}
	if v.Kind() != ijson.Bool {
		r.Fault(v, form.BadValue, "true or false", v.Kind().String())
	}
	b := v.Bool()
	return &b
}
