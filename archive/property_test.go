// Package damage_test damages archives in every way, and asserts that a check finds exactly
// the damage. It has an oracle of its own for that.
package archive_test

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/svc-edge/svc-verify/archive"
	"github.com/svc-edge/svc-verify/archive/ledger"
	"github.com/svc-edge/svc-verify/archive/object"
	"github.com/svc-edge/svc-verify/archive/run"
	"github.com/svc-edge/svc-verify/harness/archives"
	"github.com/svc-edge/svc-verify/harness/chance"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/trust"
)

var number = flag.Int("archives", 50, "how `many` random archives TestDamage damages")

// evidence is the pool from which these tests make archives.
var evidence = sync.OnceValue(func() *archives.Pool { return archives.NewPool(1) })

// damaged is an archive on disk with its ledger, and its oracle.
type damaged struct {
	*archives.Pool
	*oracle
	dir, ledger string
	tree        archives.Tree // the content of dir
	now         time.Time
	judge       *object.Judge
	root        *trust.Root
}

func newDamaged(t testing.TB) *damaged {
	t.Helper()
	p := evidence()
	base := t.TempDir()
	b := &damaged{Pool: p, oracle: newOracle(), dir: filepath.Join(base, "archive"),
		ledger: filepath.Join(base, "ledger.db"), now: time.Date(2027, time.January, 1, 0, 0, 0, 0, time.UTC)}
	must.Do(t, os.Mkdir(b.dir, 0o755))
	b.believe(t, p.Trust)
	return b
}

// believe judges by another trust file from now on.
func (b *damaged) believe(t testing.TB, file []byte) {
	t.Helper()
	root := must.Get(trust.Parse(file))(t)
	b.root, b.judge = root, object.NewJudge(object.Options{Root: root, Workers: 1, TempDir: filepath.Dir(b.dir)})
}

// fill brings the archive into a state.
func (b *damaged) fill(t testing.TB, tree archives.Tree) {
	t.Helper()
	must.Do(t, tree.Write(b.dir, b.tree))
	b.tree = tree
}

// check checks the archive as the program does.
func (b *damaged) check(t testing.TB, change func(*archive.Options)) *archive.Result {
	t.Helper()
	b.now = b.now.Add(24 * time.Hour)
	w := must.Get(ledger.OpenWrite(t.Context(), b.ledger, ledger.Secret{1}))(t)
	o := archive.Options{Dir: b.dir, Judge: b.judge, Tool: "test", At: b.now, Fixed: true, Workers: 2, Records: true,
		TempDir: filepath.Dir(b.dir)}
	if change != nil {
		change(&o)
	}
	r, err := archive.Check(t.Context(), w, o)
	must.Do(t, errors.Join(err, w.Close()))
	t.Cleanup(func() { r.Close() })
	return r
}

// changedClasses returns the class of each object of a result. Rotten are the objects with
// suspected bit rot.
func changedClasses(t testing.TB, r *archive.Result) (classes map[string]archive.Class, rotten []string) {
	t.Helper()
	classes = map[string]archive.Class{}
	for record, err := range r.Records() {
		must.Do(t, err)
		path, ok := object.ParsePath(record.Path)
		_, twice := classes[path]
		must.That(t, ok && !twice, "%s is no path, or is there twice", record.Path)
		classes[path] = record.Class
		if record.BitRot {
			rotten = append(rotten, path)
		}
	}
	return classes, rotten
}

