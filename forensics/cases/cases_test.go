package cases

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/crosscheck"
	"github.com/svc-edge/svc-verify/forensics/examine"
	"github.com/svc-edge/svc-verify/harness/fleet"
	"github.com/svc-edge/svc-verify/harness/tamper"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

func (x exam) key() string { return fmt.Sprint(x.scene, x.given, x.crossed, x.late) }

// examine does the exam on evidence, and returns the findings.
func (x exam) examine(t *testing.T, e *fleet.Evidence) []finding.Finding {
	t.Helper()
	dir := t.TempDir()
	if x.given != nil && x.given[0] == before {
		x.given = x.given[1:]
		x.add(t, dir, Evidence(t, x.scene))
	}
	path := x.add(t, dir, e)
	options := examine.Options{NoCompare: !x.crossed}
	if x.late {
		options.Collected = []crosscheck.Collected{{At: math.MaxInt64}}
	}
	result := must.Get(examine.Examine(t.Context(), path, Root(t, e), options))(t)
	if x.crossed {
		return result.Comparison.Findings
	}
	return result.Findings
}

// add writes evidence into a folder and ingests it into the case there. Of the
// paths those are left out that only some script makes.
func (x exam) add(t *testing.T, dir string, e *fleet.Evidence) string {
	t.Helper()
	var paths []string
	for _, name := range x.given {
		if len(e.Names(name)) > 0 || len(Evidence(t, x.scene).Names(name)) > 0 {
			paths = append(paths, filepath.Join(dir, "evidence", name))
		}
	}
	if len(paths) > 0 {
		must.Do(t, e.Write(filepath.Join(dir, "evidence"), x.given...))
	}
	return Ingest(t, dir, paths)
}

// after plays a script, unless it is "", and returns the damage and the findings beyond the
// findings of the usual evidence as it was.
func (x exam) after(t *testing.T, script string) (tamper.Damage, []finding.Finding) {
	t.Helper()
	e, damage := Evidence(t, x.scene), tamper.Damage{}
	if script != "" {
		s, ok := tamper.Lookup(script)
		must.That(t, ok, "no script %q", script)

		e, damage = must.Two(s.Apply(e))(t)
	}
	usual := x
	usual.scene = fleet.Scene
	base := usual.base(t)
	return damage, slices.DeleteFunc(x.examine(t, e), func(f finding.Finding) bool { return base[said(f)] })
}

// bases are the findings without tampering, by the key of the exam.
var bases = map[string]map[string]bool{}

func (x exam) base(t *testing.T) map[string]bool {
	t.Helper()
	if known, ok := bases[x.key()]; ok {
		return known
	}
	base := map[string]bool{}
	if len(x.given) > 0 {
		for _, f := range x.examine(t, Evidence(t, x.scene)) {
			base[said(f)] = true
		}
	}
	bases[x.key()] = base
	return base
}

// said returns the text by which a finding is recognised. A finding that is only for
// information may be about other events once others are missing.
func said(f finding.Finding) string {
	if f.Severity == finding.Info {
		f.Sequence, f.LastSequence = 0, 0
	}
	return say(f)
}

// say is a finding without the words.
func say(f finding.Finding) string {
	return fmt.Sprintf("%s %s %s %d..%d", f.Severity, f.Code, f.LogID, f.Sequence, f.LastSequence)
}

// TestFixtures plays every fixture: it must lead to the code, at the place of the damage, and
// to nothing else that is not in the table.
func TestFixtures(t *testing.T) {
	for i, x := range codeFixtures() {
		if testing.Short() && i%48 != 0 {
			continue // the rest is played without -short
		}
		t.Run(string(x.code)+"/"+x.scene+x.by, func(t *testing.T) {
			damage, found := x.examOf().after(t, x.by)
			if x.of != nil {
				damage = x.of(Evidence(t, x.scene))
			}
			want := say(x.expectFinding(damage))
			if at := slices.IndexFunc(found, func(f finding.Finding) bool { return say(f) == want }); at < 0 {
				t.Errorf("not found: %s, after %s", want, damage)
			} else {
				found = slices.Delete(found, at, at+1)
			}
			expectCodes(t, found, x.also)
		})
	}
}

func expectCodes(t *testing.T, found []finding.Finding, want []finding.Code) {
	t.Helper()
	var codes []finding.Code
	for _, f := range found {
		codes = append(codes, f.Code)
	}
	slices.Sort(codes)
	codes = slices.Compact(codes)
	if !slices.Equal(codes, slices.Sorted(slices.Values(want))) {
		t.Errorf("besides found %v, want %v", codes, want)
		for _, f := range found {
			t.Logf("%s: expected %s, found %s, %v", say(f), f.Expected, f.Found, f.Evidence)
		}
	}
}

// TestUntampered: of the evidence as it was, nothing is said that counts.
func TestUntampered(t *testing.T) {
	given := with(collected, "stores")
	if testing.Short() {
		given = loki
	}
	for _, f := range examined(t, Evidence(t, fleet.Scene), given).Findings {
		check.That(t, f.Effect() == finding.None, "%s: expected %s, found %s", say(f), f.Expected, f.Found)
	}
}

// TestEveryCodeHasAFixture: no tampering makes source.left-out, but a flag of the user.
func TestEveryCodeHasAFixture(t *testing.T) {
	for _, entry := range finding.Codes("logs") {
		made := func(x fixture) bool { return x.code == entry.Code }
		check.That(t, entry.Code == finding.SourceLeftOut || slices.ContainsFunc(codeFixtures(), made),
			"%s has no fixture", entry.Code)
	}
}

// TestEveryScriptIsUsed: a script that no fixture plays, and that is no one's manipulation, tests nothing.
func TestEveryScriptIsUsed(t *testing.T) {
	for _, s := range tamper.Scripts() {
		if !slices.ContainsFunc(codeFixtures(), func(x fixture) bool { return x.by == s.Name || x.near == s.Name }) &&
			firstCauses[s.Name] == "" && s.Actor(tamper.Damage{}) == "" {
			t.Errorf("no fixture plays %s", s.Name)
		}
	}
}

// TestNearMissesAreCalledThat: a script that must lead to a finding is not called near, and
// one that must not is.
func TestNearMissesAreCalledThat(t *testing.T) {
	for _, x := range codeFixtures() {
		check.That(t, !strings.HasPrefix(x.by, "near-"), "%s is made by %s", x.code, x.by)
	}
}
