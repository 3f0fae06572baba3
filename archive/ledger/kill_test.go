package ledger_test

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/svc-edge/svc-verify/archive/ledger"
	"github.com/svc-edge/svc-verify/archive/run"
	"github.com/svc-edge/svc-verify/harness/chance"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// The writer that is killed gets the path of its ledger by this variable.
const victim = "SVC_VERIFY_TEST_LEDGER"

// perBatch is how many objects the victim writes between two commits.
const perBatch = 10

// TestVictim writes objects and ends runs for ever, and prints the number of committed
// objects.
func TestVictim(t *testing.T) {
	path := os.Getenv(victim)
	if path == "" {
		return // it is no victim
	}
	w := must.Get(ledger.OpenWrite(t.Context(), path, ours))(t)
	must.Do(t, w.Begin(1))
	for {
		for range perBatch {
			o := nth(int(w.Len()))
			must.Do(t, w.Put(&o))
			must.Do(t, w.Note(&run.Change{Path: o.Path, Class: "added", After: o.State()}))
		}
		if w.Len()%70 == 0 {
			must.Get(w.AppendRun(t.Context(), record()))(t)
			must.Do(t, w.Begin(1))
		}
		must.Do(t, w.Commit())
		fmt.Println(w.Len())
	}
}

// TestKilled: a writer that is killed leaves a ledger that opens, with all that it
// committed and with whole batches; objects and changes are in step, and the runs are
// a chain.
func TestKilled(t *testing.T) {
	path := filepath.Join(t.TempDir(), "archive.ledger")
	done := int64(0)
	random := rand.New(rand.NewPCG(1, 2))
	kills := chance.Sized(12, 5)
	for range kills {
		committed := kill(t, path, random.IntN(20), time.Duration(random.Int64N(int64(5*time.Millisecond))))
		l := read(t, path, ours)
		must.That(t, l.Standing() == ledger.Own && l.Len() >= committed && l.Len()%perBatch == 0,
			"standing %v, %v: %d objects, and %d were committed", l.Standing(), l.Fault(), l.Len(), committed)
		changes, last, runs := int64(0), int64(0), int64(0)
		for r, err := range l.Runs(t.Context()) {
			must.Do(t, err)
			runs, last = runs+1, r.Objects
		}
		for n := int64(1); n <= runs+1; n++ {
			for _, err := range l.Changes(t.Context(), n) {
				must.Do(t, err)
				changes++
			}
		}
		must.That(t, changes == l.Len() && last <= l.Len(), "%d objects, %d changes, %d runs with %d objects", l.Len(),
			changes, runs, last)
		done = runs
		must.That(t, l.Close() == nil, "the ledger does not close")
	}
	check.That(t, done >= 2, "%d runs have a record", done)
}

// kill starts a victim and kills it after so many commits and one more, and a delay: on
// a slow machine, too, the victims together get far enough to end runs. It returns how
// many objects it said that it committed.
func kill(t *testing.T, path string, commits int, delay time.Duration) (committed int64) {
	t.Helper()
	c := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestVictim$")
	c.Env = append(os.Environ(), victim+"="+path)
	out := must.Get(c.StdoutPipe())(t)
	must.Do(t, c.Start())
	lines := bufio.NewScanner(out)
	for n := 0; lines.Scan(); n++ {
		_, err := fmt.Sscan(lines.Text(), &committed)
		check.That(t, err == nil, "%v %v", lines.Text(), err)
		if n == commits {
			time.AfterFunc(delay, func() { _ = c.Process.Kill() })
		}
	}
	err := c.Wait()
	check.That(t, err != nil && committed != 0, "the victim was not killed: %v, %d", err, committed)
	return committed
}
