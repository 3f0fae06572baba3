package report

import (
	"encoding/csv"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/answer"
	"github.com/svc-edge/svc-verify/answer/answertest"
	"github.com/svc-edge/svc-verify/forensics/affected"
	"github.com/svc-edge/svc-verify/forensics/incident"
	"github.com/svc-edge/svc-verify/forensics/status"
	"github.com/svc-edge/svc-verify/forensics/verdict"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/columns"
	"github.com/svc-edge/svc-verify/internal/must"
)

// affectedText writes an answer as a screen, or in full.
func affectedText(t *testing.T, a *affected.Answer, full bool) string {
	t.Helper()
	d := Affected(a, full, []string{"svc-verify", "affected", "c.db", a.Incident, "--trust", "t.json"})
	if !full {
		d.FitScreen("--full")
	}
	var b strings.Builder
	must.Do(t, answer.WriteText(&b, d, false))
	return b.String()
}

// manyAffected is an answer with n transactions, the first ones unknown.
func manyAffected(n, unknown int) *affected.Answer {
	a := &affected.Answer{Incident: "fork-9c2e", Summary: "two signed histories", After: &incident.Bound{Sequence: 140},
		Ranges:  []affected.Range{{Range: incident.Range{LogID: "node/n", First: 141, Last: 283}, ToEnd: true}},
		LeftOut: []verdict.LeftOut{{Text: "A file was not read:", Items: []string{"old.gz"}}},
		NotRead: []string{"3 of 143 events of node/n"}}
	for i := range n {
		c := affected.Certificate{Subject: affected.Subject{TenantID: "t", TransactionID: fmt.Sprintf("tx-%04d", i)},
			WithoutQuorum: affected.Unknown, Status: status.Unknown}
		if i < unknown {
			a.Export = append(a.Export, c.Subject)
		} else {
			c.Status, c.WithoutQuorum, c.Serial, c.NotAfter = status.Issued, affected.Has, "1a", "2026-03-09T00:00:00.000Z"
			c.RequiredApprovals, c.OtherApprovals, c.Names = 2, 2, []string{"dns:" + strings.Repeat("a", 200), "dns:b"}
		}
		a.Certificates = append(a.Certificates, c)
	}
	a.Counts = affected.Counts{Transactions: n, Unknown: unknown}
	return a
}

// TestAffectedScreen: unknown values come first, with the proofs to export, and a screen has room for
// any number of transactions. In full, all are there.
func TestAffectedScreen(t *testing.T) {
	for _, n := range []int{0, 1, 3, 20, 400} {
		a := manyAffected(n, n/2)
		screen, full := affectedText(t, a, false), affectedText(t, a, true)
		lines := strings.Count(screen, "\n")
		check.That(t, lines <= answer.ScreenLines, "%d transactions: %d lines", n, lines)
		for line := range strings.Lines(screen) {
			check.That(t, columns.Width(strings.TrimRight(line, "\n")) <= answer.Width,
				"%d transactions: a wide line: %s", n, line)
		}
		want := []string{fmt.Sprintf("%d transaction", n), "A file was not read", "3 of 143 events", "fork-9c2e: two signed",
			"141 to 283, to the end"}
		if n >= 2 {
			want = slices.Insert(want, 1, "Unknown: ", "tx-0000")
		}
		at := 0
		for _, text := range want {
			i := strings.Index(screen[at:], text)
			must.That(t, i >= 0, "%d transactions: %q is not there in its place:\n%s", n, text, screen)
			at += i
		}
		for i := range a.Certificates {
			check.That(t, strings.Contains(full, a.Certificates[i].TransactionID+": "),
				"%s is not there in full", a.Certificates[i].TransactionID)
		}
		check.That(t, strings.Contains(full+screen, "forged") == (n > 0), "%d transactions:\n%s", n, screen)
	}
	a := manyAffected(answer.MostItems+7, 0)
	check.That(t, strings.Contains(affectedText(t, a, true), "7 more certificates"),
		"the number of the others is not there in full")
}

