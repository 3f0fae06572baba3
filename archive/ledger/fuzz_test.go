package ledger_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/svc-edge/svc-verify/archive/ledger"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// FuzzDamaged: whatever the pages of a ledger contain, opening and reading it ends, and a
// ledger that is reported as our own contains exactly our writes.
func FuzzDamaged(f *testing.F) {
	path := made(f, 60)
	whole := must.Get(os.ReadFile(path))(f)
	for at := range len(whole) / 4096 {
		f.Add(uint32(at*4096), []byte{5, 0, 0}, uint32(0))
		f.Add(uint32(at*4096+8), []byte{0x0e, 0xff, 1}, uint32(at*4096+100))
	}
	f.Add(uint32(24), []byte{0, 0, 0, 9}, uint32(0))
	want := objectsOf(f, read(f, path, ours))
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, at uint32, change []byte, other uint32) {
		damaged := bytes.Clone(whole)
		copy(damaged[int(at)%len(damaged):], change)
		copy(damaged[int(other)%len(damaged):], change[:len(change)/2])
		path := filepath.Join(dir, "damaged.ledger")
		must.Do(t, os.WriteFile(path, damaged, 0o600))
		for _, secret := range []ledger.Secret{ours, others} {
			l, err := ledger.Open(t.Context(), path, secret)
			if err != nil {
				continue
			}
			_, digest := l.Newest()
			_, _ = l.Expect(t.Context(), digest)
			for _, err := range l.Changes(t.Context(), 1) {
				_ = err
			}
			got := map[string]ledger.Object{}
			for o, err := range l.Objects(t.Context()) {
				if err != nil {
					got = nil
					break
				}
				got[o.Path] = *o
			}
			if l.Standing() == ledger.Own && got != nil {
				diff := cmp.Diff(want, got)
				check.That(t, diff == "", "a damaged ledger is our own: %s", diff)
			}
			must.Do(t, l.Close())
		}
	})
}

func objectsOf(t testing.TB, l *ledger.Ledger) map[string]ledger.Object {
	t.Helper()
	all := map[string]ledger.Object{}
	for o, err := range l.Objects(t.Context()) {
		must.Do(t, err)
		all[o.Path] = *o
	}
	return all
}
