package record_test

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/crypto/cryptobyte"
	asn1tag "golang.org/x/crypto/cryptobyte/asn1"

	"github.com/svc-edge/svc-verify/archive/record"
	"github.com/svc-edge/svc-verify/archive/seal"
	"github.com/svc-edge/svc-verify/archive/sealkey"
	"github.com/svc-edge/svc-verify/archive/timestamp"
	"github.com/svc-edge/svc-verify/fixtures"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/form"
	"github.com/svc-edge/svc-verify/internal/must"
	tsa "github.com/svc-edge/svc-verify/internal/tsatest"
)

var update = flag.Bool("update", false, "write the conformance cases")

var folder = filepath.Join("..", "..", "fixtures", "records")

// answer judges a conformance case from its files alone.
func answer(t *testing.T, c fixtures.Record) fixtures.RecordAnswer {
	t.Helper()
	trusted := must.Get(sealkey.ParseTrust(c.Files["seal-trust.json"]))(t)
	s, faults := seal.Parse(c.Files["seal.json"])
	must.That(t, len(faults) == 0, "%v", faults)
	pin, _ := trusted.Pin(s.Envelope.Signer)
	var o record.Options
	o.Authorities = trusted.Authorities()
	o.At, _ = form.Time(c.At)
	o.Algorithms = dates(t, string(c.Files["algorithms.json"]))
	for name, doc := range c.Files {
		if strings.HasPrefix(name, "revocation-") {
			e, fault := timestamp.ParseEvidence(name, doc)
			must.That(t, fault == nil, "%v", fault)
			o.Revocation = append(o.Revocation, e)
		}
	}
	var own *record.Record
	var err error
	if der := c.Files[recordName]; der != nil {
		own, err = record.Parse(der)
	}
	r := new(record.Report)
	if malformed := new(timestamp.Fault); errors.As(err, &malformed) {
		r = record.Unread(malformed, o.At)
	} else {
		must.Do(t, err)
		r = record.Verify(record.SubjectOf(s, pin), own, o)
	}
	got := fixtures.RecordAnswer{Verdict: string(r.Verdict), Findings: []string{}, ExistedBefore: r.ExistedBefore}
	if r.Verdict == "verified" {
		got.RenewBefore = r.RenewBefore
	}
	for _, f := range r.Findings {
		got.Findings = append(got.Findings, fmt.Sprintf("%d %s", f.Step, f.Code))
	}
	slices.Sort(got.Findings)
	return got
}

// recordName is the file of the record in a case.
const recordName = "seal.json.er"

// caseOf returns the case of a record. The caller sets the expected answer.
func (w *world) caseOf(name, spec string, der []byte, at int, last ...timestamp.Evidence) fixtures.Record {
	files := map[string][]byte{"seal.json": w.seal.File, "seal-trust.json": w.trust, "algorithms.json": []byte(datesDoc)}
	for i, e := range last {
		files[fmt.Sprintf("revocation-%d.crl", i+1)] = e.DER
	}
	if der != nil {
		files[recordName] = der
	}
	return fixtures.Record{Name: strings.ReplaceAll(strings.ToLower(name), " ", "-"), Title: name, Spec: spec,
		At: form.FormatTime(year(at)), Files: files}
}

// written is a record whose parts a test can spell as it likes.
type written struct {
	version    int64
	algorithms []timestamp.Hash
	crypto     []byte // before the sequence
	chains     [][]writtenStamp
	after      []byte
}

type writtenStamp struct {
	hash       timestamp.Hash // "" for none
	attributes []byte
	lists      [][][]byte
	token      []byte
}

// writtenOf returns the parts of a record.
func writtenOf(r *record.Record) *written {
	out := &written{version: 1, algorithms: r.Hashes()}
	for _, c := range r.Chains {
		var chain []writtenStamp
		for _, s := range c.Stamps {
			chain = append(chain, writtenStamp{c.Hash, nil, s.Lists, s.Token.DER})
		}
		out.chains = append(out.chains, chain)
	}
	return out
}

// der spells the record.
func (w *written) der() []byte {
	var algorithms, chains []byte
	for _, h := range w.algorithms {
		algorithms = append(algorithms, tsa.Element(tsa.Sequence, h.Identifier())...)
	}
	for _, chain := range w.chains {
		var stamps []byte
		for _, s := range chain {
			stamps = append(stamps, s.der()...)
		}
		chains = append(chains, tsa.Element(tsa.Sequence, stamps)...)
	}
	return append(tsa.Element(tsa.Sequence, tsa.Integer(w.version), tsa.Element(tsa.Sequence, algorithms), w.crypto,
		tsa.Element(tsa.Sequence, chains)), w.after...)
}

