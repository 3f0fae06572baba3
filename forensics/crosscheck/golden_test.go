package crosscheck

import (
	"encoding/json"
	"flag"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/svc-edge/svc-verify/forensics/cases"
	"github.com/svc-edge/svc-verify/forensics/store"
	"github.com/svc-edge/svc-verify/harness/fleet"
	"github.com/svc-edge/svc-verify/harness/tamper"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/trust"
)

var update = flag.Bool("update", false, "write the golden files anew")

// TestGolden compares the whole result after the scripts and in the scenarios that a file names.
func TestGolden(t *testing.T) {
	const file = "testdata/results.golden"
	kept := strings.Split(string(must.Get(os.ReadFile(file))(t)), "\n")
	var now []string
	for _, line := range kept {
		if name, named := strings.CutPrefix(line, "# "); named {
			now = append(append(now, line), resultAfter(t, name))
		}
	}
	if now = append(now, ""); *update {
		must.Do(t, os.WriteFile(file, []byte(strings.Join(now, "\n")), 0o644))
	} else if d := cmp.Diff(kept, now); d != "" {
		t.Errorf("%s (run with -update to accept):\n%s", file, d)
	}
}

// resultAfter returns the result about a case. Of a fleet it has only what scenarios have not.
func resultAfter(t *testing.T, name string) string {
	t.Helper()
	c, root := caseAfter(t, name)
	r := must.Get(Run(t.Context(), c, root, Options{}))(t)
	if !strings.Contains(name, ": ") {
		r.Statements, r.Bundles = nil, nil
	}
	varies := regexp.MustCompile(`([" ]|[0-9a-f]{6})(/[^" ]*/evidence/|[0-9a-f]{58})`)
	return varies.ReplaceAllString(string(must.Get(json.Marshal(r))(t)), "$1")
}

// caseAfter returns the case of a scenario, or after a script on the evidence of a fleet.
func caseAfter(t *testing.T, name string) (*store.Case, *trust.Root) {
	t.Helper()
	if file, name, scene := strings.Cut(name, ": "); scene {
		s := newStage(t)
		return fill(t, s.play(readScenarios(t, file+".txtar")[name].steps)), s.root()
	}
	script, _ := tamper.Lookup(name)
	before := cases.Evidence(t, fleet.Scene)
	after, damage := must.Two(script.Apply(before))(t)
	given := slices.Compact(slices.Sorted(slices.Values(tamper.Given(before, after, damage))))
	given = slices.DeleteFunc(given, func(name string) bool { return len(after.Names(name)) == 0 })
	path, root := cases.IngestEdited(t, &fleet.Edited{Evidence: after}, given)
	c := must.Get(store.OpenCase(path))(t)
	t.Cleanup(func() { must.Do(t, c.Close()) })
	return c, root
}