// compare asserts that a check of the present archive agrees with the oracle.
func (b *damaged) compare(t testing.TB, what string) {
	t.Helper()
	r := b.check(t, nil)
	want := b.oracle.check(t, b.tree, b.root)
	got, rotten := changedClasses(t, r)
	if want.gone {
		want.classes = got // nothing is said of objects
		must.That(t, len(r.Findings) == 1 && r.Findings[0].Code == "archive.gone" && r.Run == nil,
			"%s: the archive is gone, found %+v", what, r.Findings)
	}
	diff := cmp.Diff(want.classes, got)
	check.That(t, diff == "", "%s: %s", what, diff)
	check.That(t, slices.Equal(rotten, want.rotten), "%s: %q seem rotten, want %q", what, rotten, want.rotten)
	exit := r.Verdict.Exit()
	check.That(t, exit == want.exit, "%s: exit code %d, want %d: %+v", what, exit, want.exit, r.Counts)
	sums(t, what, &r.Counts, want.classes)
}

// sums asserts that counts agree with the classes.
func sums(t testing.TB, what string, c *archive.Counts, classes map[string]archive.Class) {
	t.Helper()
	if len(classes) == 0 {
		return
	}
	want := map[archive.Class]int64{}
	for _, class := range classes {
		want[class]++
	}
	for class, n := range c.Classes {
		check.That(t, n == want[class], "%s: %d objects are %s, want %d", what, n, class, want[class])
	}
	addUp(t, c)
}

// addUp asserts that the counts by class, verdict and kind each add up to all objects.
func addUp(t testing.TB, c *archive.Counts) {
	t.Helper()
	all := int64(0)
	for _, n := range c.Classes {
		all += n
	}
	check.That(t, all == c.Objects && c.Verified+c.Rejected+c.Inconclusive+c.NoVerdict == all &&
		c.Bundles+c.Cases+c.Logs+c.Others+c.Unknown == all, "the counts do not add up: %+v", c)
}

// acceptAll accepts all that can be.
func (b *damaged) acceptAll(t testing.TB) {
	t.Helper()
	w := must.Get(ledger.OpenWrite(t.Context(), b.ledger, ledger.Secret{1}))(t)
	for path, digest := range b.oracle.accept() {
		_, err := w.Accept(path, digest,
			run.Acceptance{At: b.now.UnixMilli(), By: "ann", Reason: "it is so"})
		check.That(t, err == nil, "%q: %v", path, err)
	}
	must.Do(t, w.Close())
}

// TestDamage damages random archives at random, and expects checks to report exactly the
// damage to each object.
//
//	go test ./archive -run TestDamage$ -archives 1000
func TestDamage(t *testing.T) {
	from, most := chance.Drawn(), *number
	if testing.Short() {
		most = min(most, 4)
	}
	did := make(chan string, 16*most)
	t.Run("each", func(t *testing.T) {
		for n := range uint64(most) {
			t.Run(fmt.Sprintf("RAPID_SEED=%d", from+n), func(t *testing.T) {
				t.Parallel() // they wait for the disk most of the time
				damage(t, chance.New(from+n).Stream("damage"), did)
			})
		}
	})
	close(did)
	times := map[string]int{}
	for name := range did {
		times[name]++
	}
	for _, d := range allDamages() {
		t.Logf("%5d times: %s", times[d.Name], d.Name)
	}
}

// damage is the life of one archive.
func damage(t *testing.T, s *chance.Stream, did chan<- string) {
	b := newDamaged(t)
	b.fill(t, b.Archive(s, 2+s.Below(24)))
	b.compare(t, "first check")
	all := allDamages()
	for round := range 1 + s.Below(3) {
		what, tree := fmt.Sprintf("round %d:", round), b.tree.Clone()
		for range 1 + s.Below(3) {
			if d := all[s.Below(len(all))]; d.Do(b.Pool, s, tree) {
				what += " " + d.Name + ","
				did <- d.Name
			}
		}
		b.fill(t, tree)
		if s.Below(6) == 0 {
			what += " other trust file,"
			b.believe(t, [][]byte{b.Trust, b.Less}[s.Below(2)])
		}
		b.compare(t, what)
		b.compare(t, what+" again")
		if s.Below(2) == 0 {
			b.acceptAll(t)
			b.compare(t, what+" accepted")
		}
	}
}