func (s *writtenStamp) der() []byte {
	var hash, tree []byte
	if s.hash != "" {
		hash = tsa.Element(tsa.Inner0, s.hash.Identifier())
	}
	for _, list := range s.lists {
		var all []byte
		for _, one := range list {
			all = append(all, tsa.Element(tsa.Octets, one)...)
		}
		tree = append(tree, tsa.Element(tsa.Sequence, all)...)
	}
	if s.lists != nil {
		tree = tsa.Element(tsa.Inner2, tree)
	}
	return tsa.Element(tsa.Sequence, hash, s.attributes, tree, s.token)
}

// attribute is an Attribute whose type is not assigned.
var attribute = tsa.Element(tsa.Sequence, tsa.OID(1, 2, 3, 4), tsa.Element(tsa.Set, tsa.Null))

// flipped returns a copy with another bit in one byte; places below zero count from the end.
func flipped(b []byte, at int) []byte {
	b = bytes.Clone(b)
	b[(at+len(b))%len(b)] ^= 1
	return b
}

// withoutCRLs returns a token without the revocation data in it.
func withoutCRLs(token []byte) []byte {
	content := func(s cryptobyte.String) (all []cryptobyte.String) {
		var tag asn1tag.Tag
		var body, one cryptobyte.String
		s.ReadAnyASN1(&body, &tag)
		for body.ReadAnyASN1Element(&one, nil) {
			all = append(all, one)
		}
		return all
	}
	info := content(token)
	var signed []byte
	for _, one := range content(content(info[1])[0]) {
		if !one.PeekASN1Tag(tsa.Inner1) {
			signed = append(signed, one...)
		}
	}
	return tsa.Element(tsa.Sequence, info[0], tsa.Element(tsa.Inner0, tsa.Element(tsa.Sequence, signed)))
}

// retired lists the findings if the chain of ML-DSA and SHA3 is missing in 2046.
const retired = "1 algorithm.retired, 2 algorithm.retired, 2 algorithm.retired, 2 algorithm.retired, 2 token.not-valid"

