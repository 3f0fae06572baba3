package finding

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

var update = flag.Bool("update", false, "write the golden file anew")

// sample returns a finding in which every value is recognisable.
func sample(code Code) Finding {
	return Finding{Code: code, LogID: "node/mesh-berlin-1", Sequence: 17, LastSequence: 19, Expected: "EXPECTED",
		Found: "FOUND"}.Complete()
}

// TestSentences compares every code, and its meaning, with the golden file: a code may be
// added, or become another one that names it, and is never given another meaning.
func TestSentences(t *testing.T) {
	var b strings.Builder
	for _, e := range Codes("logs") {
		f := sample(e.Code)
		fmt.Fprintf(&b, "%s %s %s %s\n\t= %s, %s, mark %q, merge %q, sign of %q, "+
			"about %q, defect %q, lacks %q, elsewhere %t\n\t%s\n",
			e.Code, f.Severity, f.Effect(), e.Spec, e.Subject, f.Bearing(),
			e.Mark, e.Merge, e.SignOf, e.About, e.Defect, e.Lacks, e.Elsewhere, f.Message)
		for _, x := range f.Explanations {
			fmt.Fprintf(&b, "\t? %s\n", x)
		}
		fmt.Fprintf(&b, "\t> %s\n", f.Next)
	}
	golden := filepath.Join("testdata", "codes.golden")
	if *update {
		must.Do(t, os.WriteFile(golden, []byte(b.String()), 0o644))
	}
	want := must.Get(os.ReadFile(golden))(t)
	check.That(t, b.String() == string(want),
		"the registry is not that of %s; if only codes were added, run the test with -update", golden)
}

func TestRegistryIsSound(t *testing.T) {
	form := regexp.MustCompile(`^[a-z]+(-[a-z]+)*\.[a-z0-9]+(-[a-z0-9]+)*$`)
	argument := regexp.MustCompile(`\{[^}]*\}`)
	known := []string{"{log}", "{events}", "{sequence}", "{last}", "{expected}", "{found}"}
	spec := must.Get(os.ReadFile(filepath.Join("..", "docs", "spec.md")))(t)
	seen := map[Code]bool{}
	for _, e := range Codes("logs") {
		check.That(t, !seen[e.Code] && form.MatchString(string(e.Code)),
			"%s: stands twice, or is not of the form thing.defect", e.Code)
		seen[e.Code] = true
		for _, a := range argument.FindAllString(e.Text()+e.Next, -1) {
			check.That(t, slices.Contains(known, a), "%s: no argument %s", e.Code, a)
		}
		check.That(t, strings.Contains(e.Contrast, "{expected}") && strings.Contains(e.Contrast, "{found}") &&
			!strings.Contains(e.Sentence, "{found}") && e.Sentence != "" && e.Next != "",
			"%s: something does not say what is wrong, what was expected and found, or what to do", e.Code)
		check.That(t, e.Spec == "" || regexp.MustCompile(`(?m)^#+ `+regexp.QuoteMeta(e.Spec)+` `).Match(spec),
			"%s: the specification has no section %s", e.Code, e.Spec)
		check.That(t, slices.Contains([]Severity{Critical, High, Medium, Info}, e.Severity) &&
			slices.Contains([]Effect{Rejects, LeavesOpen, None}, e.Effect),
			"%s: severity %q, effect %q", e.Code, e.Severity, e.Effect)
		check.That(t, slices.Contains([]Subject{Log, Source}, e.Subject) &&
			slices.Contains([]Bearing{Integrity, Completeness}, e.Bearing),
			"%s: about %q, bears on %q", e.Code, e.Subject, e.Bearing)
		check.That(t, slices.Contains([]Merge{Apart, Neighbours, NeighboursByKey, SameKey, SameRange}, e.Merge) &&
			e.Checks == nil, "%s: merged by %q, found by %q", e.Code, e.Merge, e.Checks)
		check.That(t, e.Severity != Critical || e.Effect == Rejects, "%s: evidence of tampering that does not reject", e.Code)
	}
}

func TestNothingUnknownPassesForHarmless(t *testing.T) {
	f := Finding{Code: "no.such-code"}.Complete()
	check.That(t, f.Effect() == Rejects && f.Severity == Critical,
		"an unknown code has effect %q and severity %q", f.Effect(), f.Severity)
}

// TestHostileValues: a value neither reaches the message raw nor is taken for
// an argument, and does not grow it without bound.
func TestHostileValues(t *testing.T) {
	f := Finding{Code: "chain.gap", LogID: "node/x", Sequence: 1, LastSequence: 1,
		Expected: "{found}\x1b[31m\u202e", Found: strings.Repeat("x", 100_000)}.Complete()
	check.That(t, !strings.ContainsAny(f.Message, "\x1b\u202e") && strings.Contains(f.Message, "expected {found}") &&
		len(f.Message) <= 1000, "message %.300q of %d bytes", f.Message, len(f.Message))
}

func TestRanges(t *testing.T) {
	one := Finding{Code: "chain.gap", LogID: "node/x", Sequence: 4, LastSequence: 4}.Complete()
	many := Finding{Code: "chain.gap", LogID: "node/x", Sequence: 4, LastSequence: 6}.Complete()
	check.That(t, strings.Contains(one.Message, "event 4 ") && strings.Contains(many.Message, "events 4 to 6 (3)"),
		"%q, %q", one.Message, many.Message)
	if one.Count() != 1 || many.Count() != 3 || (Finding{}).Count() != 0 {
		t.Errorf("counts %d, %d, %d", one.Count(), many.Count(), Finding{}.Count())
	}
	check.That(t, one.Evidence != nil && one.Explanations != nil, "a list is null in JSON")
}

func TestOrder(t *testing.T) {
	ordered := []Finding{
		{LogID: "node/a", Sequence: 9},
		{LogID: "node/b", Sequence: 1, LastSequence: 1, Code: "chain.fork"},
		{LogID: "node/b", Sequence: 1, LastSequence: 1, Code: "chain.gap"},
		{LogID: "node/b", Sequence: 1, LastSequence: 1, Code: "chain.gap", Evidence: []Evidence{{Source: "x"}}},
		{LogID: "node/b", Sequence: 1, LastSequence: 2},
	}
	for i, a := range ordered {
		for j, b := range ordered {
			got := Compare(a, b)
			check.That(t, (got == 0 || (got < 0) == (i < j)) && (got == 0) == (i == j), "Compare of %d and %d: %d", i, j, got)
		}
	}
}
