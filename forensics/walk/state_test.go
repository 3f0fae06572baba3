package walk

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/svc-edge/svc-verify/forensics/finding"
	"github.com/svc-edge/svc-verify/verify"
)

// TestGoesOnFromAState: walking a part and then the rest says of a sound
// history what walking the whole says, and never calls a damaged one verified.
func TestGoesOnFromAState(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := damagedWorld(t)
		whole, _ := walkWith(&testing.T{}, w.source(), w.root, 2, 9)
		src := w.source()
		part := &memory{rows: map[Log][]row{}}
		for _, l := range slices.SortedFunc(maps.Keys(src.rows), compareLogs) {
			rows := src.rows[l]
			n := rapid.IntRange(0, len(rows)).Draw(t, "rows of "+l.LogID)
			for n < len(rows) && n > 0 && rows[n].Sequence == rows[n-1].Sequence {
				n++ // what came in later, below where the first walk ended, is for a whole walk
			}
			part.rows[l] = rows[:n]
		}
		_, state, err := Run(context.Background(), part, w.root, Options{})
		if err != nil {
			t.Fatal(err)
		}
		b, err := json.Marshal(state)
		if err != nil {
			t.Fatal(err)
		}
		var restored State
		if err := json.Unmarshal(b, &restored); err != nil {
			t.Fatal(err)
		}
		r, _, err := Run(context.Background(), src, w.root, Options{Since: &restored})
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range []*Result{whole, r} { // what does not count is not said again
			r.Findings = slices.DeleteFunc(r.Findings, func(f finding.Finding) bool { return f.Effect() == finding.None })
		}
		if d := cmp.Diff(wordsOf(whole), wordsOf(r)); d != "" {
			t.Fatalf("whole walk and walk in two parts differ (-whole +parts):\n%s", d)
		}
	})
}

func TestSinceRefuses(t *testing.T) {
	w := plain(t)
	_, state := walkWith(t, w.source(), w.root, 1, 10)
	other := *state
	other.TrustSHA256 = strings.Repeat("0", 64)
	if _, _, err := Run(context.Background(), w.source(), w.root, Options{Since: &other}); err == nil {
		t.Error("a state of another trust file was taken up")
	}
	w.copies[berlin] = slices.Concat(w.copies[berlin][:30], w.rewrite(berlin, 30, 3, alterBody))
	if _, _, err := Run(context.Background(), w.source(), w.root, Options{Since: state}); err == nil {
		t.Error("a state whose last event was exchanged was taken up")
	}
	b, err := json.Marshal(state)
	if err != nil {
		t.Fatal(err)
	}
	for _, damage := range [][2]string{{StateSchema, "x"}, {`"1":"`, `"2":"`}, {`"4":"`, `"4":"z`}, {`"pending"`, `"pendin"`}, {`{"0"`, `{"x"`}} {
		if json.Unmarshal([]byte(strings.ReplaceAll(string(b), damage[0], damage[1])), new(State)) == nil {
			t.Errorf("a state with %s for %s was read", damage[1], damage[0])
		}
	}
}

// TestPendingAnchorIsNotForgotten: a report that was above the end of a journal
// when it was walked still binds the journal in the next walk.
func TestPendingAnchorIsNotForgotten(t *testing.T) {
	w := plain(t)
	full := w.copies[berlin]
	w.docs = nil
	w.copies[berlin] = full[:25]
	r, state := walkWith(t, w.source(), w.root, 1, 10)
	if got := said(r.Findings); !slices.Equal(got, []string{inBerlin + "journal.tail-truncated 26-30"}) {
		t.Fatalf("first walk: %v", got)
	}
	w.copies[berlin] = full[:28]
	r, _, err := Run(context.Background(), w.source(), w.root, Options{Since: state})
	if err != nil {
		t.Fatal(err)
	}
	if got := said(r.Findings); !slices.Equal(got, []string{inBerlin + "journal.tail-truncated 29-30"}) {
		t.Errorf("second walk: %v", got)
	}
}

