package status_test

import (
	"cmp"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/status"
	"github.com/svc-edge/svc-verify/forensics/walk"
	"github.com/svc-edge/svc-verify/harness"
	"github.com/svc-edge/svc-verify/harness/fleet"
	"github.com/svc-edge/svc-verify/harness/forge"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/harness/tamper"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/verify"
)

// want is the answer on one transaction.
type want struct {
	transactionID string
	status        status.Status
	reason        status.Reason
	complete      uint64
}

// scenario is evidence, and the expected answers about transactions.
type scenario struct {
	name  string
	steps []string
	given []string
	wants []want
}

// readScenarios reads testdata/scenarios.txtar.
func readScenarios(t *testing.T) (all []scenario) {
	t.Helper()
	for _, f := range must.Get(txtar.ParseFile(filepath.Join("testdata", "scenarios.txtar")))(t).Files {
		c := scenario{name: f.Name, given: usual}
		for line := range strings.Lines(string(f.Data)) {
			switch words := strings.Fields(line); words[0] {
			case "given":
				c.given = words[1:]
			case "+":
				c.given = append(slices.Clone(usual), words[1:]...)
			case ">":
				c.wants = append(c.wants, want{words[1], status.Status(words[2]),
					status.Reason(strings.TrimPrefix(words[3], "-")), must.Get(strconv.ParseUint(words[4], 10, 64))(t)})
			default:
				c.steps = append(c.steps, line)
			}
		}
		all = append(all, c)
	}
	return all
}

// bend does the steps of a scenario to evidence.
func (c scenario) bend(t *testing.T, e *fleet.Edited) {
	t.Helper()
	var a *forge.Author
	for _, step := range c.steps {
		words := append(strings.Fields(step), "", "")
		number := func(i int) int { return must.Get(strconv.Atoi(words[i]))(t) }
		switch words[0] {
		case "without":
			without(e, number(1), number(2))
		case "junk":
			if len(e.Names(words[1])) > 0 {
				e.AddLine(words[1], junk)
			} else {
				e.Put(words[1], junk)
			}
		case "alter":
			e.OnLine(words[1], uint64(number(2)), forge.OnLine(alteration(e, words[3])))
		case "copy":
			e.AddLine(fleet.TenantLog,
				forge.OnLine(alteration(e, words[2]))(seal.Canonical(e.Scene.Tenant[number(1)-1])))
		case "after":
			if a = author(e, number(1)); words[2] == "stranger" {
				a.Key = forge.Stranger(a.Key.ID)
			}
		case "write":
			write(e, a, words[1], words[2], words[3], dataOf(e, words[2], words[4]))
		case "script":
			script(words[1])(t, e)
		default:
			t.Fatal(step)
		}
	}
}

// alteration is a change of an event, by its name.
func alteration(e *fleet.Edited, name string) func(seal.Object) {
	switch name {
	case "salt":
		return forge.AlterSalt
	case "key":
		return forge.RenameKey("nobody")
	case "revocation": // of the second transaction
		return func(event seal.Object) {
			body := seal.Member(event, "body")
			body["type"], body["transaction_id"] = "certificate.revoked", second
			body["data"] = revocationOf(manifestOf(e, second))
		}
	}
	return forge.AlterHash(name)
}

// dataOf is the data of an event about the manifest of a transaction, or about another manifest.
func dataOf(e *fleet.Edited, eventType, transactionID string) seal.Object {
	manifest := cmp.Or(manifestOf(e, transactionID), seal.SHA256([]byte(transactionID)))
	switch eventType {
	case "issuance.completed":
		return issuanceOf(manifest)
	case "certificate.revoked":
		return revocationOf(manifest)
	}
	return seal.Object{}
}

// TestTamperedFleets plays scripts of package tamper. Whatever was done, the
// revoked certificate is never issued, no other one is revoked, and nothing is issued
// by a log that the walk did not verify.
func TestTamperedFleets(t *testing.T) {
	given := []string{fleet.TenantLog, "journals", fleet.Checkpoints, "cursors", "bundles"}
	genuine := map[string]bool{}
	for _, row := range answered(t, scene(t), given, status.Question{}).rows {
		genuine[row.TransactionID] = true
	}
	for i, s := range tamper.Scripts() {
		if i%4 != 0 || testing.Short() && i%60 != 0 {
			continue
		}
		t.Run(s.Name, func(t *testing.T) {
			e := scene(t)
			script(s.Name)(t, e)
			here := slices.DeleteFunc(slices.Clone(given), func(name string) bool { return len(e.Names(name)) == 0 })
			if len(here) == 0 {
				return // nothing is left to ask about
			}
			path, root := ingested(t, e, here)
			r := examined(t, path, root)
			a := ask(t, path, root, r, status.Question{})
			at := slices.IndexFunc(r.Logs, func(l walk.LogResult) bool { return l.LogID == "tenant/"+harness.Tenant })
			for _, row := range a.rows {
				switch {
				case row.Status == status.Issued && (r.Logs[at].Verdict != verify.Verified || row.TransactionID == first),
					row.Status == status.Revoked && genuine[row.TransactionID] && row.TransactionID != first,
					row.Verdict == verify.Verified && row.Status == status.Unknown:
					t.Errorf("%+v in a log that is %s", row, r.Logs[at].Verdict)
				}
			}
			for _, f := range r.Findings {
				bad := f.Effect() == finding.Rejects && f.Bearing() == finding.Integrity
				check.That(t, !bad || f.LogID != "tenant/"+harness.Tenant || a.Verdict == verify.Rejected,
					"%s, although %s", a.Verdict, f.Message)
			}
		})
	}
}
