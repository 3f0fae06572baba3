package record_test

import (
	"context"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/json"
	"maps"
	"math/big"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/svc-edge/svc-verify/archive/record"
	"github.com/svc-edge/svc-verify/archive/seal"
	"github.com/svc-edge/svc-verify/archive/sealkey"
	"github.com/svc-edge/svc-verify/archive/timestamp"
	"github.com/svc-edge/svc-verify/internal/form"
	"github.com/svc-edge/svc-verify/internal/listing"
	"github.com/svc-edge/svc-verify/internal/merkle"
	"github.com/svc-edge/svc-verify/internal/must"
	tsa "github.com/svc-edge/svc-verify/internal/tsatest"
	"github.com/svc-edge/svc-verify/outcome"
)

func year(n int) time.Time { return time.Date(n, 3, 2, 9, 0, 0, 0, time.UTC) }

// stamper is an authority and its signer of tokens.
type stamper struct{ root, signer tsa.Identity }

func newStamper(name string, key func(seed string) tsa.Key, from, until int) stamper {
	root := tsa.Authority(name+" root", key(name+" root"), year(from), year(until+10))
	return stamper{root, root.Stamper(name, key(name), year(from), year(until))}
}

// crl is revocation data of the authority for a year.
func (s stamper) crl(at int, revoked ...tsa.Revoked) timestamp.Evidence {
	e, fault := timestamp.ParseEvidence("crl", s.root.CRL(year(at).AddDate(0, -1, 0), year(at).AddDate(0, 1, 0), revoked))
	if fault != nil {
		panic(fault)
	}
	return e
}

// world is an archive, its seal of 2026, and authorities.
type world struct {
	dir     string // of the data
	objects map[string]string
	seal    *seal.Seal
	subject record.Subject
	trust   []byte
	pins    []timestamp.Authority
	old     stamper // of ECDSA, to 2032
	second  stamper // of ECDSA, to 2037
	quantum stamper // of ML-DSA, to 2050
	dates   *record.Algorithms
}

const datesDoc = `{"algorithms":[` +
	`{"bits":256,"name":"ecdsa","until":"2035-01-01T00:00:00.000Z"},` +
	`{"name":"ed25519","until":"2035-01-01T00:00:00.000Z"},` +
	`{"name":"ml-dsa-65","until":"2060-01-01T00:00:00.000Z"},` +
	`{"name":"sha-256","until":"2035-01-01T00:00:00.000Z"},` +
	`{"name":"sha-512","until":"2040-01-01T00:00:00.000Z"},` +
	`{"name":"sha3-512","until":"2070-01-01T00:00:00.000Z"}` +
	`],"protocol":"svc.archive-algorithms.v1"}`

func dates(t testing.TB, doc string) *record.Algorithms {
	t.Helper()
	return must.Get(record.ParseAlgorithms([]byte(doc)))(t)
}

func newWorld(t testing.TB) *world {
	t.Helper()
	tsa.Restart()
	w := &world{dir: t.TempDir(), old: newStamper("Old", tsa.ECDSAOf, 2020, 2032),
		second: newStamper("Second", tsa.ECDSAOf, 2025, 2037), quantum: newStamper("Quantum", tsa.MLDSAOf, 2030, 2050)}
	w.objects = map[string]string{"a.json": "first", "b/c.json": "second", "d": "third"}
	must.WriteFiles(t, w.dir, w.objects)
	key := must.Get(sealkey.FromSeeds("records", [32]byte{1}, [32]byte{2}))(t)
	file := must.Get(seal.Sign(w.statement(t), key))(t)
	s, faults := seal.Parse(file)
	must.That(t, len(faults) == 0, "%v", faults)
	w.seal = s
	w.trust = w.trustFile(t, key)
	trusted := must.Get(sealkey.ParseTrust(w.trust))(t)
	pin, _ := trusted.Pin(s.Envelope.Signer)
	w.subject = record.SubjectOf(s, pin)
	w.pins = trusted.Authorities()
	w.dates = dates(t, datesDoc)
	return w
}

