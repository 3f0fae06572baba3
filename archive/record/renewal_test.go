package record_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/svc-edge/svc-verify/archive/record"
	"github.com/svc-edge/svc-verify/archive/timestamp"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/outcome"
)

// twenty is twenty years: sealed and stamped in 2026, renewed in 2031, hashed again
// in 2034 and stamped with ML-DSA.
func (w *world) twenty(t testing.TB) *record.Chain {
	c := w.stamp(t, &record.Chain{}, w.old, 2026, "")
	c = w.stamp(t, c, w.second, 2031, "", w.old.crl(2031))
	return w.stamp(t, c, w.quantum, 2034, timestamp.SHA3x512, w.second.crl(2034))
}

// TestTwentyYears: RSA, ECDSA, SHA-512 and the certificates of two authorities have
// ended, and the chain stands.
func TestTwentyYears(t *testing.T) {
	w := newWorld(t)
	c := w.twenty(t)
	o := w.options(2046, w.quantum.crl(2046))
	o.Trees = w.trees(t, timestamp.SHA512, timestamp.SHA3x512)
	r := record.Verify(w.sealed, c, o)
	must.That(t, r.Verdict == outcome.Verified && codes(r) == "" && len(r.NotExamined) == 0,
		"%s: %+v", r.Verdict, r.Findings)
	check.That(t, r.ExistedBefore == "2026-03-02T09:00:01.000Z" && r.RenewBefore == "2050-03-02T09:00:00.000Z",
		"existed before %s, renew before %s", r.ExistedBefore, r.RenewBefore)
	var kinds []string
	for _, s := range r.Steps {
		kinds = append(kinds, s.Kind+" "+s.Authority+" "+s.JudgedAt[:4])
	}
	want := []string{"stamp Old 2031", "renewal Second 2034", "rehash Quantum 2046"}
	check.That(t, slices.Equal(kinds, want), "%q, want %q", kinds, want)
}

// TestScenarios: each step in the wrong order, or too late, has its code.
func TestScenarios(t *testing.T) {
	w := newWorld(t)
	for _, s := range w.scenarios() {
		r := record.Verify(w.sealed, s.chain(t, w), w.options(s.at, s.last...))
		check.That(t, codes(r) == s.want && r.Verdict == s.class,
			"%s: %s, %q, want %s, %q", s.name, r.Verdict, codes(r), s.class, s.want)
		check.That(t, (r.ExistedBefore != "") == (s.class == outcome.Verified && len(s.steps) > 0),
			"%s: existed before %q", s.name, r.ExistedBefore)
	}
}

// TestSealKeys: the seal is judged at the time of the first token.
func TestSealKeys(t *testing.T) {
	w := newWorld(t)
	c := w.stamp(t, &record.Chain{}, w.old, 2026, "")
	for _, s := range []struct {
		name, dates, want string
		until             int
	}{
		{"the pin ended before the token", datesDoc, "0 seal-key.not-valid", 2025},
		{"the pin ended after it", datesDoc, "", 2027},
		{"one algorithm fell before the token",
			`{"algorithms":[{"bits":256,"name":"ecdsa","until":"2035-01-01T00:00:00.000Z"},` +
				`{"name":"ed25519","until":"2020-01-01T00:00:00.000Z"},{"name":"ml-dsa-65","until":"2035-01-01T00:00:00.000Z"},` +
				`{"name":"sha-256","until":"2035-01-01T00:00:00.000Z"},{"name":"sha-512","until":"2035-01-01T00:00:00.000Z"}],` +
				`"protocol":"svc.archive-algorithms.v1"}`, "", 0},
		{"both fell", `{"algorithms":[{"bits":256,"name":"ecdsa","until":"2035-01-01T00:00:00.000Z"},` +
			`{"name":"ed25519","until":"2020-01-01T00:00:00.000Z"},{"name":"ml-dsa-65","until":"2020-01-01T00:00:00.000Z"},` +
			`{"name":"sha-256","until":"2035-01-01T00:00:00.000Z"},{"name":"sha-512","until":"2035-01-01T00:00:00.000Z"}],"protocol":"svc.archive-algorithms.v1"}`, "0 algorithm.retired", 0},
		{"an algorithm is not listed", `{"algorithms":[{"bits":256,"name":"ecdsa","until":"2035-01-01T00:00:00.000Z"},` +
			`{"name":"ed25519","until":"2035-01-01T00:00:00.000Z"},{"name":"sha-512","until":"2035-01-01T00:00:00.000Z"}],` +
			`"protocol":"svc.archive-algorithms.v1"}`, "1 algorithm.unlisted", 0},
		{"a smaller key than listed", `{"algorithms":[{"bits":384,"name":"ecdsa","until":"2035-01-01T00:00:00.000Z"},` +
			`{"name":"ed25519","until":"2035-01-01T00:00:00.000Z"},{"name":"sha-256","until":"2035-01-01T00:00:00.000Z"},` +
			`{"name":"sha-512","until":"2035-01-01T00:00:00.000Z"}],"protocol":"svc.archive-algorithms.v1"}`,
			"1 algorithm.unlisted", 0},
	} {
		own := w.sealed
		if s.until > 0 {
			own.Pin.Until = year(s.until)
		}
		o := w.options(2030, w.old.crl(2030))
		o.Algorithms = dates(t, s.dates)
		r := record.Verify(own, c, o)
		check.That(t, codes(r) == s.want, "%s: %q, want %q", s.name, codes(r), s.want)
	}
}

