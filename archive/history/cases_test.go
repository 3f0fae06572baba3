package history_test

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gowebpki/jcs"

	"github.com/svc-edge/svc-verify/archive/history"
	"github.com/svc-edge/svc-verify/archive/sealkey"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/fixtures"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/form"
	"github.com/svc-edge/svc-verify/internal/must"
)

// This file makes histories by the specification, from maps and with a library for
// canonical JSON. It shares nothing with the package but the signatures.

type doc = map[string]any

// draft is a history part by part, so that each can be changed before or after it is
// signed.
type draft struct {
	t          testing.TB
	statements []doc
	signers    []*sealkey.Key
	protocol   string // under which the entries are signed
	files      map[string][]byte
	trust      [][]byte // the trust files of the versions
	pins       doc      // keys of the file of --seal-trust
	lines      []string // once they are signed
}

func canonical(t testing.TB, v any) string {
	t.Helper()
	return string(must.Get(jcs.Transform(must.Get(json.Marshal(v))(t)))(t))
}

func digest(content string) string {
	sum := sha256.Sum256([]byte(content))
	return hex.EncodeToString(sum[:])
}

func text64(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }

// newDraft is an honest history of n versions, not signed yet.
func newDraft(t testing.TB, n int) *draft {
	issued, rotated := files(t)
	d := &draft{t: t, protocol: "svc.trust-history.v1", files: map[string][]byte{},
		pins: doc{"office-1": pin(key(t, 1), "2026-01-01T00:00:00.000Z")}}
	for i := range n {
		content := [][]byte{issued, rotated}[i%2]
		d.trust = append(d.trust, content)
		d.keep(content)
		d.statements = append(d.statements, doc{"protocol": "svc.trust-history.v1", "number": i + 1,
			"trust_sha256": digest(string(content)), "trust_size": len(content), "by": "Ada Example",
			"reason": fmt.Sprint("version ", i+1), "in_force_from": fmt.Sprintf("2026-%02d-01T00:00:00.000Z", i+1)})
		d.signers = append(d.signers, key(t, 1))
	}
	return d
}

func pin(k *sealkey.Key, from string) doc {
	return doc{"ed25519": text64(k.Public().Ed25519()), "ml_dsa_65": text64(k.Public().MLDSA65()), "valid_from": from}
}

func (d *draft) keep(content []byte) {
	d.files["trust-"+digest(string(content))+".json"] = content
}

// sign signs the entries in their order. Members that a change has set stay.
func (d *draft) sign() *draft {
	previous := strings.Repeat("0", 64)
	for i, s := range d.statements {
		id := d.signers[i].Public().ID()
		usual := doc{"previous_sha256": previous,
			"signer": doc{"ed25519": id.Ed25519.String(), "ml_dsa_65": id.MLDSA65.String()}}
		for name, value := range usual {
			if s[name] == nil {
				s[name] = value
			}
		}
		payload := canonical(d.t, s)
		signatures := must.Get(d.signers[i].Sign(d.protocol, []byte(payload)))(d.t)
		d.lines = append(d.lines, canonical(d.t, doc{"statement": s, "signatures": doc{"ed25519": text64(signatures.Ed25519),
			"ml_dsa_65": text64(signatures.MLDSA65)}}))
		previous = digest(payload)
	}
	return d
}

// digestOf is the digest of a signed entry.
func (d *draft) digestOf(i int) string { return digest(canonical(d.t, d.statements[i])) }

func (d *draft) seen(name, title, spec string, expect fixtures.HistoryAnswer) fixtures.History {
	if d.lines != nil {
		d.files["history.ndjson"] = []byte(strings.Join(d.lines, "\n") + "\n")
	}
	pins := canonical(d.t, doc{"protocol": "svc.seal-trust.v1", "keys": d.pins}) + "\n"
	files := map[string][]byte{"seal-trust.json": []byte(pins)}
	for name, content := range d.files {
		files["history/"+name] = content
	}
	return fixtures.History{Name: name, Title: title, Spec: spec, Expect: expect, Files: files}
}

// planned is a case before it is made: its changes before and after signing.
type planned struct {
	name, title, spec string
	before, after     func(*draft)
	verdict, code     string
	path              string
	held              int
}

// makeCases makes all cases.
func makeCases(t testing.TB) map[string]fixtures.History {
	t.Helper()
	all := map[string]fixtures.History{}
	add := func(c fixtures.History) {
		_, ok := all[c.Name]
		must.That(t, !ok, "two cases %s", c.Name)
		all[c.Name] = c
	}
	for _, p := range planned3(t) {
		d := newDraft(t, 3)
		if p.before != nil {
			p.before(d)
		}
		d.sign()
		if p.after != nil {
			p.after(d)
		}
		add(d.seen(p.name, p.title, p.spec, fixtures.HistoryAnswer{Verdict: p.verdict, Finding: p.code, Path: p.path,
			Entries: p.held}))
	}
	for _, c := range questions(t) {
		add(c)
	}
	return all
}

