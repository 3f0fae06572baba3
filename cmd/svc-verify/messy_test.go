package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/harness/fleet"
	"github.com/svc-edge/svc-verify/harness/messy"
)

var (
	messyFrom  = flag.Uint64("messy-from", 1, "the seed of the first messy collection that is drawn")
	messyCount = flag.Uint64("messy-count", 40, "how many messy collections are drawn")
)

// examined is what svc-verify check says of a collection.
type examined struct {
	code     int
	Verdict  string            `json:"verdict"`
	Findings []finding.Finding `json:"findings"`
	Stores   []examinedStore   `json:"stores"`
}

type examinedStore struct {
	Rule string `json:"rule"`
}

// decisive are the codes that reject, with what they are about.
func (x examined) decisive() (all []string) {
	for _, f := range x.Findings {
		if f.Effect() == finding.Rejects {
			all = append(all, fmt.Sprintf("%s %s %d-%d %s %s", f.Code, f.LogID, f.Sequence, f.LastSequence, f.Store, f.Found))
		}
	}
	return all
}

func (x examined) has(code finding.Code) bool {
	return slices.ContainsFunc(x.Findings, func(f finding.Finding) bool { return f.Code == code })
}

// checkMessy writes a collection and runs svc-verify check on it.
func checkMessy(t *testing.T, trust string, c *messy.Collection) examined {
	t.Helper()
	dir := t.TempDir()
	for name, content := range c.Files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, content, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	code, stdout, stderr := call(nil, "check", "--trust", trust, "--output", "json", "--jobs", "1", dir)
	x := examined{code: code}
	if err := json.Unmarshal([]byte(stdout), &x); err != nil {
		t.Fatalf("seed %d %q: exit %d: %v\n%s", c.Seed, c.Did, code, err, stderr)
	}
	return x
}

// messyFleet returns the evidence that collections are made of, and its trust file.
func messyFleet(t *testing.T) (*fleet.Evidence, string) {
	t.Helper()
	e, err := fleet.Build(fleet.Scene, 1, 250)
	if err != nil {
		t.Fatal(err)
	}
	return e, trustFile(t, e, t.TempDir())
}

// TestMessyCollections: nothing that people do when they collect genuine evidence is a
// reason to blame anyone.
func TestMessyCollections(t *testing.T) {
	e, trust := messyFleet(t)
	var all []*messy.Collection
	for _, name := range messy.Acts() {
		for seed := range uint64(4) {
			c, err := messy.Only(e, name, seed)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, c)
		}
	}
	for seed := range *messyCount {
		c, err := messy.Make(e, *messyFrom+seed)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, c)
	}
	for _, c := range all {
		if x := checkMessy(t, trust, c); x.code == 1 || x.code == 2 {
			t.Errorf("seed %d %q: exit %d, %s", c.Seed, c.Did, x.code, strings.Join(x.decisive(), "\n\t"))
		}
	}
}

// TestAlteredCollections: what explains a messy collection does not explain an event that
// was altered, or removed from what was given as a whole.
func TestAlteredCollections(t *testing.T) {
	e, trust := messyFleet(t)
	for _, name := range messy.Alterations {
		for seed := range *messyCount / 2 {
			c, a, err := messy.Altered(e, name, *messyFrom+seed)
			if err != nil {
				t.Fatal(err)
			}
			x := checkMessy(t, trust, c)
			about := slices.ContainsFunc(x.Findings, func(f finding.Finding) bool {
				return f.Effect() == finding.Rejects && (a.Log == "" || f.LogID == a.Log)
			})
			if x.code != 1 || !about {
				t.Errorf("seed %d %q, %s in %s: exit %d, %q", c.Seed, c.Did, a.Name, a.File, x.code, x.decisive())
			}
		}
	}
}

// TestNamedMesses: what was not read whole is said with a number, what is an excerpt is
// listed as one, and neither hides that the rest is here.
func TestNamedMesses(t *testing.T) {
	e, trust := messyFleet(t)
	content := func(name string) []byte {
		b, err := e.Content(name)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	journal := content(fleet.Journal("mesh-berlin-1"))
	lines := bytes.SplitAfter(journal, []byte("\n"))
	var proofs [][]byte
	for _, name := range e.Names("bundles") {
		proofs = append(proofs, content(name))
	}
	cut, broken := proofs[1][:len(proofs[1])-2000], bytes.Join(slices.Collect(slices.Chunk(proofs[1], 76)), []byte("\n"))
	mail := func(parts ...[]byte) []byte {
		return slices.Concat([]byte("Subject: proofs\r\n\r\n"), bytes.Join(parts, []byte("\r\n--part\r\n\r\n")))
	}
	half := slices.Concat(lines[:10]...)
	memory := slices.Concat([]byte("\x00\x01core"), half, lines[11][:300], make([]byte, 99), lines[14], []byte("\x02"))
	excerpts := func(x examined) bool {
		return slices.ContainsFunc(x.Stores, func(s examinedStore) bool { return s.Rule == "excerpts" })
	}
	found := func(text string) func(examined) bool {
		return func(x examined) bool {
			return slices.ContainsFunc(x.Findings, func(f finding.Finding) bool { return strings.Contains(f.Found, text) })
		}
	}
	for name, c := range map[string]struct {
		files map[string][]byte
		code  int
		holds func(examined) bool
	}{
		"two of three proofs": {map[string][]byte{"m.eml": mail(proofs[0], cut, proofs[2])}, 3,
			found("2 of 3 proofs were read whole")},
		"a wrapped proof":   {map[string][]byte{"m.eml": mail(proofs[0], broken)}, 3, found("1 of 2 proofs were read whole")},
		"a cut proof alone": {map[string][]byte{"p.json": cut}, 3, found("a proof that was not read whole")},
		"whole proofs": {map[string][]byte{"m.eml": mail(proofs...), "tenant.ndjson": content("tenant.ndjson"),
			"journals/mesh-berlin-1.ndjson": journal}, 3, func(x examined) bool { return !found("proofs were read whole")(x) }},
		"an excerpt beside the journal": {map[string][]byte{"j/berlin": journal, "j/head": half}, 0, excerpts},
		"memory alone":                  {map[string][]byte{"core": memory}, 3, hasCode(finding.GapUnread)},
		"memory beside the journal":     {map[string][]byte{"core": memory, "j/berlin": journal}, 3, hasCode("")},
		"a journal with a gap alone":    {map[string][]byte{"j": slices.Concat(half, lines[14])}, 1, hasCode(finding.Gap)},
	} {
		x := checkMessy(t, trust, &messy.Collection{Did: []string{name}, Files: c.files})
		if x.code != c.code || !c.holds(x) {
			t.Errorf("%s: exit %d, %q\n%+v", name, x.code, x.decisive(), x.Findings)
		}
	}
}

// hasCode returns what holds if a code was found, or if none of them rejects for "".
func hasCode(code finding.Code) func(examined) bool {
	return func(x examined) bool { return code == "" && len(x.decisive()) == 0 || x.has(code) }
}
