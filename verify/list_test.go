package verify

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/svc-edge/svc-verify/bundle"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/trust"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// TestChecksMatchSpec: the check list and the headings of the specification are the same, in
// the same order. A report has them all, also of a bundle that cannot be read; but freshness
// only if it was requested, even by half, and the wanted status only if there is one.
func TestChecksMatchSpec(t *testing.T) {
	spec := must.Get(os.ReadFile(filepath.Join("..", "docs", "spec.md")))(t)
	var headings, listed []string
	for _, m := range regexp.MustCompile(`(?m)^### (8\.\d+) ([a-z.-]+):`).FindAllStringSubmatch(string(spec), -1) {
		headings = append(headings, m[1]+" "+m[2])
	}
	for _, c := range list {
		listed = append(listed, c.spec+" "+string(c.id))
	}
	if d := cmp.Diff(headings, listed); d != "" {
		t.Errorf("specification and list differ:\n%s", d)
	}
	without := func(ids ...string) []string {
		return slices.DeleteFunc(slices.Clone(listed), func(c string) bool { return slices.Contains(ids, c) })
	}
	const subject, fresh, wanted, force = "8.22 subject.wanted", "8.23 status.fresh", "8.24 status.wanted",
		"8.25 certificate.in-force"
	for _, tt := range []struct {
		policy Policy
		want   []string
	}{
		{Policy{}, without(subject, fresh, wanted, force)},
		{Policy{At: time.Unix(0, 0), MaxAge: time.Hour}, without(subject, wanted, force)},
		{Policy{At: time.Unix(0, 0)}, without(subject, wanted, force)},
		{Policy{MaxAge: time.Hour}, without(subject, wanted, force)},
		{Policy{Status: bundle.Issued}, without(subject, fresh, force)},
		{Policy{MaxAge: time.Hour, Status: bundle.Revoked}, without(subject, force)},
		{Policy{InForceAt: time.Unix(0, 0)}, without(subject, fresh, wanted)},
		{Policy{TenantID: "a"}, without(fresh, wanted, force)},
		{Policy{TransactionID: "a"}, without(fresh, wanted, force)},
		{Policy{Certificate: []byte{1}}, without(fresh, wanted, force)},
		{Policy{DNSNames: []string{"a"}}, without(fresh, wanted, force)},
		{Policy{DNSNames: []string{"a"}, MaxAge: time.Hour, Status: bundle.Revoked, InForceAt: time.Unix(0, 0)}, listed},
	} {
		var reported []string
		for _, c := range Verify(bundle.Open(nil), &trust.Root{}, tt.policy).Checks {
			reported = append(reported, c.Spec+" "+string(c.ID))
		}
		if d := cmp.Diff(tt.want, reported); d != "" {
			t.Errorf("list and report differ:\n%s", d)
		}
	}
}

// TestVerdict: only a full list of checks that each examined something and
// held it all is a success.
func TestVerdict(t *testing.T) {
	pass := Check{Status: Passed, Examined: 2, Held: 2}
	tests := []struct {
		name   string
		checks []Check
		want   Verdict
	}{
		{"no checks", nil, Inconclusive},
		{"all passed", []Check{pass, pass}, Verified},
		{"one failed", []Check{pass, {Status: Failed, Examined: 2, Held: 1}}, Rejected},
		{"failed after skipped", []Check{{Status: Skipped}, {Status: Failed, Examined: 1}}, Rejected},
		{"one skipped", []Check{pass, {Status: Skipped}}, Inconclusive},
		{"one empty", []Check{pass, {Status: Empty}}, Inconclusive},
		{"one unknown", []Check{pass, {}}, Inconclusive},
		{"passed nothing", []Check{pass, {Status: Passed}}, Inconclusive},
		{"passed some", []Check{pass, {Status: Passed, Examined: 2, Held: 1}}, Inconclusive},
	}
	for _, tt := range tests {
		if got := verdictOf(tt.checks); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
}

// TestCodes: every code occurs once, has a check and a section that exist, and
// a sentence that shows all it is given. The golden file is append only.
func TestCodes(t *testing.T) {
	spec := must.Get(os.ReadFile(filepath.Join("..", "docs", "spec.md")))(t)
	form := regexp.MustCompile(`^[a-z]+\.[a-z0-9-]+$`)
	seen := map[Code]bool{}
	var golden strings.Builder
	for _, e := range finding.Codes("") {
		if e.Checks == nil && e.Code != NothingShown {
			continue
		}
		if seen[e.Code] || !form.MatchString(string(e.Code)) {
			t.Errorf("%s occurs twice, or has another form", e.Code)
		}
		seen[e.Code] = true
		if !strings.Contains(string(spec), "\n### "+e.Spec+" ") && !strings.Contains(string(spec), "\n## "+e.Spec+" ") {
			t.Errorf("%s: the specification has no section %s", e.Code, e.Spec)
		}
		if (e.Checks == nil) != (e.Code == NothingShown) || e.Arises == "" || e.Next == "" {
			t.Errorf("%s: no check, explanation or next step", e.Code)
		}
		f := finding.At(e.Code, "/path/0", "what was expected", "what was found")
		fmt.Fprintf(&golden, "%s: %s\n", e.Code, f.Sentence())
		if e.Code != "json.empty" && !containsAll(f.Sentence(), "what was expected", "what was found") {
			t.Errorf("%s: the sentence leaves something out: %s", e.Code, f.Sentence())
		}
		if e.Code != NothingShown && !strings.Contains(f.Sentence(), "/path/0") {
			t.Errorf("%s: the sentence has no place: %s", e.Code, f.Sentence())
		}
	}
	compareGolden(t, "codes.golden", golden.String())
}

func containsAll(s string, parts ...string) bool {
	return !slices.ContainsFunc(parts, func(p string) bool { return !strings.Contains(s, p) })
}

func compareGolden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		must.Do(t, os.WriteFile(path, []byte(got), 0o644))
	}
	want := must.Get(os.ReadFile(path))(t)
	if d := cmp.Diff(string(want), got); d != "" {
		t.Errorf("%s (run with -update to accept):\n%s", path, d)
	}
}

// TestSentencesQuote: nothing of the evidence reaches a sentence raw.
func TestSentencesQuote(t *testing.T) {
	f := finding.At(LinkDiffers, "/x\x1b[2J", "a\r\nb", "\u202eevil\x00\x9b")
	if s := f.Sentence(); strings.ContainsFunc(s, func(r rune) bool { return r < 0x20 || r > 0x7e }) {
		t.Errorf("the sentence holds raw text: %q", s)
	}
	long := finding.At(LinkDiffers, "/x", strings.Repeat("y", 1<<20), "z")
	if s := long.Sentence(); len(s) > 2000 {
		t.Errorf("a sentence of %d bytes", len(s))
	}
}
