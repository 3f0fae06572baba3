package ledger_test

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/svc-edge/svc-verify/archive/ledger"
	"github.com/svc-edge/svc-verify/archive/object"
	"github.com/svc-edge/svc-verify/archive/run"
	"github.com/svc-edge/svc-verify/harness/chance"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/outcome"
	"github.com/svc-edge/svc-verify/trust"
	"github.com/svc-edge/svc-verify/verify"
)

var ours, others = ledger.Secret{1}, ledger.Secret{2}

// put returns the nth object of the tests.
func nth(n int) ledger.Object {
	proof := object.Proof{CheckpointSequence: uint64(n), About: verify.About{
		TenantID: "acme", TransactionID: fmt.Sprint("tx-", n), Status: "issued", CertificateSerial: "01",
		Standing: verify.Standing{CertificateNames: []string{"dns:a.example"}, AsOf: "2026-01-02T03:04:05.000Z",
			NotBefore: "2026-01-02T03:04:05.000Z", NotAfter: "2026-02-02T03:04:05.000Z", Freshness: verify.NoAge}}}
	return ledger.Object{
		Path: fmt.Sprintf("2026/%03d/tx-%d.json", n%7, n), Size: int64(1000 + n),
		SHA256: sha256.Sum256(fmt.Append(nil, n)), Modified: 1_700_000_000_000_000_000,
		AddedIn: 1, ReadIn: 1, ReadAt: 1_700_000_000_000, VerifiedIn: 1, VerifiedAt: 1_700_000_000_000,
		Context: object.Context{Trust: [32]byte{7}, Policy: [32]byte{8}, Rules: "1"},
		Judgement: object.Judgement{Kind: object.Bundle, Verdict: outcome.Verified, Facts: object.Facts{
			Proof: proof, Witnesses: 3, Approvals: 2, Generations: []int64{1, 2},
			Keys: []object.KeyRef{{Role: trust.Audit, ID: "audit/1"}, {Role: trust.Node, ID: fmt.Sprint("node/", n%5)}},
		}},
	}
}

// record returns the record of a run.
func record() run.Record {
	return run.Record{Began: 1_700_000_000_000, Ended: 1_700_000_001_000, Tool: "svc-verify test", Rules: "1",
		Trust: run.Digest{7}, Counts: map[string]int64{"added": 10}, Whole: true}
}

// made makes a ledger of n objects with one run.
func made(t testing.TB, n int) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "archive.ledger")
	write(t, path, func(w *ledger.Writer) {
		must.Do(t, w.Begin(1_700_000_000_000))
		for i := range n {
			o := nth(i)
			must.Do(t, w.Put(&o))
			must.Do(t, w.Note(&run.Change{Path: o.Path, Class: "added", After: o.State()}))
		}
		must.Get(w.AppendRun(t.Context(), record()))(t)
	})
	return path
}

func write(t testing.TB, path string, f func(*ledger.Writer)) {
	t.Helper()
	w := must.Get(ledger.OpenWrite(t.Context(), path, ours))(t)
	f(w)
	must.Do(t, w.Close())
}

func read(t testing.TB, path string, secret ledger.Secret) *ledger.Ledger {
	t.Helper()
	l := must.Get(ledger.Open(t.Context(), path, secret))(t)
	t.Cleanup(func() { l.Close() })
	return l
}

// TestBack: written objects are read back, in byte order of their paths.
func TestBack(t *testing.T) {
	l := read(t, made(t, 2000), ours)
	must.That(t, l.Standing() == ledger.Own && l.Len() == 2000 && l.Interrupted() == 0, "standing %v, %v, %d objects",
		l.Standing(), l.Fault(), l.Len())
	want := map[string]ledger.Object{}
	for i := range 2000 {
		want[nth(i).Path] = nth(i)
	}
	last := ""
	for o, err := range l.Objects(t.Context()) {
		must.Do(t, err)
		diff := cmp.Diff(want[o.Path], *o)
		must.That(t, diff == "" && o.Path > last, "%s after %s: %s", o.Path, last, diff)
		last = o.Path
		delete(want, o.Path)
	}
	check.That(t, len(want) == 0, "%d objects were not read", len(want))
	n, digest := l.Newest()
	e, err := l.Expect(t.Context(), digest)
	check.That(t, n == 1 && err == nil && e == (ledger.Expectation{Run: 1, Newest: true, Fits: true}), "%d, %+v, %v", n,
		e, err)
	changes := 0
	for c, err := range l.Changes(t.Context(), 1) {
		must.Do(t, err)
		must.That(t, c.Class == "added" && c.After != nil && c.Before == nil, "%+v", c)
		changes++
	}
	check.That(t, changes == 2000, "%d changes", changes)
}

