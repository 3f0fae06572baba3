package walk_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/walk"
	"github.com/svc-edge/svc-verify/forensics/walk/walktest"
	"github.com/svc-edge/svc-verify/harness/forge"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/verify"
)

// TestGoesOnFromAState: walking a part and then the rest gives the same result for a sound
// history as walking the whole, and never calls a damaged one verified.
func TestGoesOnFromAState(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := walktest.DamagedWorld(t)
		whole, _ := walkWith(&testing.T{}, w.Reader(), w.Root, 2, 9)
		src := w.Reader()
		part := &walktest.Memory{Rows: map[facts.Log][]walktest.Row{}}
		for _, l := range walktest.SortedLogs(src.Rows) {
			rows := src.Rows[l]
			n := rapid.IntRange(0, len(rows)).Draw(t, "rows of "+l.LogID)
			for n < len(rows) && n > 0 && rows[n].Sequence == rows[n-1].Sequence {
				n++ // events that came in later, below where the first walk ended, are for a whole walk
			}
			part.Rows[l] = rows[:n]
		}
		_, state := must.Two(walk.Run(context.Background(), part, w.Root, walk.Options{}))(t)
		b := must.Get(json.Marshal(state))(t)
		var restored walk.State
		must.Do(t, json.Unmarshal(b, &restored))
		r, _ := must.Two(walk.Run(context.Background(), src, w.Root, walk.Options{Since: &restored}))(t)
		for _, r := range []*walk.Result{whole, r} { // findings that do not count are not reported again
			r.Findings = slices.DeleteFunc(r.Findings, func(f finding.Finding) bool { return f.Effect() == finding.None })
		}
		d := cmp.Diff(walktest.WordsOf(whole), walktest.WordsOf(r))
		must.That(t, d == "", "whole walk and walk in two parts differ (-whole +parts):\n%s", d)
	})
}

func TestSinceRefuses(t *testing.T) {
	w := plain(t)
	_, state := walkWith(t, w.Reader(), w.Root, 1, 10)
	other := *state
	other.TrustSHA256 = strings.Repeat("0", 64)
	_, _, err := walk.Run(context.Background(), w.Reader(), w.Root, walk.Options{Since: &other})
	check.That(t, err != nil, "a state of another trust file was taken up")
	w.Copies[berlin] = slices.Concat(w.Copies[berlin][:30],
		w.Rewrite(berlin, 30, 3, forge.AlterSalt))
	_, _, err = walk.Run(context.Background(), w.Reader(), w.Root, walk.Options{Since: state})
	check.That(t, err != nil, "a state whose last event was exchanged was taken up")
	b := must.Get(json.Marshal(state))(t)
	for _, damage := range [][2]string{{walk.StateSchema, "x"}, {`"1":"`, `"2":"`}, {`"4":"`, `"4":"z`},
		{`"pending"`, `"pendin"`}, {`{"0"`, `{"x"`}} {
		check.That(t, json.Unmarshal([]byte(strings.ReplaceAll(string(b), damage[0], damage[1])), new(walk.State)) != nil,
			"a state with %s for %s was read", damage[1], damage[0])
	}
}

// TestGoesOnBesideForgedCopies: forged copies next to the event from which a walk continues,
// and next to those below it that anchors name, are not mistaken for it. They give their own
// hash, and may come first.
func TestGoesOnBesideForgedCopies(t *testing.T) {
	w := plain(t)
	_, state := walkWith(t, w.Reader(), w.Root, 1, 10)
	for i := range 20 {
		for _, at := range []int{29, 32} { // anchored, and the last
			w.AddAltered(berlin, at, forge.Rehash(func(o seal.Object) {
				seal.Member(o, "body")["data"] = seal.Object{"forged": int64(i)}
			}))
		}
	}
	for _, n := range []uint64{30, 33} {
		rows := slices.DeleteFunc(w.Reader().Rows[berlin], func(r walktest.Row) bool { return r.Sequence != n })
		first := rows[0]
		must.That(t, first.Recorded.String() != w.Spines[berlin].Hash(n).String(), "no forged copy comes first")
	}
	r, _ := must.Two(walk.Run(context.Background(), w.Reader(), w.Root, walk.Options{Since: state}))(t)
	wantResult(t, r, "beside forged copies")
}

// TestPendingAnchorIsNotForgotten: a report that was above the end of a journal
// when it was walked still binds the journal in the next walk.
func TestPendingAnchorIsNotForgotten(t *testing.T) {
	w := plain(t)
	full := w.Copies[berlin]
	w.Docs = nil
	w.Copies[berlin] = full[:25]
	r, state := walkWith(t, w.Reader(), w.Root, 1, 10)
	wantResult(t, r, "first walk", inBerlin+"journal.tail-missing 26-30")
	w.Copies[berlin] = full[:28]
	r, _ = must.Two(walk.Run(context.Background(), w.Reader(), w.Root, walk.Options{Since: state}))(t)
	wantResult(t, r, "second walk", inBerlin+"journal.tail-missing 29-30")
}

