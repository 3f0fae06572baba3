package archive_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/svc-edge/svc-verify/archive"
	"github.com/svc-edge/svc-verify/archive/ledger"
	"github.com/svc-edge/svc-verify/archive/object"
	"github.com/svc-edge/svc-verify/archive/run"
	"github.com/svc-edge/svc-verify/harness"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/outcome"
	"github.com/svc-edge/svc-verify/trust"
	"github.com/svc-edge/svc-verify/verify"
)

// revoked has the bundles and the trust file of these tests.
var revoked = sync.OnceValue(func() *harness.Scene {
	return must.Have(harness.Build("revoked", 1, harness.Options{}))
})

// bench is an archive with its ledger, and two bundles that verify under its trust
// file.
type bench struct {
	t           *testing.T
	dir, ledger string
	one, other  []byte
	root        *trust.Root
	secret      ledger.Secret
	o           archive.Options
}

// first is when the first check of a bench begins.
var first = time.Date(2026, 5, 1, 9, 0, 0, 0, time.UTC)

func newBench(t *testing.T) *bench {
	t.Helper()
	scene := revoked()
	root := must.Get(trust.Parse(seal.Canonical(scene.Trust)))(t)
	b := &bench{t: t, dir: t.TempDir(), ledger: filepath.Join(t.TempDir(), "ledger.db"), root: root,
		one: seal.Canonical(scene.Exports[0].Bundle), other: seal.Canonical(scene.Exports[2].Bundle),
		secret: ledger.Secret{1}}
	b.o = archive.Options{Dir: b.dir, Tool: "svc-verify test", At: first, Fixed: true, Workers: 2, Records: true}
	return b
}

// write puts a file into the archive.
func (b *bench) write(path string, octets []byte) {
	b.t.Helper()
	must.WriteFile(b.t, filepath.Join(b.dir, filepath.FromSlash(path)), octets)
}

func (b *bench) remove(path string) {
	b.t.Helper()
	must.Do(b.t, os.RemoveAll(filepath.Join(b.dir, path)))
}

// check checks the archive a day later than before.
func (b *bench) check(change ...func(*archive.Options)) *archive.Result {
	b.t.Helper()
	return b.checkUntil(context.Background(), change...)
}

func (b *bench) checkUntil(ctx context.Context, change ...func(*archive.Options)) *archive.Result {
	b.t.Helper()
	o := b.o
	b.o.At = b.o.At.Add(24 * time.Hour)
	o.Judge = object.NewJudge(object.Options{Root: b.root, TempDir: b.t.TempDir(), Workers: 1})
	for _, f := range change {
		f(&o)
	}
	w := must.Get(ledger.OpenWrite(context.Background(), b.ledger, b.secret))(b.t)
	defer w.Close()
	r := must.Get(archive.Check(ctx, w, o))(b.t)
	b.t.Cleanup(func() { r.Close() })
	addUp(b.t, &r.Counts)
	return r
}

// classes are the classes of all objects of a result, by their paths.
func classes(t *testing.T, r *archive.Result) map[string]archive.Class {
	t.Helper()
	all, before := map[string]archive.Class{}, ""
	for record, err := range r.Records() {
		path, ok := object.ParsePath(record.Path)
		must.That(t, err == nil && ok && path > before, "%q after %q, %v", path, before, err)
		before, all[record.Path] = path, record.Class
	}
	return all
}

// want compares the class of one object, and the verdict of the run.
func want(t *testing.T, r *archive.Result, path string, class archive.Class, verdict outcome.Class) *archive.Record {
	t.Helper()
	if got := classes(t, r)[path]; got != class || r.Verdict != verdict {
		t.Errorf("%s is %q in a run that is %s, want %s and %s: %+v", path, got, r.Verdict, class, verdict, r.Objects)
	}
	for record := range r.Records() {
		if record.Path == path {
			return &record
		}
	}
	return &archive.Record{}
}

// accept accepts an object as it is.
func (b *bench) accept(path string, octets []byte) {
	b.t.Helper()
	w := must.Get(ledger.OpenWrite(context.Background(), b.ledger, b.secret))(b.t)
	_, err := w.Accept(path, sha256.Sum256(octets), run.Acceptance{At: b.o.At.UnixMilli(), By: "a", Reason: "b"})
	must.Do(b.t, err, w.Close())
}

// TestLost: an object that lost its verdict stays so, however often it is read, until its
// owner accepts that. Inconclusive objects can be accepted too.
func TestLost(t *testing.T) {
	b := newBench(t)
	b.write("1.json", b.one)
	b.write("2.json", b.other)
	want(t, b.check(), "1.json", archive.Added, outcome.Verified)
	tenant := func(o *archive.Options) {
		o.Judge = object.NewJudge(object.Options{Root: b.root, TempDir: t.TempDir(), Workers: 1,
			Policy: verify.Policy{TenantID: "someone-else"}})
	}
	r := b.check(tenant)
	want(t, r, "1.json", archive.VerdictChanged, outcome.Rejected)
	r = b.check(tenant)
	record := want(t, r, "1.json", archive.Intact, outcome.Rejected)
	check.That(t, record.Code == "archive.verdict-lost" && r.Counts.Lost == 2, "%+v, %d lost", record, r.Counts.Lost)
	r = b.check(tenant, func(o *archive.Options) { o.Budget, o.Elapsed = 1, func() time.Duration { return 2 } })
	want(t, r, "1.json", archive.Unread, outcome.Rejected)
	check.That(t, r.Counts.Lost == 2, "%d lost of those that were not read", r.Counts.Lost)
	b.accept("1.json", b.one)
	b.accept("2.json", b.other)
	r = b.check(tenant)
	want(t, r, "1.json", archive.Intact, outcome.Verified)
	check.That(t, r.Counts.Lost == 0 && r.Counts.Accepted == 2, "accepted: %+v", r.Counts)
	want(t, b.check(), "1.json", archive.VerdictChanged, outcome.Verified)
	want(t, b.check(tenant), "1.json", archive.VerdictChanged, outcome.Rejected)
	want(t, b.check(), "1.json", archive.VerdictChanged, outcome.Verified)

	b.write("empty", nil)
	want(t, b.check(), "empty", archive.Added, outcome.Inconclusive)
	want(t, b.check(), "empty", archive.Intact, outcome.Inconclusive)
	b.accept("empty", nil)
	r = b.check()
	check.That(t, r.Counts.Tolerated == 1 && r.Counts.Inconclusive == 1, "accepted: %+v", r.Counts)
	want(t, r, "empty", archive.Intact, outcome.Verified)
}

