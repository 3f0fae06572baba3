package record_test

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/archive/record"
	"github.com/svc-edge/svc-verify/archive/seal"
	"github.com/svc-edge/svc-verify/archive/sealkey"
	"github.com/svc-edge/svc-verify/archive/timestamp"
	"github.com/svc-edge/svc-verify/fixtures"
	"github.com/svc-edge/svc-verify/fixtures/casefiles"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/form"
	"github.com/svc-edge/svc-verify/internal/must"
)

var update = flag.Bool("update", false, "write the conformance cases")

var folder = filepath.Join("..", "..", "fixtures", "chains")

// answer judges a conformance case from its files alone.
func answer(t *testing.T, c fixtures.Chain) fixtures.ChainAnswer {
	t.Helper()
	trusted := must.Get(sealkey.ParseTrust(c.Files["seal-trust.json"]))(t)
	s, faults := seal.Parse(c.Files["seal.json"])
	must.That(t, len(faults) == 0, "%v", faults)
	sealed := record.Of(s)
	sealed.Pin, _ = trusted.Pin(s.Envelope.Signer)
	var o record.Options
	o.Authorities = must.Get(record.AuthoritiesOf(trusted))(t)
	o.At, _ = form.Time(c.At)
	o.Algorithms = dates(t, string(c.Files["algorithms.json"]))
	dir := t.TempDir()
	for name, doc := range c.Files {
		if strings.HasPrefix(name, "revocation-") {
			e, fault := timestamp.ParseEvidence(name, doc)
			must.That(t, fault == nil, "%v", fault)
			o.Revocation = append(o.Revocation, e)
		}
		if own, ok := strings.CutPrefix(name, "seal.json.chain/"); ok {
			write(t, filepath.Join(dir, "chain", filepath.FromSlash(own)), doc)
		}
	}
	chain, err := record.Read(filepath.Join(dir, "chain"))
	r := new(record.Report)
	var malformed *record.Malformed
	if errors.As(err, &malformed) {
		r = record.Unread(malformed, o.At)
	} else if err != nil {
		t.Fatal(err)
	} else {
		r = record.Verify(sealed, chain, o)
	}
	got := fixtures.ChainAnswer{Verdict: string(r.Verdict), Findings: []string{}, ExistedBefore: r.ExistedBefore}
	if r.Verdict == "verified" {
		got.RenewBefore = r.RenewBefore
	}
	for _, f := range r.Findings {
		got.Findings = append(got.Findings, fmt.Sprintf("%d %s", f.Step, f.Code))
	}
	slices.Sort(got.Findings)
	return got
}

func write(t *testing.T, path string, doc []byte) {
	t.Helper()
	must.Do(t, os.MkdirAll(filepath.Dir(path), 0o755))
	must.Do(t, os.WriteFile(path, doc, 0o644))
}

// caseOf returns the case of a chain. What is expected is set by the caller.
func (w *world) caseOf(name, spec string, c *record.Chain, at int, last ...timestamp.Evidence) fixtures.Chain {
	files := map[string][]byte{"seal.json": w.sealed.File, "seal-trust.json": w.trust, "algorithms.json": []byte(datesDoc)}
	for i, e := range last {
		files[fmt.Sprintf("revocation-%d.crl", i+1)] = e.DER
	}
	for i, s := range c.Steps {
		for file, doc := range s.Files {
			files[fmt.Sprintf("seal.json.chain/%04d/%s", i+1, file)] = doc
		}
	}
	return fixtures.Chain{Name: strings.ReplaceAll(strings.ToLower(name), " ", "-"), Title: name, Spec: spec,
		At: form.FormatTime(year(at)), Files: files}
}

