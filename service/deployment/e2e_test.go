package deployment_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/svc-edge/svc-verify/harness/consent"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/service/adapter"
	"github.com/svc-edge/svc-verify/service/deployment"
)

// TestEndToEnd drives a deployment of processes through a day.
func TestEndToEnd(t *testing.T) {
	w := start(t, 3)
	w.waitLabel("trust path healthy")
	w.counts()
	first := w.issue()
	w.verify(w.prove(first), "issued")
	w.nodesFail(first)
	w.revokes(first)
	w.pauses()
	w.changesPolicy()
	w.rotates()
	w.edge()
	w.journalsHold()
}

// nodesFail stops two of three nodes, one after the other, and starts them
// again.
func (w *world) nodesFail(transaction string) {
	w.t.Helper()
	stop := func(id string) {
		must.Do(w.t, w.Process(id).End())
	}
	stop(w.Nodes[2])
	w.waitLabel("Degraded · 2/3 nodes healthy")
	w.verify(w.prove(w.issue()), "issued")
	stop(w.Nodes[1])
	w.waitLabel("Degraded · 1/3 nodes healthy")
	check.Equal(w.t, seal.Text(seal.Member(w.overview(), "quorum"), "state"), "fail_closed",
		"with one node of three the quorum")
	// The log grows, and no one has witnessed that yet.
	w.claims(w.Nodes[0])
	must.EventuallyOK(w.t, "evidence is pending with one witness", func() error {
		_, err := w.Evidence(w.t.Context(), transaction, 3*time.Second)
		var refused *deployment.Refused
		if !errors.As(err, &refused) || refused.Code != "audit_customer_witness_pending" ||
			!strings.Contains(refused.Detail, "(1/2)") {
			return fmt.Errorf("found %q", fmt.Sprint(err))
		}
		return nil
	})
	for _, id := range w.Nodes[1:] {
		must.Get(w.Start(id))(w.t)
	}
	w.waitLabel("trust path healthy")
	w.verify(w.prove(transaction), "issued")
}

func (w *world) revokes(transaction string) {
	w.t.Helper()
	must.Get(w.Call(w.t.Context(), "ada", "/api/v1/transactions/"+transaction+"/revocation",
		seal.Object{"reason": "keyCompromise"}))(w.t)
	w.verify(w.prove(transaction), "revoked")
}

// pauses uses the kill switch; a resume needs two operators.
func (w *world) pauses() {
	w.t.Helper()
	post := func(operator, path string, body seal.Object) (seal.Object, error) {
		return w.Call(w.t.Context(), operator, path, body)
	}
	must.Get(post("ada", "/api/v1/issuance/pause", seal.Object{"reason": "a drill"}))(w.t)
	w.waitLabel("issuance paused")
	_, err := w.Issue(w.t.Context(), deployment.Order{Profile: "payments-api", Lifetime: time.Hour})
	var refused *deployment.Refused
	check.That(w.t, errors.As(err, &refused) && refused.Code == "issuance_paused", "issuance while it is paused: %v", err)
	asked := seal.Object{"reason": "over", "valid_seconds": int64(600)}
	request := w.byConsole("ada", "/api/v1/issuance/resume-requests", asked)
	path := "/api/v1/issuance/resume-requests/" + seal.Text(request, "request_id") + "/approval"
	if _, err := post("ada", path, seal.Object{}); !errors.As(err, &refused) {
		w.t.Errorf("who asked for the resume approved it: %v", err)
	}
	must.Get(post("grace", path, seal.Object{}))(w.t)
	w.waitLabel("trust path healthy")
	w.verify(w.prove(w.issue()), "issued")
	w.wantEvents(w.TenantLog(), "issuance.paused", "break_glass.resume_requested", "issuance.resumed")
}

