package store

import (
	"path/filepath"
	"testing"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/internal/sqlite"
)

// TestNewestWalk: the newest walk counts, under whatever trust file.
func TestNewestWalk(t *testing.T) {
	w := newWriterAs(t, 1)
	defer w.Close()
	if _, ok, err := w.Kept().NewestWalk(t.Context()); ok || err != nil {
		t.Errorf("a walk in an empty case: %v", err)
	}
	for i, verdict := range []string{"verified", "rejected", "inconclusive"} {
		must.Get(w.KeepWalk(Walk{TrustSHA256: chain.Hash{byte(i % 2)}, Verdict: verdict, Result: []byte("{}")},
			nil))(t)
		if got, ok, err := w.Kept().NewestWalk(t.Context()); !ok || err != nil || got.Verdict != verdict ||
			got.TrustSHA256[0] != byte(i%2) {
			t.Errorf("%+v, %t, %v, want %s", got, ok, err, verdict)
		}
	}
}

// TestTrustFileOfWalk: a case names the trust file of the newest walk under the user's key. No one
// else can make it name one: neither another user, nor an edited row, nor a row that was taken from
// another case of the same user.
func TestTrustFileOfWalk(t *testing.T) {
	walked := func(files ...TrustFile) (path string, w *Writer) {
		path = filepath.Join(t.TempDir(), "case.db")
		w = must.Get(OpenWrite(path, as(t, 1)))(t)
		for _, f := range files {
			must.Get(w.KeepWalk(Walk{TrustSHA256: f.SHA256, TrustPath: f.Path, Verdict: "verified", Result: []byte("{}")},
				nil))(t)
			must.Equal(t, must.Get(w.Kept().TrustFile())(t), f, "after a walk under %s", f.Path)
		}
		return path, w
	}
	read := func(path string, user byte) TrustFile {
		in := must.Get(OpenRead(path, as(t, user)))(t)
		defer in.Close()
		return must.Get(in.Kept().TrustFile())(t)
	}
	ours := TrustFile{"/b/trust.json", chain.Hash{2}}
	path, w := walked(TrustFile{"/a/trust.json", chain.Hash{1}}, ours)
	other, theirs := walked(TrustFile{"/c/trust.json", chain.Hash{3}})
	must.Do(t, w.conn.Each("SELECT place, value, code FROM vouched", nil, func(s *sqlite.Stmt) error {
		return theirs.conn.Run("INSERT OR IGNORE INTO vouched VALUES (?, ?, ?)", s.Blob(0), s.Blob(1), s.Blob(2))
	}))
	must.Do(t, w.Close(), theirs.Close())
	must.Equal(t, read(path, 1), ours, "the user's own case")
	must.Equal(t, read(path, 2), TrustFile{}, "another user")
	must.Equal(t, read(other, 1).Path, "/c/trust.json", "a case with rows of another one")

	w = must.Get(OpenWrite(path, as(t, 1)))(t)
	place := w.trustPlace()
	must.Do(t, w.begin(), w.conn.Run("UPDATE vouched SET value = ? WHERE place = ?", append(make([]byte, 32), "/evil"...),
		place[:]), w.Commit())
	must.Equal(t, must.Get(w.Kept().TrustFile())(t), TrustFile{}, "an edited row")
	must.Do(t, w.Close())
}