// changes are what is done to the files of a chain of three tokens, with the finding.
var changes = []struct {
	name, spec, want string
	change           func(files map[string][]byte)
}{
	{"a step less", "17.1", "0 file.malformed", func(f map[string][]byte) { move(f, "0002", "") }},
	{"two steps for each other", "17.1", "1 object.altered",
		func(f map[string][]byte) { move(f, "0001", "x"); move(f, "0002", "0001"); move(f, "x", "0002") }},
	{"the last step less", "17.7",
		"0 algorithm.retired, 2 algorithm.retired, 2 algorithm.retired, 2 algorithm.retired, 2 token.not-valid",
		func(f map[string][]byte) { move(f, "0003", "") }},
	{"another file", "17.1", "0 file.malformed",
		func(f map[string][]byte) { f["seal.json.chain/0001/notes.txt"] = []byte("x") }},
	{"no certificate", "17.1", "1 file.malformed", func(f map[string][]byte) {
		f["seal.json.chain/0001/certificate-1.cer"] = f["seal.json.chain/0002/token.tst"]
	}},
	{"no revocation data in a step", "17.1", "2 object.altered",
		func(f map[string][]byte) { delete(f, "seal.json.chain/0002/revocation-1.crl") }},
	{"covers without a line feed", "17.1", "2 file.malformed", func(f map[string][]byte) {
		f["seal.json.chain/0002/covers.json"] = bytes.TrimSpace(f["seal.json.chain/0002/covers.json"])
	}},
	{"covers of another size", "17.1", "2 object.altered", func(f map[string][]byte) {
		f["seal.json.chain/0002/covers.json"] = bytes.Replace(f["seal.json.chain/0002/covers.json"], []byte(`"size":`),
			[]byte(`"size":1`), 1)
	}},
	{"another root in a rehash", "17.8", "3 object.altered", func(f map[string][]byte) {
		doc := f["seal.json.chain/0003/covers.json"]
		at := bytes.Index(doc, []byte(`"root":"`)) + len(`"root":"`)
		doc = bytes.Clone(doc)
		doc[at] ^= 1 // another hexadecimal digit, or a letter beyond
		f["seal.json.chain/0003/covers.json"] = doc
	}},
	{"a response around a token", "17.1", "3 file.malformed", func(f map[string][]byte) {
		f["seal.json.chain/0003/token.tst"] = append([]byte{0x30, 0x82, 0, 0, 0x30, 3, 2, 1, 0},
			f["seal.json.chain/0003/token.tst"]...)
		doc := f["seal.json.chain/0003/token.tst"]
		doc[2], doc[3] = byte((len(doc)-4)>>8), byte(len(doc)-4)
	}},
	{"a token of another step", "17.4", "3 token.other", func(f map[string][]byte) {
		f["seal.json.chain/0003/token.tst"] = f["seal.json.chain/0002/token.tst"]
	}},
	{"a signature that does not hold", "17.4", "3 seal-signature.invalid", func(f map[string][]byte) {
		doc := bytes.Clone(f["seal.json.chain/0003/token.tst"])
		doc[len(doc)-9] ^= 1
		f["seal.json.chain/0003/token.tst"] = doc
	}},
	{"a request that waits", "17.1", "", func(f map[string][]byte) {
		f["seal.json.chain/pending/covers.json"] = f["seal.json.chain/0003/covers.json"]
		f["seal.json.chain/pending/request.tsq"] = f["seal.json.chain/0003/request.tsq"]
	}},
}

// move renames the files of a step, or removes them.
func move(files map[string][]byte, from, to string) {
	for name, doc := range maps.Clone(files) {
		if own, ok := strings.CutPrefix(name, "seal.json.chain/"+from+"/"); ok {
			delete(files, name)
			if to != "" {
				files["seal.json.chain/"+to+"/"+own] = doc
			}
		}
	}
}

// makeCases makes all cases. What they expect is written by hand, but for the two times.
func makeCases(t *testing.T) map[string]fixtures.Chain {
	w := newWorld(t)
	made := map[string]fixtures.Chain{}
	add := func(c fixtures.Chain, want string) {
		c.Expect = answer(t, c)
		codes := []string{}
		if want != "" {
			codes = strings.Split(want, ", ")
		}
		slices.Sort(codes)
		check.That(t, slices.Equal(c.Expect.Findings, codes),
			"%s: %q, want %q", c.Title, c.Expect.Findings, codes)
		made[c.Name] = c
	}
	for _, s := range w.scenarios() {
		add(w.caseOf(s.name, "17.7", s.chain(t, w), s.at, s.last...), s.want)
	}
	c := w.twenty(t)
	add(w.caseOf("twenty years", "17.7", c, 2046, w.quantum.crl(2046)), "")
	for _, change := range changes {
		one := w.caseOf(change.name, change.spec, c, 2046, w.quantum.crl(2046))
		one.Files = maps.Clone(one.Files)
		change.change(one.Files)
		add(one, change.want)
	}
	return made
}

// TestConformance: every conformance case has the answer that it expects, and is the one
// that is generated.
func TestConformance(t *testing.T) {
	made := makeCases(t)
	casefiles.Keep(t, folder, *update && !t.Failed(), made)
	cases := must.Get(fixtures.ReadSamples[fixtures.ChainAnswer](os.DirFS(folder)))(t)
	must.That(t, len(cases) == len(made) && len(cases) >= 30,
		"%d cases on disk, %d generated", len(cases), len(made))
	for _, c := range cases {
		got := answer(t, c)
		check.That(t, fmt.Sprint(got) == fmt.Sprint(c.Expect), "%s: %+v, expected %+v", c.Name, got, c.Expect)
	}
}