// changes are edits of a record of three time stamps in two chains, with the findings.
var changes = []struct {
	name, spec, want string
	change           func(w *written)
}{
	{"a time stamp less", "17.7", "2 object.altered", func(w *written) { w.chains[0] = w.chains[0][:1] }},
	{"two time stamps for each other", "17.7", "1 object.altered",
		func(w *written) { w.chains[0][0], w.chains[0][1] = w.chains[0][1], w.chains[0][0] }},
	{"two chains for each other", "17.7", "1 object.altered",
		func(w *written) { w.chains[0], w.chains[1] = w.chains[1], w.chains[0] }},
	{"the last chain less", "17.7", retired, func(w *written) { w.chains = w.chains[:1] }},
	{"the first chain less", "17.7", "1 object.altered", func(w *written) { w.chains = w.chains[1:] }},
	{"the chains in one", "17.2", "0 file.malformed",
		func(w *written) { w.chains = [][]writtenStamp{append(w.chains[0], w.chains[1]...)} }},
	{"a chain twice", "17.7", "4 object.altered", func(w *written) { w.chains = append(w.chains, w.chains[1]) }},
	{"another leaf", "17.7", "1 object.altered",
		func(w *written) { w.chains[0][0].lists[0][0] = flipped(w.chains[0][0].lists[0][0], 0) }},
	{"another sibling", "17.7", "1 token.other",
		func(w *written) { w.chains[0][0].lists[1][0] = flipped(w.chains[0][0].lists[1][0], 0) }},
	{"a sibling less", "17.7", "1 token.other",
		func(w *written) { w.chains[0][0].lists = w.chains[0][0].lists[:len(w.chains[0][0].lists)-1] }},
	{"a sibling more", "17.7", "3 token.other",
		func(w *written) { w.chains[1][0].lists = append(w.chains[1][0].lists, w.chains[1][0].lists[1]) }},
	{"a hash beside the leaf", "17.7", "1 token.other", func(w *written) {
		w.chains[0][0].lists[0] = append(w.chains[0][0].lists[0], flipped(w.chains[0][0].lists[0][0], 0))
	}},
	{"a leaf in the second list", "17.7", "1 object.altered", func(w *written) {
		lists := w.chains[0][0].lists
		lists[0], lists[1] = lists[1], lists[0]
	}},
	{"no tree", "17.7", "1 token.other", func(w *written) { w.chains[0][0].lists = nil }},
	{"no tree in a renewal", "17.7", "3 object.altered", func(w *written) { w.chains[0][1].lists = nil }},
	{"a token of another chain", "17.7", "3 object.altered",
		func(w *written) { w.chains[1][0].token, w.chains[1][0].hash = w.chains[0][1].token, "" }},
	{"a token of another step", "17.7", "2 token.other",
		func(w *written) { w.chains[0][1].token = w.chains[0][0].token }},
	{"a hash that is not that of the token", "17.2", "0 file.malformed",
		func(w *written) { w.chains[1][0].hash = timestamp.SHA512 }},
	{"a signature that does not hold", "17.4", "3 seal-signature.invalid",
		func(w *written) { w.chains[1][0].token = flipped(w.chains[1][0].token, -9) }},
	{"a response around a token", "17.2", "0 file.malformed", func(w *written) {
		w.chains[1][0].token = tsa.Response(0, w.chains[1][0].token)
	}},
	{"no revocation data in a token", "17.2", "2 object.altered", func(w *written) {
		w.chains[0][0].token = withoutCRLs(w.chains[0][0].token)
	}},
	{"version 2", "17.2", "0 file.malformed", func(w *written) { w.version = 2 }},
	{"a byte behind it", "17.2", "0 file.malformed", func(w *written) { w.after = []byte{0} }},
	{"over encrypted objects", "17.2", "0 file.malformed",
		func(w *written) { w.crypto = tsa.Element(tsa.Inner1, tsa.OID(1, 2, 3, 4)) }},
	{"no chain", "17.2", "0 file.malformed", func(w *written) { w.chains = nil }},
	{"an empty chain", "17.2", "0 file.malformed", func(w *written) { w.chains[0] = nil }},
	{"an empty list", "17.2", "0 file.malformed", func(w *written) { w.chains[0][0].lists[1] = nil }},
	{"a hash that is not listed", "17.2", "0 file.malformed", func(w *written) { w.algorithms = w.algorithms[:1] }},
	{"no attributes in a list of some", "17.2", "0 file.malformed",
		func(w *written) { w.crypto = tsa.Element(tsa.Inner0, tsa.OID(1, 2, 3, 4)) }},
	{"crypto infos", "17.2", "", func(w *written) { w.crypto = tsa.Element(tsa.Inner0, attribute) }},
	{"attributes", "17.2", "", func(w *written) { w.chains[1][0].attributes = tsa.Element(tsa.Inner1, attribute) }},
	{"the hash of the token alone", "17.2", "", func(w *written) { w.chains[1][0].hash = "" }},
	{"another hash listed", "17.2", "", func(w *written) { w.algorithms = append(w.algorithms, timestamp.SHA256) }},
}

// makeCases makes all cases. Their expected findings are written by hand, but for the two
// times.
func makeCases(t *testing.T) map[string]fixtures.Record {
	w := newWorld(t)
	made := map[string]fixtures.Record{}
	add := func(c fixtures.Record, want string) {
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
		var der []byte
		if r := s.record(t, w); r != nil {
			der = must.Get(r.DER())(t)
		}
		c := w.caseOf(s.name, "17.7", der, s.at, s.last...)
		add(c, s.want)
		check.Equal(t, made[c.Name].Expect.Verdict, string(s.class), "%s", s.name)
	}
	der := must.Get(w.twenty(t).DER())(t)
	add(w.caseOf("twenty years", "17.7", der, 2046, w.quantum.crl(2046)), "")
	for _, change := range changes {
		parts := writtenOf(must.Get(record.Parse(der))(t))
		change.change(parts)
		add(w.caseOf(change.name, change.spec, parts.der(), 2046, w.quantum.crl(2046)), change.want)
	}
	add(w.caseOf("cut off", "17.2", der[:len(der)-1], 2046, w.quantum.crl(2046)), "0 file.malformed")
	object := must.Get(w.grow(t, w.twenty(t)).Object(0).DER())(t)
	add(w.caseOf("the record of another object", "17.7", object, 2046, w.quantum.crl(2046)), "1 object.altered")
	return made
}

// TestConformance: every conformance case has the answer that it expects, and is the one
// that is generated.
func TestConformance(t *testing.T) {
	made := makeCases(t)
	must.KeepCases(t, folder, *update && !t.Failed(), made)
	cases := must.Get(fixtures.ReadSamples[fixtures.RecordAnswer](os.DirFS(folder)))(t)
	must.That(t, len(cases) == len(made) && len(cases) >= 50,
		"%d cases on disk, %d generated", len(cases), len(made))
	for _, c := range cases {
		got := answer(t, c)
		check.That(t, fmt.Sprint(got) == fmt.Sprint(c.Expect), "%s: %+v, expected %+v", c.Name, got, c.Expect)
	}
}
