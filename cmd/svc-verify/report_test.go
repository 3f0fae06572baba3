package main

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/harness/fleet"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/verify"
)

// TestReportOfTwoNumbers: a report gives both numbers of each log, and calls a log
// complete by others' word alone.
func TestReportOfTwoNumbers(t *testing.T) {
	f := newEnds(t)
	for name, tt := range sampled(map[string]struct {
		names     []string
		log, want string
	}{
		"a checkpoint and bundles": {[]string{fleet.TenantLog, fleet.Checkpoints, "bundles"}, "tenant/acme-corp", "complete"},
		"a checkpoint alone": {[]string{fleet.TenantLog, fleet.Checkpoints}, "tenant/acme-corp",
			"complete by own word"},
		"a cursor alone": {[]string{"journals/mesh-berlin-1.ndjson", "cursors/mesh-berlin-1.ndjson"}, berlin,
			"complete by own word"},
		"journals":    {[]string{fleet.TenantLog, "journals"}, "tenant/acme-corp", "complete"},
		"the journal": {[]string{"journals/mesh-berlin-1.ndjson"}, berlin, "open"},
	}, 2) {
		t.Run(name, func(t *testing.T) {
			db := filepath.Join(t.TempDir(), "case.db")
			f.run(append([]string{"ingest", db, "--quiet"}, f.paths(tt.names)...)...)
			f.run("walk", db, "--trust", f.path(fleet.TrustFile), "--quiet")
			report := func(form string) string {
				_, out := f.run("report", db, "--trust", f.path(fleet.TrustFile), "--output", form, "--quiet")
				return out
			}
			var doc struct {
				Logs []struct {
					LogID            string `json:"log_id"`
					CompleteByOthers word   `json:"complete_by_others"`
					CompleteByOwn    word   `json:"complete_by_own"`
					Completeness     struct{ Answer, Sentence string }
				}
			}
			must.Do(t, json.Unmarshal([]byte(report("json")), &doc))
			html, markdown := report("html"), report("markdown")
			for _, l := range doc.Logs {
				if l.LogID != tt.log {
					continue
				}
				others, own, answer := l.CompleteByOthers.Sequence, l.CompleteByOwn.Sequence, l.Completeness.Answer
				check.That(t, answer == tt.want && (answer == "complete") == (others > 0),
					"%s, up to %d by others and %d by its own word, want %s", answer, others, own, tt.want)
				for form, want := range map[string]string{
					html:     fmt.Sprintf("%s</strong>, up to %d by others&#39; word, up to %d by its own", answer, others, own),
					markdown: fmt.Sprintf("- Completeness: **%s**. %s", answer, l.Completeness.Sentence),
				} {
					check.That(t, strings.Contains(form, want), "%q is not in\n%s", want, form)
				}
				return
			}
			t.Error("no such log")
		})
	}
}

// TestReportedProofs: every form of a report of a case states the results of its proofs; a
// form that has findings alone states them on standard error.
func TestReportedProofs(t *testing.T) {
	issued, revoked, trust := proofsOfOne(t)
	t.Chdir(must.WriteFiles(t, t.TempDir(), map[string][]byte{"trust.json": trust, "older.json": issued,
		"newer.json": revoked}))
	call(nil, "ingest", "c.db", "older.json", "newer.json")
	call(nil, "walk", "c.db", "--trust", "trust.json")
	said := map[string]string{}
	for _, form := range []string{"json", "html", "markdown", "csv"} {
		code, stdout, stderr := call(nil, "report", "c.db", "--trust", "trust.json", "--output", form)
		check.That(t, code == 0, "%s: exit code %d: %s", form, code, stderr)
		said[form] = strings.NewReplacer("<wbr>", "", `<span class="whole">`, "", "</span>", "").Replace(stdout)
		if form == "csv" {
			said[form] = stderr
			check.That(t, !strings.Contains(stdout, "payments.acme.example"),
				"%s has something else than findings:\n%s", form, stdout)
		}
	}
	_, out, _ := call(nil, "--evidence", "newer.json", "--trust", "trust.json", "--output", "report")
	var r verify.Report
	must.Do(t, json.Unmarshal([]byte(out), &r))
	a := r.About
	wantAll(t, "report", said, a.TransactionID, "payments.acme.example", a.NotAfter, a.AsOf, a.RevokedAt, "newer.json",
		"supersede")
}

// TestReportsUnderStaleTrust: every form of a report of a case names once the key that the
// trust file lacks; a form that has findings alone names it next to them.
func TestReportsUnderStaleTrust(t *testing.T) {
	f, lacks := newEnds(t), staleTrust[0]
	f.ingested()
	for trust, want := range map[string]int{f.without(lacks): 1, f.path("trust.json"): 0} {
		f.run("walk", f.path("case.db"), "--trust", trust, "--quiet")
		for _, form := range []string{"json", "html", "markdown", "csv"} {
			_, said, beside := call(nil, "report", f.path("case.db"), "--trust", trust, "--output", form)
			if form == "csv" {
				said = beside
			}
			check.That(t, strings.Count(said, "unknown key ids: ") == want && strings.Count(said, "keys.unknown") == want,
				"%s does not say %d times what is unknown:\n%.2000s", form, want, said)
		}
	}
}
