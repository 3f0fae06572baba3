package main

import (
	"encoding/json"
	"fmt"
	"html"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/archive/handover"
	"github.com/svc-edge/svc-verify/archive/logbook"
	"github.com/svc-edge/svc-verify/archive/object"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/verify"
)

// keptProofs makes an archive in the folder keep: a proof of a revocation, and one of an issuance
// from before it in gzip, with the trust file trust.json.
func keptProofs(t *testing.T) {
	t.Helper()
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	issued, revoked, trust := proofsOfOne(t)
	t.Chdir(must.WriteFiles(t, t.TempDir(), map[string][]byte{"trust.json": trust, "keep/revoked.json": revoked,
		"keep/issued.json": issued, "keep/issued.json.gz": must.Gzip(issued)}))
}

// answers runs a command with a report in every form, and returns each form as plain text.
func answers(t *testing.T, args ...string) map[string]string {
	t.Helper()
	dir := t.TempDir()
	forms := []string{"junit", "sarif", "markdown", "html", "jsonl"}
	for _, form := range forms {
		args = append(args, "--report", form+"="+filepath.Join(dir, form))
	}
	_, stdout, stderr := call(nil, append(args, "--report", "github-annotations")...)
	said := map[string]string{"text": stdout, "annotations": stderr}
	_, said["json"], _ = call(nil, append(args, "--output", "json")...)
	for _, form := range forms {
		doc := must.Get(os.ReadFile(filepath.Join(dir, form)))(t)
		said[form] = string(doc)
	}
	marks := strings.NewReplacer("<wbr>", "", `<span class="whole">`, "", "</span>", "")
	for form, doc := range said {
		said[form] = strings.Join(strings.Fields(html.UnescapeString(marks.Replace(doc))), " ")
	}
	return said
}

// wantAll fails for each text that an answer does not have.
func wantAll(t *testing.T, who string, answers map[string]string, want ...string) {
	t.Helper()
	for form, doc := range answers {
		for _, w := range want {
			check.That(t, strings.Contains(doc, w), "%s: %s does not have %q:\n%.2000s", who, form, w, doc)
		}
	}
}

// wantProofs wants the first texts in text for people, and all of them in the other forms.
func wantProofs(t *testing.T, who string, answers map[string]string, inText int, want []string) {
	t.Helper()
	for form, doc := range answers {
		if form == "text" {
			wantAll(t, who, map[string]string{form: doc}, want[:inText]...)
		} else {
			wantAll(t, who, map[string]string{form: doc}, want...)
		}
	}
}

// TestArchiveProofs: every form of every answer on an archive states for each proof its status
// and transaction, whose certificate it is, when that is valid, and as of when. Text for
// people counts the certificates that are not revoked.
func TestArchiveProofs(t *testing.T) {
	keptProofs(t)
	_, out, _ := call(nil, "--evidence", "keep/revoked.json", "--trust", "trust.json", "--output", "report")
	var revoked verify.Report
	must.Do(t, json.Unmarshal([]byte(out), &revoked))
	_, out, _ = call(nil, "--evidence", "keep/issued.json", "--trust", "trust.json", "--output", "report")
	var issued verify.Report
	must.Do(t, json.Unmarshal([]byte(out), &issued))
	want := []string{revoked.About.TransactionID, revoked.About.CertificateNames[0], revoked.About.RevokedAt, verify.NoAge,
		revoked.About.Status, issued.About.Status}
	inText := len(want)
	for _, a := range []*verify.About{revoked.About, issued.About} {
		want = append(want, a.TransactionID, a.CertificateNames[0], a.NotBefore, a.NotAfter, a.AsOf)
	}
	checking := []string{"archive", "check", "keep", "--ledger", "l.db", "--trust", "trust.json"}
	wantProofs(t, "the first check", answers(t, checking...), inText, want)
	wantProofs(t, "a check that verifies nothing again", answers(t, checking...), inText, want)
	wantProofs(t, "a check that reads nearly nothing", answers(t, append(checking, "--sample", "0.0001%")...), inText,
		want)
	const exporting = "archive export keep --ledger l.db --trust trust.json --out "
	for _, line := range []string{"archive status --ledger l.db", exporting} {
		for _, form := range []string{"text", "json"} {
			args := strings.Fields(line)
			if line == exporting {
				args = append(args, "bag-"+form)
			}
			_, out, _ := call(nil, append(args, "--output", form)...)
			wantProofs(t, line, map[string]string{form: strings.Join(strings.Fields(out), " ")}, inText, want)
		}
	}
	bag := answers(t, "archive", "verify", "bag-text", "--trust", "trust.json")
	delete(bag, "jsonl") // a line for each finding alone
	wantProofs(t, "bag", bag, inText, want)
	var s logbook.Status
	_, out, _ = call(nil, "archive", "status", "--ledger", "l.db", "--output", "json")
	must.Do(t, json.Unmarshal([]byte(out), &s))
	if want := (object.Statuses{Issued: 2, Revoked: 1}); s.Statuses != want || s.Proofs[0].Proof.Status != "revoked" {
		t.Errorf("%+v, want %+v and the revoked first: %+v", s.Statuses, want, s.Proofs)
	}
	var e handover.Result
	_, out, _ = call(nil, append(strings.Fields(exporting), "bag", "--output", "json")...)
	must.Do(t, json.Unmarshal([]byte(out), &e))
	check.That(t, fmt.Sprint(e.Proofs) == fmt.Sprint(s.Proofs),
		"the export says\n%v\nthe status\n%v", e.Proofs, s.Proofs)
}
