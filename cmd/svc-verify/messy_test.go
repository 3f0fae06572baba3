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
	"github.com/svc-edge/svc-verify/fixtures/gen"
	"github.com/svc-edge/svc-verify/fixtures/kit"
	"github.com/svc-edge/svc-verify/forensics/cases"
	"github.com/svc-edge/svc-verify/harness/fleet"
	"github.com/svc-edge/svc-verify/harness/messy"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

var (
	messyFrom  = flag.Uint64("messy-from", 1, "the seed of the first messy collection that is drawn")
	messyCount = flag.Uint64("messy-count", 320, "how many messy collections are drawn, half of them altered")
)

// messySeeds returns the seeds of the collections of one kind.
func messySeeds() []uint64 {
	n := *messyCount / 2
	if testing.Short() {
		n /= 32
	}
	seeds := make([]uint64, n)
	for i := range seeds {
		seeds[i] = *messyFrom + uint64(i)
	}
	return seeds
}

// examined is the answer of svc-verify check about a collection.
type examined struct {
	code     int
	stdout   []byte
	Verdict  string
	Findings []finding.Finding
	Stores   []struct{ Rule string }
	Causes   []struct {
		Code, Message     string
		Logs, Stores, For []string
	}
}

// causes are the codes of all causes.
func (x examined) causes() (all []string) {
	for _, c := range x.Causes {
		all = append(all, c.Code)
	}
	return all
}

// decisive returns the codes that reject, with their places and found values.
func (x examined) decisive() (all []string) {
	for _, f := range x.Findings {
		if f.Effect() == finding.Rejects {
			all = append(all, fmt.Sprintf("%s %s %d-%d %s %s", f.Code, f.LogID, f.Sequence, f.LastSequence, f.Store, f.Found))
		}
	}
	return all
}

// codes are the codes of all findings.
func (x examined) codes() (all []string) {
	for _, f := range x.Findings {
		all = append(all, string(f.Code))
	}
	slices.Sort(all)
	return slices.Compact(all)
}

func (x examined) has(code finding.Code) bool {
	return slices.ContainsFunc(x.Findings, func(f finding.Finding) bool { return f.Code == code })
}

// checkFiles writes files and runs svc-verify check on them.
func checkFiles(t *testing.T, files map[string][]byte, trust string, options ...string) (x examined) {
	t.Helper()
	dir := must.WriteFiles(t, t.TempDir(), files)
	args := append([]string{"check", "--trust", trust, "--output", "json", "--quiet", "--jobs", "1"}, options...)
	code, stdout, stderr := call(nil, append(args, dir)...)
	err := json.Unmarshal([]byte(stdout), &x)
	must.That(t, err == nil, "exit %d: %v\n%s", code, err, stderr)
	must.Do(t, os.RemoveAll(dir))
	x.code, x.stdout = code, []byte(stdout)
	return x
}

// checkMessy is [checkFiles] for a collection with its trust file.
func checkMessy(t *testing.T, c *messy.Collection, options ...string) examined {
	t.Helper()
	trust := must.WriteFile(t, filepath.Join(t.TempDir(), fleet.TrustFile), c.Trust)
	return checkFiles(t, c.Files, trust, options...)
}

// messySource returns the evidence that collections are made of.
func messySource(t *testing.T) (*fleet.Evidence, *messy.Source) {
	t.Helper()
	e := cases.Evidence(t, fleet.Scene)
	return e, messy.From(e)
}

// TestMessyCollections: nothing that people do when they collect genuine evidence is a
// reason to blame anyone.
func TestMessyCollections(t *testing.T) {
	_, source := messySource(t)
	clean := func(c *messy.Collection) { judgeCollection(t, c, messy.Alteration{}) }
	for i, name := range messy.Acts() {
		if !testing.Short() || i%4 == 0 {
			clean(source.Only(name, *messyFrom))
		}
	}
	for _, seed := range messySeeds() {
		clean(source.Make(seed))
	}
}