// byConsole makes a POST through the console of an operator, as its page does.
func (w *world) byConsole(operator, path string, body seal.Object) seal.Object {
	w.t.Helper()
	console := must.Get(w.NewConsole(operator, func(string) {}))(w.t)
	server := httptest.NewServer(console)
	defer server.Close()
	jar := must.Get(cookiejar.New(nil))(w.t)
	client := http.Client{Jar: jar}
	_, link, _ := strings.Cut(strings.TrimPrefix(w.ConsoleLink(console), "http://"), "/")
	page := must.Get(client.Get(server.URL + "/" + link))(w.t)
	page.Body.Close()
	base := strings.TrimSuffix(page.Request.URL.String(), "/")
	content := bytes.NewReader(seal.Canonical(body))
	request := must.Get(http.NewRequestWithContext(w.t.Context(), http.MethodPost, base+path, content))(w.t)
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("X-Svc-Console", "1")
	answer := must.Get(client.Do(request))(w.t)
	defer answer.Body.Close()
	document, err := io.ReadAll(answer.Body)
	must.That(w.t, err == nil && answer.StatusCode == http.StatusOK, "%s: %s %s %v", path, answer.Status, document,
		err)
	return must.Get(seal.Parse(bytes.TrimSpace(document)))(w.t)
}

// wantEvents wants events of these types, in this order, in a log.
func (w *world) wantEvents(file string, types ...string) {
	w.t.Helper()
	b := must.Get(os.ReadFile(file))(w.t)
	rest := types
	for line := range bytes.Lines(b) {
		event := must.Get(seal.Parse(line))(w.t)
		if len(rest) > 0 && seal.Text(seal.Member(event, "body"), "type") == rest[0] {
			rest = rest[1:]
		}
	}
	check.That(w.t, len(rest) == 0, "%s has no %q in the order of %q", file, rest, types)
}

// changesPolicy publishes a second version, which demands all nodes.
func (w *world) changesPolicy() {
	w.t.Helper()
	policy := consent.Policy(2, consent.Profile{
		Name: "payments-api", Algorithms: []string{"ecdsa-p256"}, MaximumLifetime: time.Hour, RequiredApprovals: 3,
		Names: []string{"dns:payments-api.acme-corp.example", "uri:spiffe://acme-corp.example/workload/payments-api"},
	})
	must.Get(w.Call(w.t.Context(), "ada", "/api/v1/policies", seal.Object{"policy": policy}))(w.t)
	for _, id := range w.Nodes {
		must.EventuallyOK(w.t, "policy 2 on "+id, func() error {
			health, err := w.health(id)
			if err == nil && (seal.Integer(health, "policy_version") != 2 ||
				seal.Text(health, "policy_sha256") != seal.Digest(policy)) {
				err = fmt.Errorf("it has %d", seal.Integer(health, "policy_version"))
			}
			return err
		})
	}
	file := w.prove(w.issue())
	w.verify(file, "issued")
	out, code := w.program("svc-verify", "--evidence", file, "--trust", w.TrustFile(), "--minimum-approvals", "3")
	check.That(w.t, code == 0, "three approvals: exit %d %s", code, out)
}

// rotates replaces the signer's keys, a node's identity twice and a certificate: each key
// is named, and it is in the trust file.
func (w *world) rotates() {
	w.t.Helper()
	for _, c := range []struct {
		args []string
		key  string
	}{
		{[]string{"call", "/api/v1/signer/rotation", "{}"}, "signer-2"},
		{[]string{"rotate", "--what", "identity", "--node", w.Nodes[0]}, w.Nodes[0] + "/2"},
		{[]string{"rotate", "--what", "identity", "--node", w.Nodes[0]}, w.Nodes[0] + "/3"},
	} {
		out, code := w.program("svc-harness", append(c.args, "--dir", w.Dir)...)
		if c.args[0] == "call" {
			must.Do(w.t, w.Collect(w.t.Context()))
		}
		trust := must.Get(os.ReadFile(w.TrustFile()))(w.t)
		check.That(w.t, code == 0 && strings.Contains(out, c.key) && bytes.Contains(trust, []byte(`"`+c.key+`":`)),
			"%q: exit %d\n%s%s", c.args, code, out, trust)
		w.verify(w.prove(w.issue()), "issued")
	}
	t := must.Get(w.RotateCertificate(w.t.Context(), deployment.Rotation{Node: w.Nodes[0],
		Adapter:   adapter.Nginx,
		Promotion: "automatic_after_health"}))(w.t)
	w.verify(w.prove(seal.Text(t, "transaction_id")), "issued")
	must.EventuallyOK(w.t, "the promotion", func() error {
		b, err := os.ReadFile(w.Journal(w.Nodes[0]))
		if err == nil && !bytes.Contains(b, []byte(`"type":"rotation.promoted"`)) {
			err = errors.New("the journal has none")
		}
		return err
	})
}

