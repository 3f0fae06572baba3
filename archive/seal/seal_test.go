package seal_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"crypto/sha512"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/svc-edge/svc-verify/archive/ledger"
	record "github.com/svc-edge/svc-verify/archive/run"
	"github.com/svc-edge/svc-verify/archive/seal"
	"github.com/svc-edge/svc-verify/archive/sealkey"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/listing"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/outcome"
)

var (
	sealedAt = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	run      = sha256.Sum256([]byte("run"))
)

// archive is a folder with objects by path.
type archive map[string]string

// known is the archive as its ledger has it.
func (a archive) known() []*ledger.Object {
	var all []*ledger.Object
	for path, content := range a {
		all = append(all, &ledger.Object{Path: path, Size: int64(len(content)), SHA256: sha256.Sum256([]byte(content))})
	}
	slices.SortFunc(all, func(a, b *ledger.Object) int { return strings.Compare(a.Path, b.Path) })
	return all
}

func each(all []*ledger.Object) iter.Seq2[*ledger.Object, error] {
	return func(yield func(*ledger.Object, error) bool) {
		for _, k := range all {
			if !yield(k, nil) {
				return
			}
		}
	}
}

func open(t testing.TB, dir string) *listing.Root {
	t.Helper()
	root := must.Get(listing.Open(dir))(t)
	t.Cleanup(func() { root.Close() })
	return root
}

func key(t testing.TB, octet byte) *sealkey.Key {
	t.Helper()
	seed := [sealkey.SeedSize]byte(bytes.Repeat([]byte{octet}, sealkey.SeedSize))
	return must.Get(sealkey.FromSeeds("office", seed, seed))(t)
}

func trusted(t testing.TB, k *sealkey.Key) *sealkey.Trust {
	t.Helper()
	doc := must.Get(sealkey.PinFile("office", k.Public(), sealedAt, time.Time{}))(t)
	return must.Get(sealkey.ParseTrust(doc))(t)
}

// sealing seals a folder. The file is nil if the ledger does not fit.
func sealing(t testing.TB, dir string, known []*ledger.Object) (file, leaves []byte, r *seal.Report) {
	t.Helper()
	var list bytes.Buffer
	file, r, err := seal.Make(context.Background(), seal.Options{Archive: open(t, dir), Known: each(known), Key: key(t, 1),
		Statement: seal.Statement{Hash: seal.SHA512, Run: run, Trust: [][64]byte{sha512.Sum512([]byte("trust"))},
			SealedAt: sealedAt},
		Leaves: &list})
	must.Do(t, err)
	return file, list.Bytes(), r
}

func verify(t testing.TB, file []byte, a seal.Against) *seal.Report {
	t.Helper()
	return must.Get(seal.Verify(context.Background(), file, trusted(t, key(t, 1)), a))(t)
}

// what lists codes and paths of findings.
func what(r *seal.Report) (all []string) {
	for _, f := range r.Findings {
		all = append(all, string(f.Code)+" "+f.Path)
	}
	return all
}

var small = archive{"a.json": "one", "b/c.json": "two", "b/d": "", "b-": "three", "Köln %1": "four"}

// TestSealed: a sealed archive verifies, every object of it has a proof, and the proof is of
// that object alone.
func TestSealed(t *testing.T) {
	dir := must.WriteFiles(t, t.TempDir(), small)
	file, leaves, made := sealing(t, dir, small.known())
	must.That(t, file != nil && made.Verdict == outcome.Verified && made.Seal.Objects == 5 && made.Seal.Octets == 15,
		"%+v", made)
	again, _, _ := sealing(t, dir, small.known())
	check.That(t, bytes.Equal(file, again), "sealing again gives another seal")
	r := verify(t, file, seal.Against{Leaves: bytes.NewReader(leaves), Archive: open(t, dir)})
	check.That(t, r.Verdict == outcome.Verified && len(r.NotExamined) == 1 && r.Examined.Objects == 5 &&
		r.Seal.Signer == "office", "%+v", r)
	if r := verify(t, file, seal.Against{Archive: open(t, dir)}); r.Verdict != outcome.Verified {
		t.Errorf("without leaves: %v", what(r))
	}
	s, faults := seal.Parse(file)
	must.That(t, len(faults) == 0, "%v", faults)
	for path := range small {
		proof := must.Get(seal.Prove(s, bytes.NewReader(leaves), path))(t)
		for other, content := range small {
			r, err := seal.VerifyObject(proof, trusted(t, key(t, 1)), strings.NewReader(content))
			check.That(t, err == nil && (r.Verdict == outcome.Verified) == (other == path), "the proof of %q and %q: %v, %v",
				path, other, what(r), err)
		}
	}
	_, err := seal.Prove(s, bytes.NewReader(leaves), "b")
	check.That(t, err == seal.ErrAbsent, "a folder has a proof: %v", err)
}

