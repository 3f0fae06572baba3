package record_test

import (
	"bytes"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/svc-edge/svc-verify/archive/record"
	"github.com/svc-edge/svc-verify/archive/timestamp"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/outcome"
	"github.com/svc-edge/svc-verify/schemas"
)

// FuzzAlgorithms: a file of dates that is read is one by its schema, and gives the
// dates that a plain reading gives.
func FuzzAlgorithms(f *testing.F) {
	f.Add([]byte(datesDoc), "ecdsa", 384)
	f.Add([]byte(`{"algorithms":[{"bits":2048,"name":"rsa","until":"2030-01-01T00:00:00.000Z"},`+
		`{"bits":3072,"name":"rsa","until":"2035-01-01T00:00:00.000Z"}],"protocol":"svc.archive-algorithms.v1"}`),
		"rsa", 3000)
	f.Fuzz(func(t *testing.T, doc []byte, name string, bits int) {
		a, err := record.ParseAlgorithms(doc)
		if err != nil {
			_ = err.Error()
			return
		}
		if v, err := schemas.FindViolations("archive-algorithms", doc); err != nil || len(v) > 0 {
			t.Fatalf("%s is read, and its schema says %v, %v", doc, v, err)
		}
		var plain struct {
			Algorithms []struct {
				Name  string
				Bits  int
				Until time.Time
			}
		}
		must.Do(t, json.Unmarshal(doc, &plain))
		var want time.Time
		most, listed := -1, false
		for _, r := range plain.Algorithms {
			if r.Name == name && r.Bits <= bits && r.Bits > most {
				want, most, listed = r.Until, r.Bits, true
			}
		}
		if got, ok := a.Until(timestamp.Algorithm{Name: name, Bits: bits}); ok != listed || !got.Equal(want) {
			t.Fatalf("%s of %d bits until %v, %v, want %v, %v", name, bits, got, ok, want, listed)
		}
	})
}

// FuzzRecord: encoding/asn1 reads every parsed record as an EvidenceRecord too, with the same
// chains, time stamps and lists. No bytes other than the good record's verify.
func FuzzRecord(f *testing.F) {
	w := newWorld(f)
	good := must.Get(w.twenty(f).DER())(f)
	f.Add(good)
	f.Add(must.Get(w.stamp(f, nil, w.old, 2026, "").DER())(f))
	f.Fuzz(func(t *testing.T, der []byte) {
		r, err := record.Parse(der)
		if err != nil {
			must.That(t, isMalformed(err), "%v", err)
			return
		}
		must.That(t, record.Looks(der), "it does not look like a record")
		var plain struct {
			Version    int
			Algorithms []pkix.AlgorithmIdentifier
			Crypto     []asn1.RawValue `asn1:"optional,tag:0"`
			Chains     [][]struct {
				Hash       pkix.AlgorithmIdentifier `asn1:"optional,tag:0"`
				Attributes []asn1.RawValue          `asn1:"optional,set,tag:1"`
				Lists      [][][]byte               `asn1:"optional,tag:2"`
				Token      asn1.RawValue
			}
		}
		rest, err := asn1.Unmarshal(der, &plain)
		must.That(t, err == nil && len(rest) == 0 && len(plain.Chains) == len(r.Chains), "%v", err)
		for i, c := range r.Chains {
			must.That(t, len(c.Stamps) == len(plain.Chains[i]), "chain %d", i+1)
			for k, s := range c.Stamps {
				must.That(t, fmt.Sprint(s.Lists) == fmt.Sprint(plain.Chains[i][k].Lists), "lists of %d", k+1)
			}
		}
		verdict := record.Verify(w.subject, r, w.options(2046, w.quantum.crl(2046))).Verdict
		must.That(t, verdict != outcome.Verified || bytes.Equal(der, good), "%s", verdict)
	})
}

// judgeForeign judges a record in testdata, which another program made, for a file.
func judgeForeign(t *testing.T, name string, content []byte) *record.Report {
	t.Helper()
	read := func(name string) []byte { return must.Get(os.ReadFile(name))(t) }
	r := must.Get(record.Parse(read(name)))(t)
	root := must.Get(x509.ParseCertificate(read(filepath.Join(filepath.Dir(name), "authority.cer"))))(t)
	pinned := timestamp.Authority{Name: "a", Certificates: []*x509.Certificate{root}}
	o := record.Options{At: year(2027), Authorities: []timestamp.Authority{pinned}}
	return record.Verify(record.Subject{Digest: func(h timestamp.Hash) []byte { return h.Sum(content) }}, r, o)
}

// TestForeign: records of Bouncy Castle are verified, up to revocation data that they do
// not have, and for their own file alone.
func TestForeign(t *testing.T) {
	all := must.Get(filepath.Glob(filepath.Join("testdata", "bouncycastle", "*", "*.er")))(t)
	must.That(t, len(all) >= 20, "%d records", len(all))
	for _, name := range all {
		content := must.Get(os.ReadFile(strings.TrimSuffix(name, ".er")))(t)
		r := judgeForeign(t, name, content)
		for _, f := range r.Findings {
			check.Equal(t, f.Code, timestamp.TokenUnchecked, "%s: %+v", name, f)
		}
		check.That(t, len(r.Steps) > 0 && r.Steps[0].Time != "", "%s: %+v", name, r.Steps)
		r = judgeForeign(t, name, append(content, '.'))
		check.That(t, r.Verdict == outcome.Rejected, "%s for another file: %s", name, r.Verdict)
	}
}

// TestSpoiled: a record whose newest token is sound, and an earlier one is not, is refused,
// also where libraries look at the newest one alone.
func TestSpoiled(t *testing.T) {
	for _, name := range must.Get(filepath.Glob(filepath.Join("testdata", "spoiled", "*", "*.er")))(t) {
		content := must.Get(os.ReadFile(strings.TrimSuffix(name, ".er")))(t)
		r := judgeForeign(t, name, content)
		right := strings.HasPrefix(filepath.Base(filepath.Dir(name)), "right")
		check.That(t, (r.Verdict != outcome.Rejected) == right, "%s: %s %s", name, r.Verdict, codes(r))
	}
}