// TestGone: an archive that is empty, absent or mostly gone is one finding, and
// changes nothing; one whose objects all moved is not gone.
func TestGone(t *testing.T) {
	b := newBench(t)
	for _, name := range []string{"1", "2", "3", "4"} {
		b.write("a/"+name, []byte(name))
	}
	b.write("a/1", b.one)
	newest := b.check().Run.Digest
	gone := func(dir string) {
		t.Helper()
		r := b.check(func(o *archive.Options) { o.Dir = dir })
		check.That(t, r.Verdict == outcome.Rejected && len(r.Findings) == 1 && r.Findings[0].Code == "archive.gone" &&
			r.Run == nil && r.Ledger.Newest == newest && r.Counts.Objects == 0, "%s: %+v", dir, r)
	}
	gone(t.TempDir())
	gone(filepath.Join(t.TempDir(), "absent"))
	must.Do(t, os.Rename(filepath.Join(b.dir, "a"), filepath.Join(b.dir, "b")))
	r := b.check()
	check.That(t, r.Counts.Classes[archive.Moved] == 4 && r.Verdict == outcome.Verified, "all objects moved: %+v",
		r.Counts)
	newest = r.Run.Digest
	for _, name := range []string{"1", "2", "3"} {
		b.remove("b/" + name)
	}
	b.write("c", b.one)
	if r = b.check(); r.Counts.Classes[archive.Missing] != 2 || r.Counts.Classes[archive.Moved] != 1 {
		t.Errorf("half of all objects are gone: %+v", r.Counts)
	}
	newest = r.Run.Digest
	b.remove("c")
	b.write("d", []byte("another"))
	r = b.check()
	check.That(t, r.Counts.Classes[archive.Missing] == 3, "half of the rest is gone: %+v", r.Counts)
}

// TestGoneBesideFound: an object that was missing before and is found again makes
// nothing else less gone.
func TestGoneBesideFound(t *testing.T) {
	for name, found := range map[string]string{"missing before": "1", "gone now": "4"} {
		b := newBench(t)
		for _, name := range []string{"1", "2", "3", "4", "5"} {
			b.write(name, []byte(name))
		}
		b.check()
		b.remove("1")
		b.check()
		for _, name := range []string{"2", "3", "4"} {
			b.remove(name)
		}
		b.write("new", []byte(found))
		r := b.check()
		if gone := len(r.Findings) == 1 && r.Findings[0].Code == "archive.gone"; gone != (name == "missing before") {
			t.Errorf("%s: three of four are gone, and one is found: %+v", name, r.Findings)
		}
	}
}

// TestLedgers: another user's ledger is not believed, unless it is expected, and not
// written to, unless it is adopted.
func TestLedgers(t *testing.T) {
	b := newBench(t)
	b.write("1.json", b.one)
	b.write("2.json", b.other)
	newest := b.check().Run.Digest
	b.secret = ledger.Secret{2}
	b.write("1.json", bytes.Replace(b.one, []byte("allow"), []byte("allox"), 1))
	r := b.check()
	want(t, r, "1.json", archive.Added, outcome.Rejected)
	check.That(t, r.Run == nil && r.Ledger.Standing == "foreign" && r.Counts.Reused == 0, "foreign: %+v", r)
	expect := func(digest string) func(*archive.Options) {
		return func(o *archive.Options) {
			want := [sha256.Size]byte(must.Get(hex.DecodeString(digest))(t))
			o.Expect = &want
		}
	}
	r = b.check(expect(newest))
	want(t, r, "1.json", archive.Altered, outcome.Rejected)
	check.That(t, r.Run == nil && r.Counts.Reused == 0, "expected: %+v", r)
	b.write("1.json", b.one)
	want(t, b.check(expect(newest)), "1.json", archive.Intact, outcome.Inconclusive)
	r = b.check(expect(strings.Repeat("ab", 32)))
	check.That(t, r.Verdict == outcome.Inconclusive && r.Counts.Read == 0 && r.Findings[0].Code == "history.another",
		"another run: %+v", r)
	r = b.check(expect(newest), func(o *archive.Options) { o.Adopt = true })
	want(t, r, "1.json", archive.Intact, outcome.Verified)
	check.That(t, r.Run != nil && r.Ledger.Standing == "adopted" && r.Counts.Reused == 0, "adopted: %+v", r)
	r = b.check(expect(newest))
	check.That(t, r.Verdict == outcome.Verified && r.Counts.Reused == 2, "its own now: %+v", r)
}
