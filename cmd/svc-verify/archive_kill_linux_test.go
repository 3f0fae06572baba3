//go:build heavy

package main

import (
	"bytes"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/svc-edge/svc-verify/archive/ledger"
	"github.com/svc-edge/svc-verify/archive/run"
	"github.com/svc-edge/svc-verify/harness/archives"
	"github.com/svc-edge/svc-verify/harness/chance"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

var kills = flag.Int("kills", 25, "how `often` TestKill kills a check of an archive")

const (
	smallObjects = 2900 // in the archive of TestKill, in addition to its bundles
	bundles      = 100
	mostBatch    = 1000 // objects that a transaction of the ledger has at most
	inFlight     = 160  // objects that two workers opened, and that wait for a batch
	mostInARow   = 4    // kills before a check is left alone
)

// crowd writes an archive of some thousand small files, and of some bundles.
func crowd(t *testing.T) kept {
	t.Helper()
	k := keep(t, 0)
	stream := chance.New(2).Stream("crowd")
	for i := range smallObjects {
		k.tree[fmt.Sprintf("%02d/note-%04d.txt", i%30, i)] = archives.File{Octets: fmt.Appendf(nil, "note %d\n", i),
			Modified: time.Unix(1_800_000_000, 0)}
	}
	for i, f := range slices.Collect(maps.Values(pool().Quiet(stream, bundles))) {
		f.Octets = append(bytes.Clone(f.Octets), bytes.Repeat([]byte("\n"), i)...) // each has bytes of its own
		k.tree[fmt.Sprintf("%02d/svc-evidence-%04d.json", i%30, i)] = f
	}
	must.Do(t, k.tree.Write(k.dir, nil))
	return k
}

// TestKill kills checks at random moments. The ledger can be opened after each kill, at most
// one batch of work is lost, and a check that continues has the same result as an undisturbed
// one.
//
//	go test ./cmd/svc-verify -run TestKill$ -kills 1000 -timeout 2h
func TestKill(t *testing.T) {
	seed := chance.Drawn()
	t.Logf("RAPID_SEED=%d", seed)
	k := crowd(t)
	at := []string{"--at", "2027-01-02T03:04:05Z", "--jobs", "2"}
	started := time.Now()
	out, err := k.start(at...).CombinedOutput()
	must.That(t, err == nil, "%v\n%s", err, out)
	lasts := time.Since(started)
	want, runs := k.rows(t)
	must.That(t, len(want) == len(k.tree) && len(runs) == 1,
		"%d rows and %d runs, want %d and 1", len(want), len(runs), len(k.tree))
	killer := &killer{kept: k, Rand: rand.New(rand.NewPCG(seed, 0)), opens: watchOpens(t, k.dir), lasts: lasts, at: at,
		root: runs[0].Root}
	for killer.killed < *kills {
		killer.round(t, want)
	}
	t.Logf("%d kills in %d rounds, %d of them between the first object and the record; one cost %d objects at most",
		killer.killed, killer.rounds, killer.inside, killer.mostLost)
}

// killer kills checks of an archive.
type killer struct {
	kept
	*rand.Rand
	opens *opens
	lasts time.Duration // the time of an undisturbed check
	at    []string
	root  run.Digest // of the objects after such a check

	killed, rounds, inside, mostLost int
}

// found is the content of a ledger at a moment.
type found struct {
	rows map[string]ledger.Object
	runs []run.Record
}

// inRun is how many objects were read in the run that a check begins, or continues.
func (f found) inRun(number int) (n int) {
	for _, row := range f.rows {
		if row.ReadIn == int64(number) {
			n++
		}
	}
	return n
}

// round kills checks of a new ledger, some in a row, and lets the last one end.
func (k *killer) round(t *testing.T, want map[string]ledger.Object) {
	t.Helper()
	k.rounds++
	for _, suffix := range []string{"", "-wal", "-shm", "-journal"} {
		os.Remove(k.ledger + suffix) // if it exists
	}
	var before found
	for range 1 + k.IntN(mostInARow) {
		before = k.kill(t, before)
	}
	k.opens.forget(t)
	out, err := k.start(k.at...).CombinedOutput()
	must.That(t, err == nil, "going on: %v\n%s", err, out)
	n, left := k.opens.take(t), len(want)-before.inRun(len(before.runs)+1)
	check.That(t, n == left, "going on opens %d objects, though %d are left", n, left)
	rows, runs := k.rows(t)
	for path, row := range want {
		got := rows[path]
		must.That(t, got.SHA256 == row.SHA256 && got.ReadAt == row.ReadAt &&
			got.Judgement.Verdict == row.Judgement.Verdict && got.Wrong == "", "%s: %+v, want %+v", path, got, row)
	}
	if newest := runs[len(runs)-1]; len(rows) != len(want) || newest.Root != k.root || !newest.Whole {
		t.Errorf("%d rows, want %d; root %x, want %x; whole %v", len(rows), len(want), newest.Root, k.root, newest.Whole)
	}
	whole(t, runs)
}

// kill kills one check, and returns the content of the ledger at that time.
func (k *killer) kill(t *testing.T, before found) found {
	t.Helper()
	k.opens.forget(t)
	c := k.start(k.at...)
	must.Do(t, c.Start())
	if k.IntN(2) == 0 {
		time.Sleep(time.Duration(k.Float64() * 1.2 * float64(k.lasts)))
	} else {
		for most, deadline := k.IntN(smallObjects), time.Now().Add(2*k.lasts); k.opens.take(t) < most &&
			time.Now().Before(deadline); {
			time.Sleep(100 * time.Microsecond)
		}
	}
	must.Do(t, c.Process.Kill())
	c.Wait() // it was killed, or had ended
	k.killed++
	if _, err := os.Stat(k.ledger); err != nil {
		return before
	}
	var after found
	after.rows, after.runs = k.rows(t)
	whole(t, after.runs)
	for path, row := range before.rows {
		if got, ok := after.rows[path]; !ok || got.SHA256 != row.SHA256 || got.ReadIn < row.ReadIn {
			t.Errorf("%s was read before the kill, and is not known after it", path)
		}
	}
	number := len(before.runs) + 1
	opened, kept := k.opens.take(t), after.inRun(number)-before.inRun(number)
	if opened > 0 && len(after.runs) == len(before.runs) {
		k.inside++
		k.mostLost = max(k.mostLost, opened-kept)
	}
	check.That(t, opened-kept <= mostBatch+inFlight,
		"%d objects were opened, and %d of them are in the ledger", opened, kept)
	return after
}

// whole wants the runs to be a chain.
func whole(t *testing.T, runs []run.Record) {
	t.Helper()
	previous := run.Digest{}
	for i, r := range runs {
		must.That(t, r.Number == int64(i+1) && r.Previous == previous,
			"run %d is number %d, after %x, want %x", i+1, r.Number, r.Previous, previous)
		previous = r.Digest()
	}
}
