package prometheus

import (
	"encoding/json"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// page is the page that maps every signal to a rule or a check.
var page = filepath.Join("..", "..", "docs", "monitoring.md")

// signals are the signals to monitor that the service promises, with
// their severities.
var signals = map[string]string{
	"Node health": "High", "Node status in console": "High", "Approval quorum": "Critical", "Signed policy sync": "High",
	"Integration health": "High", "Certificate expiry": "Medium", "Rotation progress": "Medium",
	"Issuance paused": "Critical",
	"Resume attempts": "High", "Revocation publication": "High", "Audit integrity": "Critical",
	"Audit witness quorum": "Medium",
	"OTLP audit export":    "High", "Trust-event cursor": "High",
}

// rows returns the rows of the page's table: each signal with the means to watch it.
func rows(t *testing.T) map[string]string {
	t.Helper()
	found := map[string]string{}
	for _, m := range regexp.MustCompile(`(?m)^\| ([^|]+) \| (Critical|High|Medium) \| (.*) \|$`).FindAllStringSubmatch(
		read(t, page), -1) {
		check.That(t, signals[m[1]] == m[2], "%s: found severity %s, expected %q", m[1], m[2], signals[m[1]])
		found[m[1]] = strings.ReplaceAll(m[3], `\|`, "|")
	}
	return found
}

// TestEverySignal: each signal is on the page, and each
// alert that the page names is in the rules, and the other way round.
func TestEverySignal(t *testing.T) {
	table := rows(t)
	for signal := range signals {
		check.That(t, table[signal] != "", "the page has no row for %s", signal)
	}
	named, all := map[string]bool{}, ""
	for _, text := range table {
		all += text
	}
	for _, m := range regexp.MustCompile(`\*\*([^*]+)\*\*`).FindAllStringSubmatch(all, -1) {
		named[m[1]] = true
	}
	for _, m := range regexp.MustCompile(`- alert: (.*)`).FindAllStringSubmatch(
		read(t, filepath.Join(pack, "svc-node.rules.yml")), -1) {
		check.That(t, named[m[1]], "the page does not name the alert %s", m[1])
		delete(named, m[1])
	}
	for name := range named {
		t.Errorf("there is no alert %s", name)
	}
}

// overview is the console's document while all is well.
const overview = `{
	"tenant_id": "acme-corp", "label": "trust path healthy",
	"nodes": [{"node_id": "mesh-oslo-1", "state": "ok"}, {"node_id": "mesh-rome-1", "state": "ok"}],
	"quorum": {"healthy": 2, "required": 2, "state": "available"},
	"integrations": [{"integration_id": "web", "kind": "nginx", "state": "healthy"}, {"integration_id": "old", "kind": "nginx", "state": "disabled"}],
	"incidents": {"issuance_paused": false},
	"trust_health": {"status": "healthy", "expiring_within_30_days": 0, "active_certificates": 9},
	"revocation": {"crls": [{"issuer": "a", "number": 3, "state": "current"}], "ocsp": {"responses": 9, "attention": 0}},
	"rotations": [],
	"audit": {"sequence": 120, "checkpoint": 118, "witnesses": {"received": 2, "required": 2, "node_ids": []}}
}`

// TestChecks runs every check of the console's document as it is on the
// page: it passes while all is well, and fails for each of the causes.
func TestChecks(t *testing.T) {
	must.Program(t, "jq")
	table := rows(t)
	for signal, bad := range map[string][]string{
		"Node status in console": {`.nodes[1].state = "degraded"`, `.nodes[0].state = "offline"`,
			`.nodes[0].state = "disabled"`},
		"Approval quorum":    {`.quorum.state = "fail_closed"`, `del(.quorum)`},
		"Integration health": {`.integrations[0].state = "degraded"`, `.integrations[0].state = "pending_node"`},
		"Certificate expiry": {`.trust_health.expiring_within_30_days = 1`, `del(.trust_health)`},
		"Issuance paused":    {`.incidents.issuance_paused = true`, `del(.incidents)`},
		"Revocation publication": {`.revocation.crls[0].state = "expired"`, `.revocation.crls[0].state = "pending"`,
			`.revocation.ocsp.attention = 1`},
		"Audit witness quorum": {`.audit.witnesses.received = 1`},
	} {
		m := regexp.MustCompile("`overview \\| jq -e '([^']*)'`").FindStringSubmatch(table[signal])
		if m == nil {
			t.Errorf("%s has no check of the console's document", signal)
			continue
		}
		if out, err := jq(m[1], overview); err != nil {
			t.Errorf("%s, while all is well: %v\n%s", signal, err, out)
		}
		for _, change := range bad {
			if out, err := jq("("+change+") | "+m[1], overview); err == nil {
				t.Errorf("%s, with %s: the check passes\n%s", signal, change, out)
			}
		}
	}
}

// jq runs a program on a document.
func jq(program, document string) ([]byte, error) {
	command := exec.Command("jq", "-e", program) // #nosec G204
	command.Stdin = strings.NewReader(document)
	return command.CombinedOutput()
}

// TestPolicySyncCheck runs the check of policy_last_synced_at.
func TestPolicySyncCheck(t *testing.T) {
	must.Program(t, "jq")
	m := regexp.MustCompile("status \\| jq -e '([^']*)'`").FindStringSubmatch(rows(t)["Signed policy sync"])
	must.That(t, m != nil, "no check")
	for at, ok := range map[string]bool{
		time.Now().UTC().Format("2006-01-02T15:04:05.000Z"):                        true,
		time.Now().UTC().Add(-14 * time.Minute).Format("2006-01-02T15:04:05.000Z"): true,
		time.Now().UTC().Add(-16 * time.Minute).Format("2006-01-02T15:04:05.000Z"): false,
		"": false,
	} {
		document := must.Get(json.Marshal(map[string]string{"policy_last_synced_at": at}))(t)
		if out, err := jq(m[1], string(document)); (err == nil) != ok {
			t.Errorf("%q: %v\n%s", at, err, out)
		}
	}
}

// TestResumeCheck runs the check of the audit events.
func TestResumeCheck(t *testing.T) {
	must.Program(t, "jq")
	m := regexp.MustCompile(`audit/events[^']*jq -e '([^']*)'`).FindStringSubmatch(read(t, page))
	must.That(t, m != nil, "no check")
	for kind, ok := range map[string]bool{
		"issuance.completed": true, "node.reported": true, "issuance.paused_not": true,
		"issuance.paused": false, "issuance.resumed": false, "break_glass.resume_requested": false,
		"break_glass.resume_expired": false,
	} {
		document := `{"events": [{"body": {"type": "node.reported"}}, {"body": {"type": "` + kind + `"}}]}`
		if out, err := jq(m[1], document); (err == nil) != ok {
			t.Errorf("%s: %v\n%s", kind, err, out)
		}
	}
}
