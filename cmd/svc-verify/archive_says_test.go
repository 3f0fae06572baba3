package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"html"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/archive"
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
	t.Chdir(t.TempDir())
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	issued, revoked, trust := proofsOfOne(t)
	must.Do(t, os.Mkdir("keep", 0o700))
	for name, doc := range map[string][]byte{"trust.json": trust, "keep/revoked.json": revoked,
		"keep/issued.json": issued, "keep/issued.json.gz": gzipped(t, issued)} {
		must.Do(t, os.WriteFile(name, doc, 0o600))
	}
}

func gzipped(t *testing.T, doc []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	must.Get(z.Write(doc))(t)
	must.Do(t, z.Close())
	return b.Bytes()
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

// TestBadProofSaysNothing: the content of a proof that is not genuine is in no answer.
func TestBadProofSaysNothing(t *testing.T) {
	keptProofs(t)
	doc := must.Get(os.ReadFile("keep/issued.json"))(t)
	must.Do(t, os.RemoveAll("keep"))
	must.Do(t, os.Mkdir("keep", 0o700))
	forged := bytes.Replace(doc, []byte(`"decision":"allow"`), []byte(`"decision":"deny"`), 1)
	must.Do(t, os.WriteFile("keep/forged.json", forged, 0o600))
	for form, said := range answers(t, "archive", "check", "keep", "--ledger", "l.db", "--trust", "trust.json") {
		check.That(t, !strings.Contains(said, "payments") && !strings.Contains(said, "as of"),
			"%s says what a forged proof says:\n%s", form, said)
	}
}

// TestForeignLedgerSaysNothing: a ledger under another user's key, or one that was edited,
// reports nothing about proofs.
func TestForeignLedgerSaysNothing(t *testing.T) {
	keptProofs(t)
	call(nil, "archive", "check", "keep", "--ledger", "l.db", "--trust", "trust.json")
	status := func() (int, string) {
		code, text, _ := call(nil, "archive", "status", "--ledger", "l.db")
		_, doc, _ := call(nil, "archive", "status", "--ledger", "l.db", "--output", "json")
		return code, text + doc
	}
	const name = "payments.acme.example"
	own := os.Getenv("XDG_STATE_HOME")
	code, said := status()
	check.That(t, code == exitVerified && strings.Contains(said, name), "own: %d %s", code, said)
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	call(nil, "archive", "check", "keep", "--ledger", "other.db", "--trust", "trust.json") // makes a key
	code, said = status()
	check.That(t, code == exitInconclusive && !strings.Contains(said, name) && strings.Contains(said,
		"ledger.foreign"), "foreign: %d %s", code, said)
	exporting := []string{"archive", "export", "keep", "--ledger", "l.db", "--trust", "trust.json"}
	for _, form := range []string{"text", "json"} {
		code, out, _ := call(nil, append(exporting, "--out", "bag-"+form, "--output", form)...)
		check.That(t, code == exitInconclusive && !strings.Contains(out, name),
			"export under a foreign key: %d %s", code, out)
	}
	t.Setenv("XDG_STATE_HOME", own)
	doc := must.Get(os.ReadFile("l.db"))(t)
	edited := bytes.ReplaceAll(doc, []byte("dns:"+name), []byte("dns:payments.evil.example"))
	must.That(t, !bytes.Equal(doc, edited), "the ledger does not keep the name")
	must.Do(t, os.WriteFile("l.db", edited, 0o600))
	code, said = status()
	check.That(t, code == exitRejected && !strings.Contains(said, "evil") && strings.Contains(said, "ledger.altered"),
		"edited: %d %s", code, said)
}

// TestGzippedProof: a proof in gzip is the proof in it, for every command.
func TestGzippedProof(t *testing.T) {
	keptProofs(t)
	_, revoked, _ := proofsOfOne(t)
	must.Do(t, os.WriteFile("revoked.json.gz", gzipped(t, revoked), 0o600))
	for _, c := range []struct {
		file, status string
		code         int // of verify
	}{{"keep/issued.json.gz", "issued", 0}, {"keep/issued.json.gz", "revoked", 1}, {"revoked.json.gz", "revoked", 0},
		{"revoked.json.gz", "issued", 1}} {
		const name = "payments.acme.example"
		said := c.file + ": genuine, "
		if c.code == 1 {
			said += "but "
		}
		said += map[bool]string{true: "issued", false: "revoked"}[strings.Contains(c.file, "issued")]
		code, out, _ := call(nil, "verify", "--trust", "trust.json", "--status", c.status, c.file)
		check.That(t, code == c.code && strings.Contains(out, said),
			"verify of %s wants %s: %d, want %d: %s", c.file, c.status, code, c.code, out)
		code, out, _ = call(nil, "check", "--full", "--trust", "trust.json", c.file)
		check.That(t, code == exitVerified && strings.Contains(out, name),
			"check of %s: %d, want 0: %s", c.file, code, out)
	}
	doc := must.Get(os.ReadFile("revoked.json.gz"))(t)
	must.Do(t, os.WriteFile("keep/cut.json.gz", doc[:len(doc)-9], 0o600))
	if code, _, _ := call(nil, "verify", "--trust", "trust.json", "--status", "any", "keep/cut.json.gz"); code != 2 {
		t.Errorf("verify of cut gzip: %d", code)
	}
	_, out, _ := call(nil, "archive", "check", "keep", "--ledger", "l.db", "--trust", "trust.json", "--output", "json")
	var r archive.Result
	must.Do(t, json.Unmarshal([]byte(out), &r))
	got := map[string]string{}
	for _, p := range r.Proofs {
		got[p.Path] += p.Proof.Status
	}
	want := map[string]string{"cut.json.gz": "revoked", "issued.json": "issued", "issued.json.gz": "issued",
		"revoked.json": "revoked"} // of the cut one only the checksum is missing
	check.That(t, fmt.Sprint(got) == fmt.Sprint(want), "archive check says %v, want %v", got, want)
}
