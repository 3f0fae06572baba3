package deployment_test

import (
	"bytes"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"database/sql"
	"encoding/pem"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/must"
)

// TestExport misuses the collector in every way: each gives its own code in
// the health report, and when all is well again nothing is lost or doubled.
func TestExport(t *testing.T) {
	w := start(t, 3)
	seen := map[string]bool{}
	for mode, want := range map[string]string{
		"down": "otlp_audit_transport_failed", "slow": "otlp_audit_transport_failed", "lost": "otlp_audit_transport_failed",
		"torn": "otlp_audit_transport_failed", "redirect": "otlp_audit_transport_failed",
		"reject-400": "otlp_audit_collector_rejected", "reject-503": "otlp_audit_collector_rejected",
		"partial": "otlp_audit_partial_success", "garbage-body": "otlp_audit_response_invalid",
		"garbage-type": "otlp_audit_response_invalid",
	} {
		if !testing.Short() || !seen[want] { // in a short run some way to each code
			w.misbehave(mode, want)
		}
		seen[want] = true
	}
	w.expires(w.Nodes[0])
	w.distrusts(w.Nodes[1])
	w.jams(w.Nodes[2])
	w.exported()
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
	w.eventually(want+" on "+id, func() error {
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

// expires has the client certificate of a node's exporter end, and renews it.
func (w *world) expires(id string) {
	w.t.Helper()
	w.recertify(id, time.Now().Add(-time.Minute))
	w.prove(w.issue()) // which every node witnesses, and so has something to export
	w.waitCode(id, "otlp_audit_client_identity_expired")
	w.recertify(id, time.Now().Add(time.Hour))
	w.exported()
}

// recertify has the collector's authority certify the key of a node's exporter
// anew, until then.
func (w *world) recertify(id string, notAfter time.Time) {
	w.t.Helper()
	file := filepath.Join(w.Node(id), "exporter.pem")
	identity := must.Get(tls.LoadX509KeyPair(file, filepath.Join(w.Node(id), "exporter.key")))(w.t)
	authority := must.Get(tls.LoadX509KeyPair(filepath.Join(w.Dir, "authorities", "collector.pem"),
		filepath.Join(w.Dir, "authorities", "collector.key")))(w.t)
	template := *identity.Leaf
	template.NotAfter = notAfter
	der := must.Get(x509.CreateCertificate(rand.Reader, &template, authority.Leaf, identity.Leaf.PublicKey,
		authority.PrivateKey))(w.t)
	w.replace(file, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
}

// replace replaces a file as a whole.
func (w *world) replace(file string, content []byte) {
	w.t.Helper()
	must.Do(w.t, os.WriteFile(file+".new", content, 0o600))
	must.Do(w.t, os.Rename(file+".new", file))
}

// distrusts restarts a node with another authority than that of the collector,
// and again with the right one.
func (w *world) distrusts(id string) {
	w.t.Helper()
	file := filepath.Join(w.Node(id), "config.json")
	right := must.Get(os.ReadFile(file))(w.t)
	wrong := bytes.ReplaceAll(right, []byte("authorities/collector.pem"), []byte("authorities/cloud.pem"))
	restart := func(config []byte) {
		must.Do(w.t, w.Process(id).End())
		w.replace(file, config)
		must.Get(w.Start(id))(w.t)
	}
	restart(wrong)
	w.eventually("the node", func() error { _, err := w.health(id); return err })
	w.prove(w.issue())
	w.waitCode(id, "otlp_audit_transport_failed")
	restart(right)
	w.exported()
}

// jams has a node's disk refuse the cursor of its exporter, and nothing else.
func (w *world) jams(id string) {
	w.t.Helper()
	disk := must.Get(sql.Open("sqlite", "file:"+filepath.Join(w.Node(id), "state", "state.db")+
		"?_pragma=busy_timeout(60000)"))(w.t)
	defer func() { _ = disk.Close() }()
	execute := func(statement string) {
		must.Get(disk.ExecContext(w.t.Context(), statement))(w.t)
	}
	execute("CREATE TRIGGER jam BEFORE INSERT ON document WHEN NEW.kind = 'export-cursor' BEGIN SELECT RAISE(FAIL, 'disk full'); END")
	w.prove(w.issue())
	w.waitCode(id, "otlp_audit_cursor_commit_failed")
	execute("DROP TRIGGER jam")
	w.exported()
}

// collectedIsJournal holds what the collector wrote against the journals, byte
// for byte, after svc-verify took the duplicates out.
func (w *world) collectedIsJournal() {
	w.t.Helper()
	file := w.walk(w.Dumps(), w.TenantLog())
	for _, id := range w.Nodes {
		w.eventually("the collected journal of "+id, func() error {
			out, code := w.program("svc-verify", "export", file, "--log", "node/"+id)
			journal, err := os.ReadFile(w.Journal(id))
			if err != nil || code != 0 {
				return fmt.Errorf("exit %d, %w", code, err)
			}
			// The node goes on while this test looks at it.
			must.That(w.t, out != "" && bytes.HasPrefix(journal, []byte(out)), "the collector has another journal of %s", id)
			if missing := bytes.Count(journal[len(out):], []byte("\n")); missing > 0 {
				w.exported() // before the next walk, which costs more than to ask
				file = w.walk(w.Dumps(), w.TenantLog())
				return fmt.Errorf("%d events have not come yet", missing)
			}
			return nil
		})
	}
}
