package form

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/outcome"
)

// TestNothingGreen: no form of a run looks verified unless the run is, also if there was
// nothing, or the problems are not shown.
func TestNothingGreen(t *testing.T) {
	word := `\*\*(rejected|not-a-bundle|open|unreadable)\.`
	red := map[string]string{"junit": `<failure|<error`, "sarif": `"level":"(error|warning)"`,
		"github-annotations": `(?m)^::(error|warning) `, "html": `class="outcome (bad|warn)"`, "markdown": word,
		"github-summary": word}
	for _, class := range append(outcome.Classes(), "", "fine") {
		report := reportOf(outcome.Run{Command: "svc-verify verify", Verdict: class})
		for _, f := range Forms() {
			found := regexp.MustCompile(red[f.Name]).MatchString(render(t, f.Name, report, Options{}))
			check.That(t, found == (class != outcome.Verified), "%s of %q: red is %t", f.Name, class, found)
		}
	}
}

// TestCaseOfClass: bad evidence is a failure, and anything that could not be read or decided
// is an error.
func TestCaseOfClass(t *testing.T) {
	for class, want := range map[outcome.Class]string{outcome.Rejected: "failure", outcome.NotABundle: "failure",
		outcome.Unreadable: "error", outcome.Inconclusive: "error", "": "failure"} {
		doc := render(t, "junit", reportOf(outcome.Run{Verdict: outcome.Verified}, outcome.Item{Name: "x", Class: class}),
			Options{})
		check.That(t, strings.Contains(doc, "<"+want) && strings.Count(doc, "type=") == 1, "%q: %s", class, doc)
	}
	contradicted := outcome.Item{Name: "x", Class: outcome.Verified, Problems: []outcome.Problem{
		{Code: "transaction.issued-twice", Class: outcome.Rejected, Message: "m"}}}
	doc := render(t, "junit", reportOf(outcome.Run{Verdict: outcome.Rejected}, contradicted), Options{})
	check.That(t, strings.Contains(doc, `tests="2" failures="2" errors="0"`), "%s", doc)
}

// fingerprints of the problems of a run and its items.
func fingerprints(t *testing.T, problems []outcome.Problem, items ...outcome.Item) []string {
	t.Helper()
	report := reportOf(outcome.Run{Problems: problems}, items...)
	var all []string
	for _, r := range decode(t, render(t, "sarif", report, Options{})).Runs[0].Results {
		all = append(all, r.Fingerprints["primaryLocationLineHash"])
	}
	return all
}

// TestFingerprints: they name the place, the code and the pointer, and nothing else: neither
// the found value nor the run's other findings.
func TestFingerprints(t *testing.T) {
	item := func(file, entry, code, path, message string) outcome.Item {
		return outcome.Item{Name: file + "!" + entry, Place: outcome.Place{File: file, Entry: entry}, Class: outcome.Rejected,
			Problems: []outcome.Problem{{Code: finding.Code(code), Class: outcome.Rejected, Path: path, Message: message}}}
	}
	base := item("a.tar", "b", "c.d", "/e", "m")
	want := fingerprints(t, nil, base)[0]
	same := map[string][]string{
		"another message": fingerprints(t, nil, item("a.tar", "b", "c.d", "/e", "other")),
		"another class": fingerprints(t, nil, func() outcome.Item {
			i := item("a.tar", "b", "c.d", "/e", "m")
			i.Class, i.Problems[0].Class, i.Place.Line = outcome.Inconclusive, outcome.Inconclusive, 7
			return i
		}()),
		"others before it": fingerprints(t, nil, item("a.tar", "b2", "c.d", "/e", "m"), base)[1:],
		"another spelling": fingerprints(t, nil, item("./x/../a.tar", "b", "c.d", "/e", "m")),
	}
	for name, got := range same {
		check.Equal(t, got[0], want, "%s", name)
	}
	for _, other := range []outcome.Item{item("b.tar", "b", "c.d", "/e", "m"), item("a.tar", "x", "c.d", "/e", "m"),
		item("a.tar", "b", "c.x", "/e", "m"), item("a.tar", "b", "c.d", "/x", "m"), item("a.tar", "bc.d", "", "/e", "m")} {
		got := fingerprints(t, nil, other)
		check.That(t, got[0] != want, "%s, %s and %s have one fingerprint", base.Name, other.Name, got)
	}
	missing := func(subject string) outcome.Problem {
		return outcome.Problem{Code: "object.missing", Class: outcome.Rejected, Subject: subject, Message: "m"}
	}
	all := fingerprints(t, []outcome.Problem{missing("tx-1"), missing("tx-2"), missing("tx-2")})
	alone := fingerprints(t, []outcome.Problem{missing("tx-2")})
	check.That(t, all[1] == alone[0] && all[0] != all[1] && all[2] == strings.TrimSuffix(all[1], "1")+"2",
		"found %s and %s", all, alone)
}

// TestAddress: addresses are relative to the base, wherever the run was started.
func TestAddress(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	for _, tt := range []struct{ base, file, want string }{
		{"", "a/b.json", "a/b.json"}, {"", "./a//b.json", "a/b.json"}, {"", filepath.Join(dir, "a"), "a"},
		{"sub", "sub/a.json", "a.json"}, {"sub", "a.json", "../a.json"}, {filepath.Dir(dir), "a", filepath.Base(dir) + "/a"},
		{"", "-", "first.json"}, {"", "", "first.json"}, {"", "~a_b-c.d", "~a_b-c.d"},
		{"", "a b:c?#[é", "a%20b%3Ac%3F%23%5B%C3%A9"},
	} {
		o := Options{Base: tt.base, evidence: "first.json"}
		check.Equal(t, o.uriOf(tt.file), tt.want, "%s below %q", tt.file, tt.base)
	}
	got := (Options{}).uriOf("-")
	check.That(t, got == "no%20file", "without evidence: %s", got)
}

// TestEvidence: a problem without a file points at the first file of the evidence, in
// the order of the run, however bad it is.
func TestEvidence(t *testing.T) {
	run := outcome.Run{Problems: []outcome.Problem{{Code: "object.missing", Class: outcome.Rejected, Message: "m"}},
		TrustSHA256: strings.Repeat("5e", 32)}
	items := []outcome.Item{{Name: "log", Class: outcome.Rejected},
		{Name: "-", Place: outcome.Place{File: "-"}, Class: outcome.Inconclusive},
		{Name: "a", Place: outcome.Place{File: "dir/a.json"}, Class: outcome.Verified},
		{Name: "b", Place: outcome.Place{File: "dir/b.json"}, Class: outcome.Rejected}}
	var all []string
	for _, r := range decode(t, render(t, "sarif", reportOf(run, items...), Options{})).Runs[0].Results {
		all = append(all, r.Locations[0].Physical.Artifact.URI)
	}
	got := strings.Join(all, " ")
	check.That(t, got == "dir/a.json dir/a.json dir/b.json dir/a.json", "found %s", got)
}

// TestMoreProblems: an item with many problems shows some, and the number of the rest.
func TestMoreProblems(t *testing.T) {
	item := outcome.Item{Name: "x", Class: outcome.Rejected}
	for i := range 7_000 {
		item.Problems = append(item.Problems,
			outcome.Problem{Code: "a.b", Class: outcome.Rejected, Message: fmt.Sprint("m", i)})
	}
	for form, want := range map[string]string{"junit": "6980 more problems",
		"github-annotations": "(and 6999 more problems)", "sarif": `"leftOut":6000`} {
		check.That(t, strings.Contains(render(t, form, reportOf(outcome.Run{}, item), Options{}), want),
			"%s does not say %s", form, want)
	}
}