// TestAffectedWords: a transaction without a certificate has none, and is not called unknown; two
// tenants are distinguished; statements missing from a journal are no range.
func TestAffectedWords(t *testing.T) {
	a := manyAffected(2, 0)
	a.Certificates[0] = affected.Certificate{Subject: a.Certificates[0].Subject, WithoutQuorum: affected.Unknown,
		Status: status.NotIssued}
	a.Ranges[0] = affected.Range{Range: incident.Range{LogID: "node/n"}}
	text := affectedText(t, a, false)
	check.That(t, strings.Contains(text, "not-issued  none") && strings.Contains(text, "what node/n does not contain") &&
		!strings.Contains(text, " of t"), "%s", text)
	a.Certificates[1].TenantID = "u"
	text = affectedText(t, a, false)
	check.That(t, strings.Contains(text, "tx-0000 of t ") && strings.Contains(text, "tx-0001 of u "), "%s", text)
}

// TestAffectedHostile: no text of the evidence changes the lines of an answer, or is unsafe in it.
func TestAffectedHostile(t *testing.T) {
	of := func(text string) *affected.Answer {
		a := &affected.Answer{}
		fill(reflect.ValueOf(a).Elem(), text)
		a.UnknownKeys = nil // other tests are about it
		return a
	}
	harmless := strings.Count(affectedText(t, of("harmless"), false), "\n")
	for _, text := range answertest.Hostile {
		a := of(text)
		screen := affectedText(t, a, false)
		for _, out := range []string{screen, affectedText(t, a, true), affectedCSV(t, a)} {
			if at := unsafeAt(strings.ReplaceAll(out, "\r\n", "\n")); at >= 0 {
				t.Errorf("%q: unsafe: %q", text, out[at:min(at+40, len(out))])
			}
		}
		if lines := strings.Count(screen, "\n"); lines > answer.ScreenLines || len(text) < 8 && lines != harmless {
			t.Errorf("%q: %d lines, and %d of a harmless text", text, lines, harmless)
		}
	}
}

func affectedCSV(t *testing.T, a *affected.Answer) string {
	t.Helper()
	var b strings.Builder
	must.Do(t, AffectedCSV(&b, a))
	return b.String()
}

// TestAffectedCSV: each certificate has one row, in which nothing is a formula, and unknown values
// are called so.
func TestAffectedCSV(t *testing.T) {
	a := manyAffected(3, 1)
	a.Certificates[1].TransactionID, a.Certificates[1].Names = "=1+1", []string{"dns:a", "dns:b"}
	a.Certificates[2] = affected.Certificate{Subject: a.Certificates[2].Subject, Status: status.NotIssued,
		WithoutQuorum: affected.Unknown}
	rows, err := csv.NewReader(strings.NewReader(affectedCSV(t, a))).ReadAll()
	want := [][]string{affectedHeader,
		{"unknown", "unknown", "unknown", "unknown", "unknown", "", "t", "tx-0000", "unknown"},
		{"1a", "dns:a dns:b", "unknown", "2026-03-09T00:00:00.000Z", "issued", "", "t", "'=1+1", "no"},
		{"none", "none", "none", "none", "not-issued", "", "t", "tx-0002", "unknown"}}
	check.That(t, err == nil && reflect.DeepEqual(rows, want), "%v\n%q\nwant %q", err, rows, want)
}

// TestFindAffected: a report has the transactions of the gravest incidents, as the command affected
// lists them, and of no more incidents than a few.
func TestFindAffected(t *testing.T) {
	t.Chdir(t.TempDir())
	root := damaged(t)
	c, w := open(t, root, sources...)
	r, err := Gather(t.Context(), c, w)
	if err == nil {
		err = r.FindAffected(t.Context(), c, root, w)
	}
	must.That(t, err == nil && len(r.Affected) == min(len(r.Incidents), mostAffected) && len(r.Affected) != 0,
		"%d answers on %d incidents, %v", len(r.Affected), len(r.Incidents), err)
	touched := 0
	for i, got := range r.Affected {
		want := must.Get(affected.Find(t.Context(), c, root, w, affected.Question{Incident: r.Incidents[i].Name}))(t)
		want.UnknownKeys, want.LeftOut = nil, []verdict.LeftOut{} // they are the report's
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, want %+v", r.Incidents[i].Name, got, want)
		}
		touched += got.Counts.Transactions
	}
	check.That(t, touched != 0, "no incident touches a transaction")
	for range mostAffected {
		r.Incidents = append(r.Incidents, r.Incidents[0])
	}
	r.Affected = nil
	if err := r.FindAffected(t.Context(), c, root, w); err != nil || len(r.Affected) != mostAffected {
		t.Errorf("%d answers, %v", len(r.Affected), err)
	}
}