// TestDeadline: a walk that runs out of time is no success, and the next one
// goes on.
func TestDeadline(t *testing.T) {
	w := plain(t)
	ctx, cancel := context.WithDeadline(context.Background(), time.Unix(0, 0))
	defer cancel()
	r, state, err := Run(ctx, w.source(), w.root, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if r.Verdict != verify.Inconclusive || !slices.Contains(said(r.Findings), inTenant+"walk.limit-reached 0-0") {
		t.Errorf("%s: %v", r.Verdict, said(r.Findings))
	}
	if r, _, err = Run(context.Background(), w.source(), w.root, Options{Since: state}); err != nil || r.Verdict != verify.Verified {
		t.Errorf("the walk that follows: %v, %v", r, err)
	}
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	if _, _, err := Run(cancelled, w.source(), w.root, Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled walk: %v", err)
	}
}

// clock is a context whose deadline passes when the test says so.
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
	want, _ := walkWith(t, w.source(), w.root, 2, 5)
	var state *State
	for range 100 {
		src, c := w.source(), &clock{Context: context.Background(), done: make(chan struct{})}
		rows := 0
		var mu sync.Mutex
		src.yields = func() {
			mu.Lock()
			defer mu.Unlock()
			if rows++; rows > 120 {
				c.pass()
			}
		}
		v := newWalker(src, w.root, Options{Workers: 2})
		v.stretch = 5
		if err := v.takeUp(state); err != nil {
			t.Fatal(err)
		}
		if err := v.run(c); err != nil {
			t.Fatal(err)
		}
		r := v.result(Inventory{})
		state = &v.state
		if r.Verdict == verify.Rejected {
			t.Fatalf("%v", said(r.Findings))
		}
		if r.Verdict == verify.Verified {
			if d := cmp.Diff(wordsOf(want), wordsOf(r)); d != "" {
				t.Errorf("(-one walk +many):\n%s", d)
			}
			return
		}
	}
	t.Error("a hundred short walks do not come to an end")
}

// TestLogsNotAskedForKeepTheirAnchors: a walk of the tenant log alone takes
// nothing away from a later walk of a journal.
func TestLogsNotAskedForKeepTheirAnchors(t *testing.T) {
	w := plain(t)
	w.docs = nil
	w.remove(berlin, 27, 6)
	_, state, err := Run(context.Background(), w.source(), w.root, Options{Logs: []string{tenantLog.LogID}})
	if err != nil {
		t.Fatal(err)
	}
	r, _, err := Run(context.Background(), w.source(), w.root, Options{Logs: []string{berlin.LogID}, Since: state})
	if err != nil {
		t.Fatal(err)
	}
	if got := said(r.Findings); !slices.Equal(got, []string{inBerlin + "journal.tail-truncated 28-30"}) {
		t.Errorf("%v", got)
	}
}

// TestFaultBelowTheStateIsNotForgotten: an anchor that comes in later contradicts
// events that were walked before. Every later walk says so.
func TestFaultBelowTheStateIsNotForgotten(t *testing.T) {
	w := plain(t)
	w.docs = nil
	w.copies[berlin] = slices.Concat(w.copies[berlin][:24], w.rewrite(berlin, 24, 9, alterBody))
	tenantEvents := w.copies[tenantLog]
	w.copies[tenantLog] = tenantEvents[:12]
	_, state := walkWith(t, w.source(), w.root, 1, 10)
	w.copies[tenantLog] = tenantEvents
	for range 3 {
		r, next, err := Run(context.Background(), w.source(), w.root, Options{Since: state})
		if err != nil {
			t.Fatal(err)
		}
		if got := said(r.Findings); !slices.Equal(got, []string{inBerlin + "anchor.mismatch 30-30"}) {
			t.Fatalf("%v", got)
		}
		state = next
	}
}