// TestAltered: no file of a chain can be changed, taken away, added or moved.
func TestAltered(t *testing.T) {
	w := newWorld(t)
	c := w.twenty(t)
	verdict := func(c *record.Chain) *record.Report {
		return record.Verify(w.sealed, c, w.options(2046, w.quantum.crl(2046)))
	}
	r := verdict(c)
	must.That(t, r.Verdict == outcome.Verified, "%+v", r.Findings)
	copied := func() *record.Chain {
		d := &record.Chain{}
		for _, s := range c.Steps {
			files := map[string][]byte{}
			for name, doc := range s.Files {
				files[name] = slices.Clone(doc)
			}
			d.Steps = append(d.Steps, record.Step{Files: files})
		}
		return d
	}
	for i, s := range c.Steps {
		for name, doc := range s.Files {
			for _, at := range []int{0, len(doc) / 2, len(doc) - 1} {
				d := copied()
				d.Steps[i].Files[name][at] ^= 1
				check.That(t, verdict(d).Verdict != outcome.Verified,
					"octet %d of %s of step %d does not count", at, name, i+1)
			}
			d := copied()
			delete(d.Steps[i].Files, name)
			check.That(t, verdict(d).Verdict != outcome.Verified, "%s of step %d can be taken away", name, i+1)
		}
		if i < len(c.Steps)-1 {
			d := copied()
			d.Steps[i].Files["certificate-1.cer"] = w.old.root.Certificate.Raw
			check.That(t, verdict(d).Verdict != outcome.Verified, "a file can be added to step %d", i+1)
			d = copied()
			d.Steps = slices.Delete(d.Steps, i, i+1)
			check.That(t, verdict(d).Verdict != outcome.Verified, "step %d can be taken away", i+1)
		}
	}
	other := newWorld(t)
	other.pins = w.pins
	r = record.Verify(other.sealed, c, w.options(2046, w.quantum.crl(2046)))
	check.That(t, codes(r) == "", "the seal of two archives with the same data is not the same:  %v", codes(r))
	w.sealed.File = append(slices.Clone(w.sealed.File), ' ')
	r = verdict(c)
	check.That(t, codes(r) == "1 object.altered", "another seal:  %v", codes(r))
}

// TestData: the data is compared with every tree of the chain.
func TestData(t *testing.T) {
	w := newWorld(t)
	c := w.twenty(t)
	must.Do(t, os.WriteFile(filepath.Join(w.dir, "a.json"), []byte("First"), 0o644))
	o := w.options(2046, w.quantum.crl(2046))
	o.Trees = w.trees(t, timestamp.SHA512, timestamp.SHA3x512)
	if r := record.Verify(w.sealed, c, o); codes(r) != "0 seal.root, 3 seal.root" || r.Verdict != outcome.Rejected {
		t.Errorf("%s: %q", r.Verdict, codes(r))
	}
	// A chain that was hashed again over other data is not one of this seal.
	early := w.stamp(t, w.stamp(t, &record.Chain{}, w.old, 2026, ""), w.second, 2031, timestamp.SHA3x512, w.old.crl(2031))
	o = w.options(2034, w.second.crl(2034))
	o.Trees = w.trees(t, timestamp.SHA512, timestamp.SHA3x512)
	r := record.Verify(w.sealed, early, o)
	check.That(t, codes(r) == "0 seal.root", "hashed again over other data of the same sizes: %q", codes(r))
	must.Do(t, os.WriteFile(filepath.Join(w.dir, "a.json"), []byte("longer"), 0o644))
	longer := w.stamp(t, w.stamp(t, &record.Chain{}, w.old, 2026, ""), w.second, 2031,
		timestamp.SHA3x512, w.old.crl(2031))
	r = record.Verify(w.sealed, longer, w.options(2034, w.second.crl(2034)))
	check.That(t, codes(r) == "2 object.altered", "hashed again over more octets: %q", codes(r))
}