// TestDamage: each kind of damage is named, with the object.
func TestDamage(t *testing.T) {
	file, leaves, _ := sealing(t, must.WriteFiles(t, t.TempDir(), small), small.known())
	for name, c := range map[string]struct {
		damage func(dir string) error
		want   []string
	}{
		"none": {func(string) error { return nil }, nil},
		"altered": {func(dir string) error { return os.WriteFile(filepath.Join(dir, "a.json"), []byte("0ne"), 0o644) },
			[]string{"object.altered a.json"}},
		"grown": {func(dir string) error { return os.WriteFile(filepath.Join(dir, "b/d"), []byte("0"), 0o644) },
			[]string{"object.altered b/d"}},
		"missing": {func(dir string) error { return os.RemoveAll(filepath.Join(dir, "b")) },
			[]string{"object.missing b/c.json", "object.missing b/d"}},
		"added": {func(dir string) error { return os.WriteFile(filepath.Join(dir, "z"), nil, 0o644) },
			[]string{"object.unexpected z"}},
		"renamed": {func(dir string) error { return os.Rename(filepath.Join(dir, "a.json"), filepath.Join(dir, "A")) },
			[]string{"object.unexpected A", "object.missing a.json"}},
		"swapped": {func(dir string) error {
			return os.WriteFile(filepath.Join(dir, "b/c.json"), []byte("one"), 0o644)
		}, []string{"object.altered b/c.json"}},
	} {
		dir := must.WriteFiles(t, t.TempDir(), small)
		must.Do(t, c.damage(dir))
		r := verify(t, file, seal.Against{Leaves: bytes.NewReader(leaves), Archive: open(t, dir)})
		check.That(t, slices.Equal(what(r), c.want) && (r.Verdict == outcome.Verified) == (c.want == nil),
			"%s: %s %q, want %q", name, r.Verdict, what(r), c.want)
		r = verify(t, file, seal.Against{Archive: open(t, dir)})
		want := c.want != nil
		check.That(t, want == slices.Equal(what(r), []string{"seal.root "}) &&
			want == (r.Verdict == outcome.Rejected), "%s without leaves: %q", name, what(r))
		other, _, made := sealing(t, dir, small.known())
		check.That(t, (other != nil) == (c.want == nil) && (c.want == nil ||
			made.Findings[0].Code == seal.ObjectNotAccepted), "%s is sealed: %q", name, what(made))
	}
}

// TestNotAccepted: an object with a fault in the ledger is not sealed, even with the bytes
// that the ledger has.
func TestNotAccepted(t *testing.T) {
	known := small.known()
	known[2].Wrong = "altered"
	file, _, r := sealing(t, must.WriteFiles(t, t.TempDir(), small), known)
	check.That(t, file == nil && len(r.Findings) == 1 &&
		r.Verdict == outcome.Rejected, "%q", what(r))
}

