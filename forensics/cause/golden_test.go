package cause_test

import (
	"encoding/json"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/svc-edge/svc-verify/forensics/cases"
	"github.com/svc-edge/svc-verify/forensics/cause"
	"github.com/svc-edge/svc-verify/forensics/examine"
	"github.com/svc-edge/svc-verify/harness/fleet"
	"github.com/svc-edge/svc-verify/harness/tamper"
	"github.com/svc-edge/svc-verify/internal/must"
)

// TestGolden plays each name of the file, and compares all facts about the causes with the lines
// below it.
func TestGolden(t *testing.T) {
	const file = "testdata/causes.golden"
	kept := strings.Split(string(must.Get(os.ReadFile(file))(t)), "\n")
	var now []string
	for _, line := range kept {
		if names, named := strings.CutPrefix(line, "# "); named {
			now = append(append(now, line), causesAfter(t, names)...)
		}
	}
	if now = append(now, ""); *cause.Update {
		must.Do(t, os.WriteFile(file, []byte(strings.Join(now, "\n")), 0o644))
	} else if d := cmp.Diff(kept, now); d != "" {
		t.Errorf("%s (run with -update to accept):\n%s", file, d)
	}
}

// causesAfter returns the causes after manipulations, scripts and edits, which have " + " between
// them. Behind " | " are the paths that are given, if they are others than usual.
func causesAfter(t *testing.T, names string) (all []string) {
	t.Helper()
	names, paths, chosen := strings.Cut(names, " | ")
	after, given, generated := cases.Evidence(t, fleet.Scene), strings.Fields(paths), tamper.Manipulations(1)
	for _, name := range strings.Split(names, " + ") {
		before, damage := after, tamper.Damage{}
		at := slices.IndexFunc(generated, func(m tamper.Manipulation) bool { return m.Name == name })
		if script, ok := tamper.Lookup(name); ok {
			after, damage = must.Two(script.Apply(before))(t)
		} else if at >= 0 {
			after, _ = must.Two(generated[at].Apply(before))(t)
		} else {
			after = editedBy(t, before, strings.Fields(name))
		}
		if at >= 0 && !chosen {
			given = append(given, generated[at].Given...)
		} else if !chosen {
			given = append(given, tamper.Given(before, after, damage)...)
		}
	}
	given = slices.DeleteFunc(given, func(name string) bool { return len(after.Names(name)) == 0 })
	path, root := cases.IngestEdited(t, &fleet.Edited{Evidence: after}, given)
	r := must.Get(examine.Examine(t.Context(), path, root, examine.Options{}))(t)
	for _, c := range r.Causes {
		line := string(must.Get(json.Marshal(c))(t)) + " " + c.Follow(r.Findings)
		all = append(all, strings.ReplaceAll(line, filepath.Join(filepath.Dir(path), "evidence")+"/", ""))
	}
	return all
}

// editedBy returns the evidence of a scene, or other evidence after an edit: "cut PATH PATTERN" cuts
// out all that matches, and "foreign PATH FOLDER" adds the files of another environment.
func editedBy(t *testing.T, e *fleet.Evidence, words []string) *fleet.Evidence {
	t.Helper()
	if len(words) == 1 {
		return cases.Evidence(t, words[0])
	}
	e = e.Clone()
	if words[0] == "foreign" {
		other := must.Get(fleet.Build(fleet.Scene, 2, cases.Length))(t)
		for _, name := range other.Names(words[1]) {
			e.Files[path.Join(words[2], name)] = other.Files[name]
		}
		return e
	}
	for _, name := range e.Names(words[1]) {
		content := must.Get(e.Content(name))(t)
		e.Files[name] = fleet.Bytes(regexp.MustCompile(words[2]).ReplaceAll(content, nil))
	}
	return e
}
