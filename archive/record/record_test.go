package record_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/svc-edge/svc-verify/archive/record"
	"github.com/svc-edge/svc-verify/archive/timestamp"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/form"
	"github.com/svc-edge/svc-verify/internal/listing"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/outcome"
)

// twenty is twenty years: sealed and stamped in 2026, renewed in 2031, hashed again
// in 2034 and stamped with ML-DSA.
func (w *world) twenty(t testing.TB) *record.Record {
	c := w.stamp(t, nil, w.old, 2026, "")
	c = w.stamp(t, c, w.second, 2031, "", w.old.crl(2031))
	return w.stamp(t, c, w.quantum, 2034, timestamp.SHA3x512, w.second.crl(2034))
}

// TestTwentyYears: RSA, ECDSA, SHA-512 and the certificates of two authorities have ended, and
// the record still verifies.
func TestTwentyYears(t *testing.T) {
	w := newWorld(t)
	c := w.twenty(t)
	o := w.options(2046, w.quantum.crl(2046))
	o.Forest, o.DataRead = w.grow(t, c), true
	r := record.Verify(w.subject, c, o)
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

// TestSealKeys: the seal is judged at the time of the first token.
func TestSealKeys(t *testing.T) {
	w := newWorld(t)
	c := w.stamp(t, nil, w.old, 2026, "")
	fell := strings.Replace(datesDoc, `ed25519","until":"2035`, `ed25519","until":"2020`, 1)
	for _, s := range []struct {
		name, dates, want string
		until             int
	}{
		{"the pin ended before the token", datesDoc, "0 seal-key.not-valid", 2025},
		{"the pin ended after it", datesDoc, "", 2027},
		{"one algorithm fell before the token", fell, "", 0},
		{"both fell", strings.Replace(fell, "2060", "2020", 1), "0 algorithm.retired", 0},
		{"an algorithm is not listed", strings.Replace(datesDoc, `{"name":"sha-256","until":"2035-01-01T00:00:00.000Z"},`,
			"", 1), "1 algorithm.unlisted", 0},
		{"a smaller key than listed", strings.Replace(datesDoc, "256", "384", 1), "1 algorithm.unlisted", 0},
	} {
		sealed := *w.subject.Sealed
		if s.until > 0 {
			sealed.Pin.Until = year(s.until)
		}
		own := record.Subject{Digest: w.subject.Digest, Sealed: &sealed}
		o := w.options(2030, w.old.crl(2030))
		o.Algorithms = dates(t, s.dates)
		r := record.Verify(own, c, o)
		check.That(t, codes(r) == s.want, "%s: %q, want %q", s.name, codes(r), s.want)
	}
}

// TestBuiltInDates: without a file the built-in table decides, up to the day of each row, and
// the answer names it. An algorithm without an end of its own is open after the end of the
// table, and no other is.
func TestBuiltInDates(t *testing.T) {
	w := newWorld(t)
	forever := *w.subject.Sealed
	forever.Pin.Until = time.Time{}
	alone := record.Subject{Digest: w.subject.Digest, Sealed: &forever}
	judge := func(a *record.Algorithms, at time.Time) *record.Report {
		return record.Verify(alone, nil, record.Options{At: at, Algorithms: a})
	}
	end := time.Date(2041, 1, 1, 0, 0, 0, 0, time.UTC)
	r := judge(nil, end.Add(-time.Millisecond))
	check.That(t, r.Verdict == outcome.Verified && r.RenewBefore == form.FormatTime(end), "before the end: %+v", r)
	check.Equal(t, r.Algorithms, record.Table{Source: "built-in", AsOf: "2026-11-30"}, "the table")
	check.That(t, r.Limitations[1].Code == record.AlgorithmsBuiltIn && strings.Contains(r.Limitations[1].Sentence,
		"2026-11-30"), "%+v", r.Limitations)
	r = judge(nil, end)
	check.That(t, r.Verdict == outcome.Inconclusive && codes(r) == "0 algorithm.unlisted, 0 algorithm.unlisted",
		"at the end: %s %s", r.Verdict, codes(r))
	r = judge(w.dates, year(2030))
	check.That(t, r.Algorithms.Source == "file" && len(r.Algorithms.SHA256) == 64 && len(r.Limitations) == 1,
		"a file: %+v %+v", r.Algorithms, r.Limitations)

	stamped, fell := w.stamp(t, nil, w.old, 2026, ""), time.Date(2036, 1, 1, 0, 0, 0, 0, time.UTC)
	for at, want := range map[time.Time]int{fell.Add(-time.Second): 0, fell: 1} {
		r := record.Verify(w.subject, stamped, record.Options{At: at, Authorities: w.pins})
		check.That(t, strings.Count(codes(r), "algorithm.retired") == want, "%s: %s", at, codes(r))
	}
}

// TestRows: each row of the built-in table begins with its least key, and ends at its day.
func TestRows(t *testing.T) {
	for _, c := range []struct {
		name       string
		bits, ends int
		known      bool
	}{
		{"rsa", 2047, 0, false}, {"rsa", 2048, 2031, true}, {"rsa", 3071, 2031, true}, {"rsa", 3072, 2036, true},
		{"ecdsa", 255, 0, false}, {"ecdsa", 256, 2036, true}, {"ed25519", 0, 2036, true}, {"ed448", 0, 0, false},
		{"ml-dsa-65", 0, 2041, false}, {"sha-256", 0, 2041, false}, {"sha3-512", 0, 2041, false}, {"sha-1", 0, 0, false},
	} {
		end, known := record.BuiltIn().Until(timestamp.Algorithm{Name: c.name, Bits: c.bits})
		want := time.Time{}
		if c.ends > 0 {
			want = time.Date(c.ends, 1, 1, 0, 0, 0, 0, time.UTC)
		}
		check.That(t, end.Equal(want) && known == c.known, "%s %d: %s %v", c.name, c.bits, end, known)
	}
}

// TestAltered: no byte of a record can be changed, and nothing taken away or moved.
func TestAltered(t *testing.T) {
	w := newWorld(t)
	c := w.twenty(t)
	der := must.Get(c.DER())(t)
	o := w.options(2046, w.quantum.crl(2046))
	must.That(t, record.Verify(w.subject, c, o).Verdict == outcome.Verified, "the record is not verified")
	for at := range der {
		if testing.Short() && at%31 != 0 {
			continue
		}
		changed := bytes.Clone(der)
		changed[at] ^= 1
		if r, err := record.Parse(changed); err == nil {
			check.That(t, record.Verify(w.subject, r, o).Verdict != outcome.Verified, "byte %d does not count", at)
		} else {
			check.That(t, isMalformed(err), "byte %d: %v", at, err)
		}
	}
	other := w.subject
	other.Digest = func(h timestamp.Hash) []byte { return h.Sum(append(slices.Clone(w.seal.File), ' ')) }
	r := record.Verify(other, c, o)
	check.That(t, codes(r) == "1 object.altered", "another seal: %v", codes(r))
}

func isMalformed(err error) bool {
	var m *timestamp.Fault
	return errors.As(err, &m)
}

// TestObjects: the record of each object proves its content and its time by itself, also after
// a rehash, and no other object's.
func TestObjects(t *testing.T) {
	w := newWorld(t)
	c := w.twenty(t)
	f := w.grow(t, c)
	o := w.options(2046, w.quantum.crl(2046))
	same := must.Get(f.Seal().DER())(t)
	check.That(t, bytes.Equal(same, must.Get(c.DER())(t)), "the record of the seal is another after it grew")
	paths := slices.Sorted(maps.Keys(w.objects))
	for i := range paths {
		r := must.Get(record.Parse(must.Get(f.Object(i).DER())(t)))(t)
		for k, path := range paths {
			subject := record.Subject{Digest: func(h timestamp.Hash) []byte { return h.Sum([]byte(w.objects[path])) }}
			got := record.Verify(subject, r, o)
			check.That(t, (got.Verdict == outcome.Verified) == (i == k), "record %d for object %d: %s %s", i, k, got.Verdict,
				codes(got))
			check.That(t, i != k || got.ExistedBefore == "2026-03-02T09:00:01.000Z", "it existed before %s", got.ExistedBefore)
		}
	}
}

// TestSameContent: objects with the same bytes are one leaf, and their records are the same.
func TestSameContent(t *testing.T) {
	w := newWorld(t)
	must.Do(t, os.WriteFile(filepath.Join(w.dir, "d"), []byte("first"), 0o644))
	w.objects["d"] = "first"
	c := w.twenty(t)
	f := w.grow(t, c)
	one, two := must.Get(f.Object(0).DER())(t), must.Get(f.Object(2).DER())(t)
	check.That(t, bytes.Equal(one, two), "two objects of the same bytes have two records")
}

// TestData: the imprints are compared with the trees over the data.
func TestData(t *testing.T) {
	w := newWorld(t)
	c := w.twenty(t)
	must.Do(t, os.WriteFile(filepath.Join(w.dir, "a.json"), []byte("First"), 0o644))
	o := w.options(2046, w.quantum.crl(2046))
	o.Forest, o.DataRead = w.grow(t, c), true
	r := record.Verify(w.subject, c, o)
	check.That(t, codes(r) == "1 seal.root, 3 seal.root" && r.Verdict == outcome.Rejected, "%s: %q", r.Verdict, codes(r))
	must.Do(t, os.WriteFile(filepath.Join(w.dir, "a.json"), []byte("first"), 0o644))
	must.Do(t, os.Rename(filepath.Join(w.dir, "d"), filepath.Join(w.dir, "e")))
	o.Forest = w.grow(t, c)
	r = record.Verify(w.subject, c, o)
	check.That(t, codes(r) == "3 seal.root", "another name: %q", codes(r)) // by the list under the second hash
}

// TestLists: the lists of leaves give the trees that the data gives, and lists of other
// objects are refused.
func TestLists(t *testing.T) {
	w := newWorld(t)
	c := w.twenty(t)
	lists := map[timestamp.Hash]string{}
	for _, h := range c.ChainHashes() {
		var b strings.Builder
		root := must.Get(listing.Open(w.dir))(t)
		must.Get(record.ReadData(context.Background(), record.Data{Archive: root}, []timestamp.Hash{h}, &b))(t)
		must.Do(t, root.Close())
		lists[h] = b.String()
	}
	read := func(first, second string) (*record.Inventory, error) {
		return record.ReadLists(c.ChainHashes(), []io.Reader{strings.NewReader(first), strings.NewReader(second)})
	}
	first, second := lists[timestamp.SHA512], lists[timestamp.SHA3x512]
	f := record.Grow(c, w.seal.File, must.Get(read(first, second))(t))
	data := w.grow(t, c)
	for i := range f.Chains() {
		check.That(t, bytes.Equal(f.Root(i), data.Root(i)), "the root of chain %d is another", i+1)
	}
	lines := strings.SplitAfter(second, "\n")
	for name, bad := range map[string]string{
		"a line less":  strings.Join(lines[:2], ""),
		"another path": strings.Replace(second, `"path":"d"`, `"path":"e"`, 1),
		"another size": strings.Replace(second, `"size":5`, `"size":6`, 1),
	} {
		_, err := read(first, bad)
		check.That(t, isMalformed(err), "%s: %v", name, err)
	}
	_, err := read(first, strings.TrimSuffix(second, "\n"))
	check.That(t, err != nil && !isMalformed(err), "no line feed: %v", err)
}

// TestCompanions: each name that belongs to a seal differs from the name of a seal.
func TestCompanions(t *testing.T) {
	all := record.Companions("a.seal", func(name string) bool { return name != "a.seal.leaves-3" })
	check.That(t, strings.Join(all, " ") == "a.seal.er a.seal.seal.er a.seal.leaves a.seal.leaves-2", "%q", all)
	for _, name := range all {
		check.That(t, record.IsCompanion(name), "%s is none", name)
	}
	for _, name := range []string{"a.seal", "a.leaves.seal", "a.leaves-x", "a.er.seal", "leaves"} {
		check.That(t, !record.IsCompanion(name), "%s is one", name)
	}
}