// TestInterrupted: a walk that runs out of time, or is stopped, is no success, and the next
// one continues.
func TestInterrupted(t *testing.T) {
	w := plain(t)
	late, cancel := context.WithDeadline(context.Background(), time.Unix(0, 0))
	defer cancel()
	told, cancel := context.WithCancel(context.Background())
	cancel()
	for _, ctx := range []context.Context{late, told} {
		r, state, err := walk.Run(ctx, w.Reader(), w.Root, walk.Options{})
		must.Do(t, err)
		if r.Verdict != verify.Inconclusive || !slices.Contains(walktest.Said(r.Findings),
			inTenant+"walk.limit-reached 0-0") {
			t.Errorf("%s: %v", r.Verdict, walktest.Said(r.Findings))
		}
		if r, _, err = walk.Run(context.Background(), w.Reader(), w.Root, walk.Options{Since: state}); err != nil ||
			r.Verdict != verify.Verified {
			t.Errorf("the walk that follows: %v, %v", r, err)
		}
	}
}

// TestProgress: progress goes up, log by log, to every sequence that there is,
// and from where an earlier walk ended it counts anew.
func TestProgress(t *testing.T) {
	w := plain(t)
	var seen []walk.Progress
	options := walk.Options{Workers: 3, Progress: func(p walk.Progress) { seen = append(seen, p) }}
	r, state := must.Two(walk.Run(context.Background(), w.Reader(), w.Root, options))(t)
	var all uint64
	for _, l := range r.Logs {
		all += l.LastSequence
	}
	if len(seen) < len(r.Logs) || seen[len(seen)-1].Sequences != all ||
		!slices.IsSortedFunc(seen, func(a, b walk.Progress) int { return int(a.Sequences) - int(b.Sequences) }) {
		t.Errorf("progress %v, of %d", seen, all)
	}
	seen, options.Since = nil, state
	_, _, err := walk.Run(context.Background(), w.Reader(), w.Root, options)
	check.That(t, err == nil && (len(seen) == 0 || seen[len(seen)-1].Sequences == 0),
		"nothing was left to walk: %v, %v", seen, err)
}

// clock is a context whose deadline passes when the test decides.
type clock struct {
	context.Context
	done chan struct{}
	once sync.Once
}

func (c *clock) Done() <-chan struct{} { return c.done }

func (c *clock) pass() { c.once.Do(func() { close(c.done) }) }

func (c *clock) Err() error {
	select {
	case <-c.done:
		return context.DeadlineExceeded
	default:
		return nil
	}
}

// TestManyShortWalks: walks that run out of time again and again come to the
// same end as one that does not.
func TestManyShortWalks(t *testing.T) {
	w := plain(t)
	want, _ := walkWith(t, w.Reader(), w.Root, 2, 5)
	var state *walk.State
	for range 100 {
		src, c := w.Reader(), &clock{Context: context.Background(), done: make(chan struct{})}
		rows := 0
		var mu sync.Mutex
		src.Yields = func() {
			mu.Lock()
			defer mu.Unlock()
			if rows++; rows > 120 {
				c.pass()
			}
		}
		r, next := must.Two(walk.RunCut(c, src, w.Root, walk.Options{Workers: 2, Since: state}, 5))(t)
		state = next
		must.That(t, r.Verdict != verify.Rejected, "%v", walktest.Said(r.Findings))
		if r.Verdict == verify.Verified {
			d := cmp.Diff(walktest.WordsOf(want), walktest.WordsOf(r))
			check.That(t, d == "", "(-one walk +many):\n%s", d)
			return
		}
	}
	t.Error("a hundred short walks do not come to an end")
}

// TestLogsNotAskedForKeepTheirAnchors: a walk of the tenant log alone removes nothing from a
// later walk of a journal.
func TestLogsNotAskedForKeepTheirAnchors(t *testing.T) {
	w := plain(t)
	w.Docs = nil
	w.Remove(berlin, 27, 6)
	_, state := must.Two(walk.Run(context.Background(), w.Reader(), w.Root,
		walk.Options{Logs: []string{tenantLog.LogID}}))(t)
	r, _ := must.Two(walk.Run(context.Background(), w.Reader(), w.Root,
		walk.Options{Logs: []string{berlin.LogID}, Since: state}))(t)
	wantResult(t, r, "the journal", inBerlin+"journal.tail-missing 28-30")
}

// TestFaultBelowTheStateIsNotForgotten: an anchor that comes in later contradicts events that
// were walked before. Every later walk reports it.
func TestFaultBelowTheStateIsNotForgotten(t *testing.T) {
	w := plain(t)
	w.Docs = nil
	w.Copies[berlin] = slices.Concat(w.Copies[berlin][:24],
		w.Rewrite(berlin, 24, 9, forge.AlterSalt))
	tenantEvents := w.Copies[tenantLog]
	w.Copies[tenantLog] = tenantEvents[:12]
	_, state := walkWith(t, w.Reader(), w.Root, 1, 10)
	w.Copies[tenantLog] = tenantEvents
	for range 3 {
		r, next := must.Two(walk.Run(context.Background(), w.Reader(), w.Root, walk.Options{Since: state}))(t)
		wantResult(t, r, "later", inBerlin+"anchor.mismatch 30-30")
		state = next
	}
}