// questions are the cases in which something is asked of an honest history.
func questions(t testing.TB) (cases []fixtures.History) {
	issued, _ := files(t)
	d := newDraft(t, 3).sign()
	for _, q := range []struct {
		name, title string
		ask         fixtures.HistoryQuestion
		expect      fixtures.HistoryAnswer
	}{
		{"at-the-moment", "the time at which the second version came into force",
			fixtures.HistoryQuestion{At: "2026-02-01T00:00:00.000Z"},
			fixtures.HistoryAnswer{Verdict: "verified", Entries: 3, InForce: 2}},
		{"at-just-before", "a millisecond before that", fixtures.HistoryQuestion{At: "2026-01-31T23:59:59.999Z"},
			fixtures.HistoryAnswer{Verdict: "verified", Entries: 3, InForce: 1}},
		{"at-too-early", "a time before the first version", fixtures.HistoryQuestion{At: "2025-12-31T23:59:59.999Z"},
			fixtures.HistoryAnswer{Verdict: "inconclusive", Finding: "trust-history.none-in-force", Entries: 3}},
		{"recorded", "the trust file of versions 1 and 3", fixtures.HistoryQuestion{Trust: digest(string(issued))},
			fixtures.HistoryAnswer{Verdict: "verified", Entries: 3}},
		{"not-recorded", "a trust file with a space more", fixtures.HistoryQuestion{Trust: digest(string(issued) + " ")},
			fixtures.HistoryAnswer{Verdict: "rejected", Finding: "history.cut", Entries: 3}},
		{"expected", "the digest of the second entry was kept elsewhere", fixtures.HistoryQuestion{Expect: d.digestOf(1)},
			fixtures.HistoryAnswer{Verdict: "verified", Entries: 3}},
	} {
		c := d.seen(q.name, q.title, "18.4", q.expect)
		c.Ask = q.ask
		cases = append(cases, c)
	}
	cut := newDraft(t, 3).sign()
	last := cut.digestOf(2)
	cut.lines = cut.lines[:2]
	c := cut.seen("cut", "the last entry was removed, and its digest kept elsewhere", "18.4",
		fixtures.HistoryAnswer{Verdict: "rejected", Finding: "history.cut", Entries: 2})
	c.Ask.Expect = last
	return append(cases, c)
}

var update = flag.Bool("update", false, "write the conformance cases")

var folder = filepath.Join("..", "..", "fixtures", "histories")

// judged judges a conformance case.
func judged(t *testing.T, c fixtures.History) fixtures.HistoryAnswer {
	t.Helper()
	trusted := must.Get(sealkey.ParseTrust(c.Files["seal-trust.json"]))(t)
	dir := t.TempDir()
	for name, doc := range c.Below("history") {
		must.Do(t, os.WriteFile(filepath.Join(dir, name), doc, 0o600))
	}
	var q history.Question
	q.At, _ = form.Time(c.Ask.At)
	if d, ok := form.Digest(c.Ask.Trust); ok {
		q.Trust = &d
	}
	if d, ok := form.Digest(c.Ask.Expect); ok {
		q.Expect = &d
	}
	r := must.Get(history.Folder(dir).Verify(trusted, q))(t)
	signed := []finding.Code{sealkey.SignatureInvalid, history.HistoryOrder}
	if r.Entries < 3 && len(r.NotExamined) == 0 && len(r.Findings) > 0 && slices.Contains(signed, r.Findings[0].Code) {
		t.Errorf("%s: what comes after is not said", c.Name)
	}
	got := fixtures.HistoryAnswer{Verdict: string(r.Verdict), Entries: r.Entries, InForce: r.InForce}
	if len(r.Findings) > 0 {
		got.Finding, got.Path = string(r.Findings[0].Code), r.Findings[0].Path
	}
	return got
}

// TestConformance: every case has its expected answer, every finding has a case, and the files
// match the generator's output.
func TestConformance(t *testing.T) {
	made := makeCases(t)
	must.KeepCases(t, folder, *update, made)
	cases := must.Get(fixtures.ReadSamples[fixtures.HistoryAnswer](os.DirFS(folder)))(t)
	must.That(t, len(cases) == len(made) && len(cases) >= 30, "%d cases on disk, %d generated", len(cases), len(made))
	seen := map[finding.Code]bool{}
	for _, c := range cases {
		check.Equal(t, judged(t, c), c.Expect, "%s", c.Name)
		seen[finding.Code(c.Expect.Finding)] = true
	}
	codes := []finding.Code{history.HistoryMalformed, history.HistoryTrustAltered, history.HistoryTrustMissing,
		history.HistoryEmpty, history.HistoryCut, sealkey.SignatureInvalid, sealkey.KeyUnknown, sealkey.KeyNotValid}
	for _, e := range finding.Codes("histories") {
		codes = append(codes, e.Code)
	}
	for _, code := range codes {
		check.That(t, seen[code], "no case of %s", code)
	}
}