// TestOneWriter: two checks on one ledger exclude each other.
func TestOneWriter(t *testing.T) {
	path := made(t, 1)
	write(t, path, func(*ledger.Writer) {
		_, err := ledger.OpenWrite(t.Context(), path, ours)
		check.That(t, errors.Is(err, ledger.ErrBusy), "a second writer: %v", err)
		read(t, path, ours)
	})
}

// TestForeign: of another user's ledger no verdict can be used, and nothing is
// written to it before it is adopted.
func TestForeign(t *testing.T) {
	path := made(t, 700)
	w := must.Get(ledger.OpenWrite(t.Context(), path, others))(t)
	must.That(t, w.Standing() == ledger.Foreign, "%v %v", w.Standing(), w.Fault())
	o, found, err := w.Object(nth(3).Path)
	check.That(t, err == nil && found && o.Context == (object.Context{}) && o.SHA256 == nth(3).SHA256, "%+v, %t, %v", o,
		found, err)
	check.Is(t, w.Put(&o), ledger.ErrNotOwn, "written")
	_, digest := w.Newest()
	if e, err := w.Expect(t.Context(), digest); err != nil || !e.Newest || !e.Fits {
		t.Errorf("%+v, %v", e, err)
	}
	must.Do(t, w.Adopt(t.Context()))
	must.Do(t, w.Put(&o))
	must.Do(t, w.Commit())
	must.Do(t, w.Close())
	l := read(t, path, others)
	check.That(t, l.Standing() == ledger.Own && l.Len() == 700, "%v %v %v", l.Standing(), l.Fault(), l.Len())
	l = read(t, path, ours)
	check.That(t, l.Standing() == ledger.Foreign, "who made it did not adopt it again %v", l.Standing())
}

// TestAccept: a digest that is not the object's accepts nothing.
func TestAccept(t *testing.T) {
	path := made(t, 4)
	by := run.Acceptance{At: 1_700_000_002_000, By: "Ann", Reason: "restored from tape 7"}
	found := ledger.Found{Size: 5, SHA256: [32]byte{5}, ReadIn: 2, ReadAt: 1_700_000_002_000,
		Judgement: object.Judgement{Kind: object.Bundle, Verdict: outcome.Rejected, Code: "json.syntax"}}
	write(t, path, func(w *ledger.Writer) {
		for i, wrong := range []string{ledger.Altered, ledger.Missing, ledger.Unreadable, ""} {
			o := nth(i)
			if o.Wrong = wrong; wrong == ledger.Altered {
				o.Found = found
			}
			must.Do(t, w.Put(&o))
		}
		for i, digest := range [][32]byte{nth(0).SHA256, {9}, nth(2).SHA256, nth(3).SHA256} {
			check.That(t, check.Err(w.Accept(nth(i).Path, digest, by)) != nil, "object %d was accepted", i)
		}
		c, err := w.Accept(nth(0).Path, found.SHA256, by)
		check.That(t, err == nil && c.After != nil && c.After.SHA256 == found.SHA256 && c.Before.Wrong == ledger.Altered,
			"%+v, %v", c, err)
		if c, err := w.Accept(nth(1).Path, nth(1).SHA256, by); err != nil || c.After != nil {
			t.Errorf("%+v, %v", c, err)
		}
	})
	l := read(t, path, ours)
	check.That(t, filepath.Base(l.Path()) == filepath.Base(path), "the path of %s is %s", path, l.Path())
	o, _, err := l.Object(nth(0).Path)
	check.That(t, err == nil && o.Accepted && o.Wrong == "" && o.SHA256 == found.SHA256 &&
		o.Judgement.Verdict == outcome.Rejected, "%+v, %v", o, err)
	if _, found, err := l.Object(nth(1).Path); found || err != nil {
		t.Errorf("what was missing is still there, %v", err)
	}
	lines := 0
	for c, err := range l.Changes(t.Context(), 2) {
		lines++
		check.That(t, err == nil && bytes.Contains(c.Line(), []byte("tape 7")), "%s, %v", c.Line(), err)
	}
	check.That(t, lines == 2 && l.Standing() == ledger.Own, "%d changes, %v", lines, l.Fault())
}

// TestMain does fewer checks of each property, and fewer still with -short: each waits
// for the disk whenever a ledger is closed.
func TestMain(m *testing.M) {
	flag.Parse()
	chance.Checks(chance.Sized(50, 15))
	os.Exit(m.Run())
}