// trustFile is the file of --seal-trust.
func (w *world) trustFile(t testing.TB, key *sealkey.Key) []byte {
	t.Helper()
	pin := must.Get(sealkey.PinFile("records", key.Public(), year(2020), time.Time{}))(t)
	var doc map[string]any
	must.Do(t, json.Unmarshal(pin, &doc))
	authorities := map[string]any{}
	for _, s := range []stamper{w.old, w.second, w.quantum} {
		authorities[s.signer.Certificate.Subject.CommonName] = map[string]any{
			"certificates": []string{form.EncodeBase64URL(s.root.Certificate.Raw)}, "valid_from": form.FormatTime(year(2020))}
	}
	doc["authorities"] = authorities
	text := must.Get(json.MarshalIndent(doc, "", "  "))(t)
	return append(text, '\n')
}

// statement returns the seal's statement about the data.
func (w *world) statement(t testing.TB) seal.Statement {
	t.Helper()
	tree, octets := merkle.New(seal.SHA512.New()), int64(0)
	for _, path := range slices.Sorted(maps.Keys(w.objects)) {
		leaf := seal.Leaf{Path: path, Size: int64(len(w.objects[path])), Digest: sha512.Sum512([]byte(w.objects[path]))}
		tree.Add(leaf.Append(nil))
		octets += leaf.Size
	}
	return seal.Statement{Hash: seal.SHA512, Root: seal.Digest(tree.Root()), Objects: int64(len(w.objects)),
		Octets: octets, Run: sha256.Sum256([]byte("run")), Trust: [][64]byte{{1}}, SealedAt: year(2026).Add(-time.Hour)}
}

// inventory reads the data.
func (w *world) inventory(t testing.TB, hashes ...timestamp.Hash) *record.Inventory {
	t.Helper()
	root := must.Get(listing.Open(w.dir))(t)
	defer root.Close()
	return must.Get(record.ReadData(context.Background(), record.Data{Archive: root}, hashes, nil))(t)
}

// grow returns the trees of a record over the data.
func (w *world) grow(t testing.TB, r *record.Record, more ...timestamp.Hash) *record.Forest {
	t.Helper()
	return record.Grow(r, w.seal.File, w.inventory(t, r.ChainHashes(more...)...))
}

func (w *world) options(at int, revocation ...timestamp.Evidence) record.Options {
	return record.Options{At: year(at), Authorities: w.pins, Algorithms: w.dates, Revocation: revocation}
}

// stamp makes the next time stamp of a record with whatever is given, and judges nothing.
func (w *world) stamp(t testing.TB, r *record.Record, by stamper, at int, h timestamp.Hash,
	revocation ...timestamp.Evidence) *record.Record {
	t.Helper()
	if r == nil {
		h = timestamp.SHA512
	} else {
		r = must.Get(r.Keep(nil, revocation))(t)
	}
	var step record.Step
	if h != "" {
		step = w.grow(t, r, h).Begin()
	} else {
		step = r.Renewal()
	}
	return r.With(step, w.answer(t, step, by, at))
}

// answer is the token of an authority over a step.
func (w *world) answer(t testing.TB, step record.Step, by stamper, at int) *timestamp.Token {
	t.Helper()
	nonce := big.NewInt(20260302) // the same each time
	request := timestamp.Request{Hash: step.Hash, Imprint: step.Imprint(), Nonce: nonce}
	return must.Get(step.Answer(request, by.signer.Stamp(request.Marshal(), year(at)), nil))(t)
}

// codes are the codes of all findings, each with its step.
func codes(r *record.Report) string {
	var all []string
	for _, f := range r.Findings {
		all = append(all, string(rune('0'+f.Step))+" "+string(f.Code))
	}
	return strings.Join(all, ", ")
}

// step is one token of a scenario.
type step struct {
	by         stamper
	at         int
	hash       timestamp.Hash
	revocation []timestamp.Evidence
}

// scenario is a record that was made with whatever times, and its judgement.
type scenario struct {
	name  string
	steps []step
	at    int
	last  []timestamp.Evidence
	want  string // findings
	class outcome.Class
}