// TestAlteredCollections: the reasons of a messy collection do not explain an event that
// was altered, or removed from a file that was given as a whole.
func TestAlteredCollections(t *testing.T) {
	_, source := messySource(t)
	for i, seed := range messySeeds() {
		c, a := source.Altered(messy.Alterations[i%len(messy.Alterations)], seed)
		judgeCollection(t, c, a)
	}
}

// judgeCollection fails the test if the answer about a collection is wrong.
func judgeCollection(t *testing.T, c *messy.Collection, a messy.Alteration) {
	t.Helper()
	var options []string
	for _, at := range a.Collected {
		options = append(options, "--collected", at)
	}
	x := checkMessy(t, c, options...)
	want := gen.CollectionCase(c, a).Expect
	if err := want.CompareWith(x.code, x.stdout, kit.LevelCode); err != nil {
		t.Errorf("seed %d, %q, %q: %v: exit %d, %q", c.Seed, a.Name, c.Did, err, x.code, append(x.decisive(), x.codes()...))
	}
}

// TestNamedMesses: incomplete reading is reported with a number, an excerpt is listed as one,
// and neither hides that the rest is here.
func TestNamedMesses(t *testing.T) {
	e, _ := messySource(t)
	trust := must.Get(e.Content(fleet.TrustFile))(t)
	content := func(name string) []byte { return must.Get(e.Content(name))(t) }
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
	loki := content("stores/loki/query.jsonl")
	var everyThird []byte
	for i := 0; i < len(lines); i += 3 {
		everyThird = append(everyThird, lines[i]...)
	}
	joinedFrom := func(n int) []byte { return slices.Concat(lines[n:]...) }
	excerpts := func(x examined) bool {
		return slices.ContainsFunc(x.Stores, func(s struct{ Rule string }) bool { return s.Rule == "excerpts" })
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
		"excerpts elsewhere": {map[string][]byte{"j/berlin": journal, "x/a": half, "x/b": slices.Concat(lines[14:20]...)}, 0,
			hasCode("")},
		"a copy elsewhere that lacks events": {map[string][]byte{"j/berlin": journal,
			"x/a": slices.Concat(half, slices.Concat(lines[14:20]...))}, 1, hasCode(finding.JournalLacks)},
		"a range and a search elsewhere": {map[string][]byte{"j/berlin": journal, "x/a": slices.Concat(lines[4:20]...),
			"x/b": everyThird}, 0, hasCode("")},
		"a range elsewhere, and a file that lacks events": {map[string][]byte{"j/berlin": journal, "x/a": half,
			"x/b": slices.Concat(slices.Concat(lines[8:20]...), joinedFrom(22))}, 1, hasCode(finding.JournalLacks)},
		"an earlier copy, and the end of a later one": {map[string][]byte{"j/berlin": half, "x/tail": joinedFrom(15),
			"loki": loki}, 0, hasCode("")},
		"the same in one folder": {map[string][]byte{"j/berlin": half, "j/tail": joinedFrom(15), "loki": loki}, 1,
			hasCode(finding.JournalLacks)},
		"memory alone":               {map[string][]byte{"core": memory}, 3, hasCode(finding.GapUnread)},
		"memory beside the journal":  {map[string][]byte{"core": memory, "j/berlin": journal}, 3, hasCode("")},
		"a journal with a gap alone": {map[string][]byte{"j": slices.Concat(half, lines[14])}, 1, hasCode(finding.Gap)},
	} {
		x := checkMessy(t, &messy.Collection{Did: []string{name}, Files: c.files, Trust: trust})
		check.That(t, x.code == c.code && c.holds(x), "%s: exit %d, %q\n%+v", name, x.code, x.decisive(), x.Findings)
	}
}

// hasCode returns a condition that holds if a code was found or, for "", if no finding
// rejects.
func hasCode(code finding.Code) func(examined) bool {
	return func(x examined) bool { return code == "" && len(x.decisive()) == 0 || x.has(code) }
}
