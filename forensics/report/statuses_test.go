package report

import (
	"fmt"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/answer"
	"github.com/svc-edge/svc-verify/forensics/status"
	"github.com/svc-edge/svc-verify/forensics/verdict"
	"github.com/svc-edge/svc-verify/forensics/walk"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/columns"
	"github.com/svc-edge/svc-verify/internal/must"
)

func statusLog(tenant string) status.Log {
	return status.Log{TenantID: tenant, LogID: "tenant/" + tenant, Verdict: "verified", LastSequence: 9,
		Checkpoint: &walk.CheckpointName{Sequence: 8, Witnessed: true, Hash: "h", CreatedAt: "then", Source: "a.json"}}
}

// contains wants these parts of a text in this order, and lines that fit.
func contains(t *testing.T, text string, parts ...string) {
	t.Helper()
	rest := text
	for _, part := range parts {
		at := strings.Index(rest, part)
		must.That(t, at >= 0, "no %q, or too early, in\n%s", part, text)
		rest = rest[at+len(part):]
	}
	for line := range strings.Lines(text) {
		check.That(t, columns.Width(strings.TrimSuffix(line, "\n")) <= answer.Width, "a line that is too long: %s", line)
	}
}

// TestStatusOfAll: the unexamined evidence comes first; of many rows and logs the omitted ones
// are counted.
func TestStatusOfAll(t *testing.T) {
	head := &status.Head{LeftOut: []verdict.LeftOut{{What: verdict.Rest, Text: "Some more.", Items: []string{}}},
		Limitations: []status.Limitation{{Code: "x", Text: "No log shows it."}}}
	for i := range 70 {
		head.Logs = append(head.Logs, statusLog(fmt.Sprintf("t%02d", i)))
	}
	rows := []status.Row{{TenantID: "t00", TransactionID: "a", Status: status.Issued, Sequence: 3},
		{TenantID: "t00", TransactionID: strings.Repeat("b", 60), Status: status.Revoked, Sequence: 4, RevocationSequence: 5},
		{TenantID: "t01", TransactionID: "a\x1b", Status: status.Unknown, Sequence: 6}}
	end := status.End{Verdict: "inconclusive", Counts: status.Counts{Issued: 300, Revoked: 1, Unknown: 1}}
	text := asText(t, Status(head, rows, end, Asked{Name: "case.db", Case: "case.db"}))
	contains(t, text, "OPEN  case.db\n", "Not examined: Some more.", "300 issued, 1 revoked, 1 unknown", "t00\n",
		"  a\n    Status issued; Issued 3\n", "bbb", "revoked; Issued 4; Revoked 5", "t01\n",
		"Transaction  Status   Issued", "unknown", "and 299 more certificates: --output",
		"verified  tenant/t00", "verified  tenant/t63", "and 6 more logs", "No log shows it.")
	check.That(t, !strings.Contains(text, "t64") && !strings.Contains(text, "\x1b"), "%s", text)
}

// TestStatusOfOne: a reason is said once, with the next step, and only the logs of
// the rows are shown.
func TestStatusOfOne(t *testing.T) {
	bad := statusLog("t1")
	bad.Verdict, bad.Reason, bad.Decides, bad.Checkpoint = "inconclusive", status.LogIncomplete, "chain.gap", nil
	head := &status.Head{Question: status.Question{TransactionID: "x"}, Logs: []status.Log{statusLog("t0"), bad}}
	row := status.Row{TenantID: "t1", TransactionID: "x", Status: status.Unknown, Verdict: "inconclusive",
		Reason: status.LogIncomplete, Sequence: 3, OccurredAt: "then"}
	text := asText(t, Status(head, []status.Row{row}, status.End{Verdict: "inconclusive"},
		Asked{Name: "case.db", Case: "case.db"}))
	contains(t, text, "OPEN  case.db", "open  x: unknown", "event 3, then", "no such event from 1 to 9",
		"nothing shows it", "open  tenant/t1", "Events of the tenant log are missing", "chain.gap",
		"\nNext: svc-verify show gaps case.db --log tenant/t1\n")
	check.That(t, !strings.Contains(text, "t0") && strings.Count(text, "are missing") == 1, "%s", text)
	row.Reason, row.TenantID = status.AfterCheckpoint, "t0"
	text = asText(t, Status(head, []status.Row{row}, status.End{Verdict: "inconclusive"},
		Asked{Name: "case.db", Case: "case.db"}))
	contains(t, text, "x: unknown", "Neither a checkpoint", "next: svc-verify ingest", "of then, witnessed")
	text = asText(t, Status(head, nil, status.End{Verdict: "inconclusive", Reason: status.SerialUnknown},
		Asked{Name: "case.db"}))
	contains(t, text, "OPEN  case.db\n  No verified bundle", "tenant/t0", "tenant/t1")
	row = status.Row{TenantID: "t9", TransactionID: "x", Status: status.Unknown, Verdict: "inconclusive",
		Reason: status.NothingIssued}
	text = asText(t, Status(head, []status.Row{row}, status.End{Verdict: "inconclusive"},
		Asked{Name: "case.db", Case: "case.db"}))
	contains(t, text, "x: unknown", "The case has no such tenant log", "issued")
	check.That(t, !strings.Contains(text, "from 1 to 0"), "%s", text)
}