// record makes the record of a scenario; nil if it has no token.
func (s scenario) record(t testing.TB, w *world) (r *record.Record) {
	t.Helper()
	for _, s := range s.steps {
		r = w.stamp(t, r, s.by, s.at, s.hash, s.revocation...)
	}
	return r
}

// scenarios returns each step in the wrong order or too late, and a near miss for each.
func (w *world) scenarios() []scenario {
	key := tsa.Revoked{Certificate: w.old.signer.Certificate, At: year(2028), Reason: 1}
	handed := tsa.Revoked{Certificate: w.old.signer.Certificate, At: year(2028), Reason: 4}
	first := step{by: w.old, at: 2026}
	list := func(s stamper, at int, r ...tsa.Revoked) []timestamp.Evidence {
		return []timestamp.Evidence{s.crl(at, r...)}
	}
	return []scenario{
		{"no token", nil, 2027, nil, "", outcome.Verified},
		{"one token", []step{first}, 2030, list(w.old, 2030), "", outcome.Verified},
		{"no revocation data", []step{first}, 2030, nil, "1 token.revocation-unknown", outcome.Inconclusive},
		{"old revocation data", []step{first}, 2030, list(w.old, 2029), "1 token.revocation-unknown", outcome.Inconclusive},
		{"revoked", []step{first}, 2030, list(w.old, 2030, key), "1 token.not-valid", outcome.Rejected},
		{"replaced in order", []step{first}, 2030, list(w.old, 2030, handed), "", outcome.Verified},
		{"expired", []step{first}, 2033, list(w.old, 2033), "1 token.not-valid", outcome.Rejected},
		{"from later than the check", []step{first}, 2025, list(w.old, 2025), "1 history.order", outcome.Rejected},
		{"before the seal", []step{{by: w.old, at: 2025}}, 2027, list(w.old, 2027), "1 history.order", outcome.Rejected},
		{"renewed in time", []step{first, {w.second, 2031, "", list(w.old, 2031)}}, 2034, list(w.second, 2034), "",
			outcome.Verified},
		{"renewed after the end", []step{first, {w.second, 2033, "", list(w.old, 2033)}}, 2034, list(w.second, 2034),
			"1 token.not-valid", outcome.Rejected},
		{"renewed after it was revoked", []step{first, {w.second, 2031, "", list(w.old, 2031, key)}}, 2034,
			list(w.second, 2034), "1 token.not-valid", outcome.Rejected},
		{"renewed without revocation data", []step{first, {w.second, 2031, "", nil}}, 2034, list(w.second, 2034),
			"1 token.revocation-unknown", outcome.Inconclusive},
		{"renewed into the past", []step{{by: w.second, at: 2031}, {w.old, 2030, "", list(w.second, 2030)}}, 2031,
			list(w.old, 2031), "2 history.order", outcome.Rejected},
		{"renewed after ECDSA was retired", []step{first, {w.second, 2031, "", list(w.old, 2031)},
			{w.quantum, 2036, "", list(w.second, 2036)}},
			2038, list(w.quantum, 2038), "2 algorithm.retired, 2 algorithm.retired", outcome.Rejected},
		{"SHA-512 was retired", []step{first, {w.second, 2031, "", list(w.old, 2031)},
			{w.quantum, 2034, "", list(w.second, 2034)}},
			2041, list(w.quantum, 2041), "3 algorithm.retired, 1 algorithm.retired", outcome.Rejected},
		{"hashed again after SHA-512 was retired", []step{first, {w.second, 2031, "", list(w.old, 2031)},
			{w.quantum, 2034, "", list(w.second, 2034)}, {w.quantum, 2041, timestamp.SHA3x512, list(w.quantum, 2041)}},
			2042, list(w.quantum, 2042), "3 algorithm.retired, 1 algorithm.retired", outcome.Rejected},
		{"hashed again in time", []step{first, {w.second, 2031, "", list(w.old, 2031)},
			{w.quantum, 2034, "", list(w.second, 2034)}, {w.quantum, 2039, timestamp.SHA3x512, list(w.quantum, 2039)}},
			2042, list(w.quantum, 2042), "", outcome.Verified},
	}
}
