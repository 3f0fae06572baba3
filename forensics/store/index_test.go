package store

import (
	"errors"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/chain/event"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/part"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/internal/sqlite"
	"github.com/svc-edge/svc-verify/internal/tasks"
)

// TestAlike: any number of small runs become few, and their content is written again only a
// few times, both where each run follows the one before and where each overlaps it. Runs that
// are large already are left alone.
func TestAlike(t *testing.T) {
	const octets, many = 10 << 10, 3000
	for name, overlap := range map[string]uint64{"behind each other": 0, "overlapping": 5} {
		t.Run(name, func(t *testing.T) {
			x, again := newIndex(), 0
			x.logs[1] = facts.Log{LogID: "node/a"}
			put := func(run int64, first, last uint64, size int) {
				x.addFrame(run, 1, part.RowFrame{Kind: part.Copies, First: first, Last: last, Size: size})
			}
			next := int64(1)
			for i := range uint64(many) {
				put(next, i*10+1-min(overlap, i), i*10+10, octets)
				next++
				for runs := x.alike(); len(runs) > 1; runs = x.alike() {
					size, first, last := 0, ^uint64(0), uint64(0)
					for _, run := range runs {
						f := x.runs[run].frames[1][0]
						size, first, last = size+x.runs[run].octets, min(first, f.First), max(last, f.Last)
						x.removeRun(run)
					}
					put(next, first, last, size)
					next, again = next+1, again+size
				}
			}
			if n := len(x.runs); n > 40 || again > 8*many*octets {
				t.Errorf("%d runs, %s", n, fmt.Sprintf("each octet was written again %d times", again/(many*octets)))
			}
		})
	}
}

// TestUpToMuchLarger: of runs that overlap those are merged that are of like size. A small one
// does not have a large one written again.
func TestUpToMuchLarger(t *testing.T) {
	for _, tt := range []struct {
		octets []int
		want   int
	}{
		{nil, 0},
		{[]int{5 << 20}, 1},
		{[]int{5 << 20, 5 << 20}, 2},
		{[]int{1 << 20, 5 << 20, 9 << 20}, 3},
		{[]int{1 << 10, 5 << 20}, 1},
		{[]int{1 << 10, 1 << 10, 5 << 20, 6 << 20}, 2},
	} {
		x := newIndex()
		x.logs[1] = facts.Log{LogID: "node/a"}
		for i, octets := range tt.octets {
			x.addFrame(int64(i+1), 1, part.RowFrame{Kind: part.Copies, First: 1, Last: 9, Size: octets})
		}
		got := x.upToMuchLarger(x.allRuns())
		check.That(t, len(got) == tt.want, "%v: %v, want %d", tt.octets, got, tt.want)
	}
}

// A fault of the program while events are judged is an error of the store, and every worker
// continues until it is stopped.
func TestFaultOfJudges(t *testing.T) {
	j := newJudges(nil, 2) // there is a trust file
	for range 5 * enough {
		j.judgeEvent(facts.Log{LogID: "node/a"}, &event.Header{}, nil)
	}
	err := j.waitForAll()
	check.That(t, errors.As(err, new(*tasks.Panic)), "%v", err)
	j.endWorkers()
}

// TestNewestWalk: the newest walk counts, under whatever trust file.
func TestNewestWalk(t *testing.T) {
	w := newWriterAs(t, 1)
	defer w.Close()
	_, ok, err := w.Kept().NewestWalk(t.Context())
	check.That(t, !ok && err == nil, "a walk in an empty case: %v", err)
	for i, verdict := range []string{"verified", "rejected", "inconclusive"} {
		must.Get(w.KeepWalk(Walk{TrustSHA256: chain.Hash{byte(i % 2)}, Verdict: verdict, Result: []byte("{}")},
			nil))(t)
		got, ok, err := w.Kept().NewestWalk(t.Context())
		check.That(t, ok && err == nil && got.Verdict == verdict && got.TrustSHA256[0] == byte(i%2),
			"%+v, %t, %v, want %s", got, ok, err, verdict)
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
