package record_test

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/svc-edge/svc-verify/archive/record"
	"github.com/svc-edge/svc-verify/archive/seal"
	"github.com/svc-edge/svc-verify/archive/sealkey"
	"github.com/svc-edge/svc-verify/archive/timestamp"
	tsa "github.com/svc-edge/svc-verify/archive/timestamp/tsatest"
	"github.com/svc-edge/svc-verify/internal/form"
	"github.com/svc-edge/svc-verify/internal/listing"
	"github.com/svc-edge/svc-verify/internal/must"
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
	sealed  record.Sealed
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
	for name, text := range map[string]string{"a.json": "first", "b/c.json": "second"} {
		path := filepath.Join(w.dir, filepath.FromSlash(name))
		must.Do(t, os.MkdirAll(filepath.Dir(path), 0o755))
		must.Do(t, os.WriteFile(path, []byte(text), 0o644))
	}
	tree := w.trees(t, timestamp.SHA512)[0]
	key := must.Get(sealkey.FromSeeds("records", [32]byte{1}, [32]byte{2}))(t)
	file := must.Get(seal.Sign(seal.Statement{Hash: seal.SHA512, Root: seal.Digest(tree.Root), Objects: tree.Objects,
		Octets: tree.Octets,
		Run:    sha256.Sum256([]byte("run")), Trust: [][64]byte{{1}}, SealedAt: year(2026).Add(-time.Hour)}, key))(t)
	s, faults := seal.Parse(file)
	must.That(t, len(faults) == 0, "%v", faults)
	w.sealed = record.Of(s)
	w.trust = w.trustFile(t, key)
	trusted := must.Get(sealkey.ParseTrust(w.trust))(t)
	w.sealed.Pin, _ = trusted.Pin(s.Envelope.Signer)
	w.pins = must.Get(record.AuthoritiesOf(trusted))(t)
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

// trees reads the data.
func (w *world) trees(t testing.TB, hashes ...timestamp.Hash) []record.Tree {
	t.Helper()
	root := must.Get(listing.Open(w.dir))(t)
	defer root.Close()
	return must.Get(record.Data{Archive: root}.Trees(context.Background(), hashes))(t)
}

func (w *world) options(at int, revocation ...timestamp.Evidence) record.Options {
	return record.Options{At: year(at), Authorities: w.pins, Algorithms: w.dates, Revocation: revocation}
}

// stamp makes the next step of a chain with whatever is given, and judges nothing.
func (w *world) stamp(t testing.TB, c *record.Chain, by stamper, at int, h timestamp.Hash,
	revocation ...timestamp.Evidence) *record.Chain {
	t.Helper()
	tree, ok := record.Verify(w.sealed, c, w.options(at)).Tree()
	must.That(t, ok, "the chain cannot be read")
	if h != "" {
		tree = w.trees(t, h)[0]
	}
	step := must.Get(record.Prepare(w.sealed, c, tree, revocation))(t)
	step.Files["request.tsq"] = timestamp.Request{Hash: tree.Hash, Imprint: tree.Hash.Sum(step.Files["covers.json"]),
		Nonce: big.NewInt(20260302)}.Marshal() // the same each time
	waiting := &record.Chain{Steps: c.Steps, Pending: &step}
	next, _, err := record.Take(w.sealed, waiting, by.signer.Stamp(step.Request(), year(at)), nil, w.options(at))
	must.Do(t, err)
	return next
}

// codes are the codes of all findings, each with its step.
func codes(r *record.Report) string {
	var all []string
	for _, f := range r.Findings {
		all = append(all, string(rune('0'+f.Step))+" "+string(f.Code))
	}
	return strings.Join(all, ", ")
}
