//go:build heavy

package deployment_test

import (
	"fmt"
	"testing"

	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/must"
)

// TestExport has the collector fail on the way and in its answer: each node gives
// the code in its health report, and when all is well again nothing is lost or
// doubled. Package otlp has every way to fail.
func TestExport(t *testing.T) {
	w := start(t, 3)
	w.misbehave("down", "otlp_audit_transport_failed")
	w.misbehave("partial", "otlp_audit_partial_success")
	w.collectedIsJournal()
}

// misbehave puts the collector in a mode until every node has said the code of
// it, and mends it.
func (w *world) misbehave(mode, want string) {
	w.t.Helper()
	must.Do(w.t, w.SetCollectorMode(mode))
	w.issue()
	for _, id := range w.Nodes {
		w.waitCode(id, want)
	}
	// A degraded node still takes part.
	w.issue()
	must.Do(w.t, w.SetCollectorMode("accept"))
	w.exported()
}

// waitCode waits until a node's health report gives this cause.
func (w *world) waitCode(id, want string) {
	w.t.Helper()
	must.EventuallyOK(w.t, want+" on "+id, func() error {
		health, err := w.health(id)
		if err != nil {
			return err
		}
		i, err := w.integration(id, "otlp_audit")
		if err == nil && (seal.Text(i, "error_code") != want || seal.Text(i, "health") != "degraded" ||
			seal.Text(health, "status") != "degraded") {
			err = fmt.Errorf("want %s, found %v, node %s", want, i, seal.Text(health, "status"))
		}
		return err
	})
}
