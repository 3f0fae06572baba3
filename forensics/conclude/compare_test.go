package conclude_test

import (
	"bytes"
	"flag"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/forensics/cases"
	"github.com/svc-edge/svc-verify/forensics/verdict"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/verify"
)

var (
	joins = flag.Int("joins", 150, "how many joins to try, over half of the scenes but those of shapes")
	seed  = flag.Uint64("seed", 1, "what the joins are drawn from")
)

// TestConclusions: however evidence is divided, and its parts joined, the conclusion
// is the answer of one machine. Each join is of evidence that is divided in one way. Of the
// scenes, every second one is tried: parts do not differ by the manipulation, and package cases
// has the answers of one machine.
func TestConclusions(t *testing.T) {
	var half []scene
	for i, s := range scenes(t) {
		if i%2 == 0 {
			half = append(half, s)
		}
	}
	tryAll(t, half, *joins, 125)
}

// TestShapes: the same, once for every twelfth form in which products hand out lines. [TestCuts]
// has all forms that a plan cuts.
func TestShapes(t *testing.T) {
	all := handouts(t)
	tryAll(t, all, len(all), 120)
}

// TestCuts: the same for every format whose files a plan cuts, whole and behind a text that
// ends the cuts. A plan cuts each of them.
func TestCuts(t *testing.T) {
	all := cut(t)
	tryAll(t, all, len(all), 128)
}

// tryAll tries so many joins, as many of each scene; with -short, one scene of some.
func tryAll(t *testing.T, all []scene, joins, short int) {
	t.Logf("%d joins of %d scenes, seed %d", joins, len(all), *seed)
	for i, s := range all {
		if testing.Short() && i%short != 5 {
			continue
		}
		times := joins / len(all)
		if i < joins%len(all) {
			times++
		}
		t.Run(s.name, func(t *testing.T) {
			t.Parallel() // most of the time is spent waiting for the disk
			try(t, s, times)
		})
	}
}

func try(t *testing.T, s scene, times int) {
	dir := filepath.Join(t.TempDir(), "evidence")
	l := s.lay(t, dir)
	draw := func(i int) *rand.Rand {
		h := fnv.New64a()
		fmt.Fprint(h, s.name, i)
		return rand.New(rand.NewPCG(*seed, h.Sum64()))
	}
	ways, r := l.ways(), draw(-1)
	r.Shuffle(len(ways), func(a, b int) { ways[a], ways[b] = ways[b], ways[a] })
	ways = ways[:min(times, len(ways))]
	want, divisions := answer(t, l, dir, ways...)
	whole := divisions[0].atoms[0]
	if got := conclude(t, whole, divisions[0], l); !bytes.Equal(written(t, got), want) {
		t.Fatalf("one share: %s", difference(want, written(t, got)))
	}
	doc := document(t, whole)
	plans := planned(t, l, r, ways)
	check.That(t, !l.cut || slices.ContainsFunc(plans, division.cuts), "no plan cuts a file")
	divided := append(divisions[1:], plans...)
	if len(divided) == 0 {
		divided = divisions // nothing was given
	}
	for i := range times {
		j, d := &joiner{T: t, Rand: draw(i)}, divided[i%len(divided)]
		if d.Plan != nil && j.IntN(3) == 0 {
			j.lose(d, l, want)
		}
		joined := j.join(d.atoms)
		if got := written(t, conclude(t, joined, d, l)); !bytes.Equal(got, want) {
			t.Fatalf("join %d of seed %d, %s: %s", i, *seed, joined.name, difference(want, got))
		}
		if !bytes.Equal(document(t, unplanned{joined}), doc) {
			t.Fatalf("join %d of seed %d, %s: it is another part than that of one share", i, *seed, joined.name)
		}
	}
	withoutSources(t, whole, l, dir, want)
}

// withoutSources concludes where the evidence is gone. The result is the same, or it names the
// sources that would have to be read again.
func withoutSources(t *testing.T, whole atom, l *laid, dir string, want []byte) {
	t.Helper()
	must.Do(t, os.RemoveAll(dir))
	got := conclude(t, whole, division{}, l)
	if bytes.Equal(written(t, got), want) {
		return
	}
	if len(got.LeftOut) != 1 || got.LeftOut[0].What != verdict.Sources || got.Verdict == verify.Verified {
		t.Fatalf("without the sources, %s: %s", got.Verdict, difference(want, written(t, got)))
	}
	t.Logf("the sources are read again: %q", got.LeftOut[0].Items)
	for _, name := range got.LeftOut[0].Items {
		check.That(t, strings.HasPrefix(name, dir), "out of reach is %q", name)
	}
}

// TestLoss: a part that is missing shows, or the other tests could not fail.
func TestLoss(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "evidence")
	x := cases.Exams()[0]
	x.Given = x.Given[:2] // which contain no duplicates
	l := lay(t, x, dir)
	want, divisions := answer(t, l, dir, byPath)
	d := divisions[1]
	for i, without := range d.atoms {
		rest := merged(t, slices.Concat(d.atoms[:i], d.atoms[i+1:]))
		check.That(t, !bytes.Equal(written(t, conclude(t, rest, d, l)), want),
			"the conclusion is the same without %s", without.name)
	}
}