// TestLedger: a ledger without the sealed run has another history, which accuses no one. One that has
// it, and in it other objects than the seal, contradicts the seal.
func TestLedger(t *testing.T) {
	file, _, _ := sealing(t, must.WriteFiles(t, t.TempDir(), small), small.known())
	s, _ := seal.Parse(file)
	st := s.Statement
	one := func(name string, objects, octets int64) ledger.Run {
		return ledger.Run{Digest: sha256.Sum256([]byte(name)), Record: record.Record{Objects: objects, Octets: octets}}
	}
	before, after := one("before", 1, 1), one("after", st.Objects+1, st.Octets+1)
	sealed := one("run", st.Objects, st.Octets)
	for name, c := range map[string]struct {
		runs []ledger.Run
		want outcome.Class
		code string
	}{
		"newest":        {[]ledger.Run{before, sealed}, outcome.Verified, ""},
		"older":         {[]ledger.Run{sealed, after}, outcome.Verified, ""},
		"an older copy": {[]ledger.Run{before}, outcome.Inconclusive, "history.another "},
		"another":       {[]ledger.Run{before, after}, outcome.Inconclusive, "history.another "},
		"empty":         {nil, outcome.Inconclusive, "history.another "},
		"other objects": {[]ledger.Run{one("run", st.Objects+1, st.Octets)}, outcome.Rejected, "history.contradiction "},
		"other octets":  {[]ledger.Run{one("run", st.Objects, st.Octets-1)}, outcome.Rejected, "history.contradiction "},
	} {
		r := verify(t, file, seal.Against{Runs: func(yield func(ledger.Run, error) bool) {
			for _, one := range c.runs {
				if !yield(one, nil) {
					return
				}
			}
		}})
		check.That(t, r.Verdict == c.want && strings.Join(what(r), ",") == c.code, "%s: %s %q", name, r.Verdict, what(r))
	}
	r := verify(t, file, seal.Against{Runs: func(yield func(ledger.Run, error) bool) {
		yield(ledger.Run{}, &ledger.AlteredError{Detail: "a row"})
	}})
	check.That(t, r.Verdict == outcome.Rejected && r.Findings[0].Code == seal.LedgerAltered, "altered: %q", what(r))
}

// TestUnreadable: a link is no object, and leaves the verdict open.
func TestUnreadable(t *testing.T) {
	dir := must.WriteFiles(t, t.TempDir(), small)
	file, leaves, _ := sealing(t, dir, small.known())
	must.Do(t, os.Remove(filepath.Join(dir, "a.json")))
	must.Do(t, os.Symlink("b/c.json", filepath.Join(dir, "a.json")))
	r := verify(t, file, seal.Against{Leaves: bytes.NewReader(leaves), Archive: open(t, dir)})
	check.That(t, r.Verdict == outcome.Unreadable && slices.Equal(what(r), []string{"object.unreadable a.json"}),
		"%s %q", r.Verdict, what(r))
}

// TestUnlisted: nothing is known of objects below a folder that cannot be listed, so they are
// not missing.
func TestUnlisted(t *testing.T) {
	deep := strings.Repeat("d/", 220) + "end"
	s := newSealed(t, archive{"a": "one", deep: "two", "z": "three"}).sign(t, key(t, 1))
	dir := must.WriteFiles(t, t.TempDir(), archive{"a": "one", deep: "two", "z": "three"})
	r := verify(t, []byte(s.file(t)), seal.Against{Leaves: strings.NewReader(s.list(t)), Archive: open(t, dir)})
	check.That(t, r.Verdict == outcome.Unreadable && len(r.Findings) == 1 && r.Findings[0].Code == seal.ObjectUnreadable,
		"%s %q", r.Verdict, what(r))
	dir = must.WriteFiles(t, t.TempDir(), archive{"a": "one", deep: "two"})
	r = verify(t, []byte(s.file(t)), seal.Against{Leaves: strings.NewReader(s.list(t)), Archive: open(t, dir)})
	check.That(t, r.Verdict == outcome.Rejected && r.Findings[1].Path == "z", "%s %q", r.Verdict, what(r))
}

// TestManyFindings: all are counted, and some are listed.
func TestManyFindings(t *testing.T) {
	files := archive{}
	for i := range 1203 {
		files[fmt.Sprintf("%04d", i)] = ""
	}
	s := newSealed(t, files).sign(t, key(t, 1))
	dir := must.WriteFiles(t, t.TempDir(), archive{"0000": ""})
	r := verify(t, []byte(s.file(t)), seal.Against{Leaves: strings.NewReader(s.list(t)), Archive: open(t, dir)})
	check.That(t, len(r.Findings) == 1000 && r.More == 202 && r.Verdict == outcome.Rejected, "%d findings and %d more",
		len(r.Findings), r.More)
}
