package index

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/contradiction"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// add adds bundles, numbered from 0.
func add(t testing.TB, x *Index, set ...contradiction.Facts) {
	t.Helper()
	for n := range set {
		must.Do(t, x.Add(uint32(n), &set[n]))
	}
}

// many returns honest bundles, each of 70 events.
func many(n int) []contradiction.Facts {
	set := make([]contradiction.Facts, n)
	for i := range set {
		set[i] = plain(i, 70)
	}
	return set
}

// small returns an index that spills the claims of a few bundles.
func small(dir string) *Index { return New(Options{Dir: dir, Memory: 100 * recordSize}) }

// TestEveryContradictedEntryIsNamed is about the order of a set: two bundles of one
// history and one of another, in any order, and a copy.
func TestEveryContradictedEntryIsNamed(t *testing.T) {
	a := plain(1, 24)
	later := plain(2, 24)
	later.Way = append(later.Way[:1:1], a.Way...)
	later.Issuance = a.Issuance
	fork := later
	fork.Way = append(later.Way[:0:0], later.Way...)
	fork.SHA256, fork.Transaction, fork.Serial, fork.Certificate = hashOf("fork"), "tx-fork", "77", hashOf("77")
	fork.Way[0].Hash, fork.Way[1].Hash = hashOf(0), hashOf(1)

	for _, test := range []struct {
		name string
		set  []contradiction.Facts
		want string
	}{
		{"the other history last", []contradiction.Facts{a, later, a, fork}, "0-3 1-3 2-3 3-0again 3-1again"},
		{"the other history first", []contradiction.Facts{fork, a, later}, "0-1 0-2 1-0again 2-0again"},
		{"one history", []contradiction.Facts{a, later, a, later}, ""},
		{"one bundle", []contradiction.Facts{fork}, ""},
		{"none", nil, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			x := small(t.TempDir())
			defer x.Close()
			add(t, x, test.set...)
			must.Get(x.Settle(t.Context()))(t)
			for range x.Contradictions(t.Context()) {
				break // it can be left
			}
			var got []string
			for _, c := range found(t, x) {
				got = append(got, fmt.Sprint(c.Entry, "-", c.Other, map[bool]string{true: "again"}[c.Again]))
			}
			check.Equal(t, strings.Join(got, " "), test.want, "found")
		})
	}
}

// TestNoDirectory gives a directory that does not exist: it is an error once there is a bundle, and not
// before.
func TestNoDirectory(t *testing.T) {
	x := New(Options{Dir: t.TempDir() + "/none"})
	defer x.Close()
	check.Do(t, check.Err(x.Settle(t.Context())))

	y := small(t.TempDir() + "/none")
	defer y.Close()
	var err error
	for n, f := range many(100) {
		if e := y.Add(uint32(n), &f); e != nil {
			err = e
		}
	}
	check.That(t, errors.Is(err, os.ErrNotExist) && strings.Contains(err.Error(), "/none/"),
		"error %v, which does not name the directory", err)
	_, again := y.Settle(t.Context())
	check.That(t, again == err, "settled with %v after %v", again, err)
	for _, again := range y.Contradictions(t.Context()) {
		check.That(t, again == err, "contradictions with %v after %v", again, err)
	}
}

// TestDiskOfABundle holds the limit of 4 KiB for a bundle that proves 70 events.
func TestDiskOfABundle(t *testing.T) {
	const bundles = 1000
	x := New(Options{Dir: t.TempDir(), Memory: 1 << 20})
	defer x.Close()
	add(t, x, many(bundles)...)
	must.Get(x.Settle(t.Context()))(t)
	got := x.work.disk / bundles
	check.That(t, got <= 4096 && got >= 3000, "%d octets a bundle, want no more than 4096", got)
}

// TestWorkIsLinear makes sets in which everything is about one thing and contradicts
// everything else. The work is a few steps for each bundle.
func TestWorkIsLinear(t *testing.T) {
	const many = 1000
	hostile := map[string]func(n int, f *contradiction.Facts){
		"issued over and over": func(_ int, f *contradiction.Facts) { f.Transaction = "tx" },
		"one serial":           func(_ int, f *contradiction.Facts) { f.Serial = "1" },
		"two histories": func(n int, f *contradiction.Facts) {
			f.Way[0].Sequence, f.Way[0].Hash = 1<<40, hashOf(n%2)
		},
		"histories for all": func(n int, f *contradiction.Facts) {
			f.Way[0].Sequence, f.Way[0].Hash = 1<<40, hashOf(n)
		},
		"the odd one last": func(n int, f *contradiction.Facts) {
			f.Way[0].Sequence, f.Way[0].Hash = 1<<40, hashOf(n == many-1)
		},
		"revoked, and issued later": func(n int, f *contradiction.Facts) {
			f.Transaction, f.Manifest = "tx", hashOf("manifest")
			f.Way[1].Sequence, f.Way[1].Hash, f.Issuance = 1, hashOf(1), 1
			f.Way = append(f.Way[:1:1], f.Way[1])
			if n%2 == 0 {
				f.Revocation = f.Way[0].Sequence
			}
		},
	}
	for name, damage := range hostile {
		t.Run(name, func(t *testing.T) {
			x := small(t.TempDir())
			defer x.Close()
			for n := range many {
				f := plain(n, 6)
				f.Way, f.Issuance = f.Way[:4:4], f.Way[1].Sequence
				damage(n, &f)
				must.Do(t, x.Add(uint32(n), &f))
			}
			must.Get(x.Settle(t.Context()))(t)
			found(t, x)
			w := x.work
			check.That(t, w.candidates >= many/2 && w.candidates <= 2*many && w.decoded <= 3*many && w.compared >= many/2 &&
				w.compared <= 2*many, "%+v for %d bundles", w, many)
		})
	}
}

// TestCancelled holds that work ends with its context, at every stage, and that
// nothing is left.
func TestCancelled(t *testing.T) {
	dir := t.TempDir()
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	for _, memory := range []int{0, 1} {
		x := New(Options{Dir: dir, Memory: memory})
		add(t, x, many(20)...)
		_, err := x.Settle(cancelled)
		check.That(t, errors.Is(err, context.Canceled), "settled with %v", err)
		check.Do(t, x.Close())
	}
	x := New(Options{Dir: dir, Memory: 1})
	add(t, x, many(20)...)
	must.Get(x.Settle(t.Context()))(t)
	for _, err := range x.Contradictions(cancelled) {
		check.That(t, errors.Is(err, context.Canceled), "contradictions with %v", err)
	}
	check.Do(t, x.Close())
	left, _ := os.ReadDir(dir)
	check.That(t, len(left) == 0, "%v is left", left)
}

// TestWrongUse holds that an index gives no answers out of order.
func TestWrongUse(t *testing.T) {
	f := plain(1, 24)
	x := New(Options{})
	for _, err := range x.Contradictions(t.Context()) {
		check.That(t, err == errSettled, "contradictions before settling: %v", err)
	}
	add(t, x, f)
	err := x.Add(0, &f)
	check.That(t, err == errOrder, "an entry twice: %v", err)
	y := New(Options{})
	y.Settle(t.Context())
	err = y.Add(0, &f)
	check.That(t, err == errSettled, "added after settling: %v", err)
	z := New(Options{})
	z.Settle(t.Context())
	_, err = z.Settle(t.Context())
	check.That(t, err == errSettled, "settled twice: %v", err)
	for range 2 {
		check.Do(t, z.Close())
	}
	err = z.Add(1, &f)
	check.That(t, err == errClosed, "added after closing: %v", err)
}