// edge asks a node by svc-edge.
func (w *world) edge() {
	w.t.Helper()
	args := w.edgeFlags(w.Nodes[0])
	status, code := w.program("svc-edge", append(slices.Clone(args), "status")...)
	check.That(w.t, code == 0 && strings.Contains(status, `"audit_head"`), "status: exit %d %s", code, status)
	if table, code := w.program("svc-edge", append(slices.Clone(args), "integrations")...); code != 0 ||
		!strings.Contains(table, "otlp_audit") {
		w.t.Errorf("integrations: exit %d %s", code, table)
	}
}

// journalsHold walks every log as it is on disk.
func (w *world) journalsHold() {
	w.t.Helper()
	w.exported()
	files := []string{w.TenantLog()}
	for _, id := range w.Nodes {
		files = append(files, w.Journal(id))
	}
	w.walk(files...)
}

// exported waits until every node's backlog is empty.
func (w *world) exported() {
	w.t.Helper()
	for _, id := range w.Nodes {
		must.EventuallyOK(w.t, "the export of "+id, func() error {
			i, err := w.integration(id, "otlp_audit")
			if err == nil && (seal.Integer(i, "backlog") != 0 || seal.Text(i, "health") != "healthy") {
				err = fmt.Errorf("%v", i)
			}
			return err
		})
	}
}

// integration is an entry of a node's health report.
func (w *world) integration(id, kind string) (seal.Object, error) {
	health, err := w.health(id)
	if err != nil {
		return nil, err
	}
	for _, i := range seal.ObjectList(health, "integrations") {
		if seal.Text(i, "kind") == kind {
			return i, nil
		}
	}
	return nil, fmt.Errorf("%s has no integration %s", id, kind)
}

// walk ingests files and walks their logs: nothing may be rejected. It returns the case.
func (w *world) walk(files ...string) string {
	w.t.Helper()
	file := filepath.Join(w.t.TempDir(), "case")
	if _, code := w.program("svc-verify", append([]string{"ingest", "--quiet", file}, files...)...); code != 0 {
		w.t.Fatalf("ingest: exit %d", code)
	}
	out, code := w.program("svc-verify", "walk", "--quiet", file, "--trust", w.TrustFile(), "--output", "text")
	check.That(w.t, code != 1 && code != 2, "walk: exit %d\n%s", code, out)
	return file
}

// edgeFlags are the flags by which svc-edge asks a node.
func (w *world) edgeFlags(id string) []string {
	return strings.Fields(strings.NewReplacer("\\\n", " ", "svc-edge ", " ").Replace(w.EdgeCommand(id)))
}

// claims has an operator claim a service.
func (w *world) claims(nodeID string) {
	w.t.Helper()
	claim := seal.Object{"workload_profile": "payments-api", "node_id": nodeID}
	must.Get(w.do(http.MethodPut, "/api/v1/services/billing", claim))(w.t)
}

// collectedIsJournal compares the collector's files with the journals, byte for byte, after
// svc-verify removed the duplicates.
func (w *world) collectedIsJournal() {
	w.t.Helper()
	file := w.walk(w.Dumps(), w.TenantLog())
	for _, id := range w.Nodes {
		must.EventuallyOK(w.t, "the collected journal of "+id, func() error {
			out, code := w.program("svc-verify", "export", file, "--log", "node/"+id)
			journal, err := os.ReadFile(w.Journal(id))
			if err != nil || code != 0 {
				return fmt.Errorf("exit %d, %w", code, err)
			}
			// The node continues while this test looks at it.
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
