package examine

import (
	"bytes"
	"context"
	"encoding/json"
	"iter"
	"math"
	"testing"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/chain/event"
	"github.com/svc-edge/svc-verify/forensics/evidence"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/fleettest"
	"github.com/svc-edge/svc-verify/forensics/store"
	"github.com/svc-edge/svc-verify/forensics/walk"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/trust"
	"github.com/svc-edge/svc-verify/verify"
)

// judgedEvidence is a case of which every event was judged: neither the digest of a
// body nor a signature is there, and what an event says comes in its binary form.
type judgedEvidence struct {
	evidence.Reader
	t     *testing.T
	judge *walk.Judge
	wrong func(facts.Log, *facts.Event) // alters a judgement; nil for nobody
}

func ofJudged(t *testing.T, c *store.Case, root *trust.Root) *judgedEvidence {
	return &judgedEvidence{Reader: c, t: t, judge: walk.NewJudge(root)}
}

func (r *judgedEvidence) judged(log facts.Log, e facts.Event) *facts.Event {
	check.Do(r.t, r.judge.Judge(log, []*event.Header{&e.Header}))
	if r.wrong != nil {
		r.wrong(log, &e)
	}
	e.Link.Body, e.Signature = chain.Hash{}, [event.SignatureSize]byte{}
	return &e
}

func (r *judgedEvidence) Events(ctx context.Context, log evidence.Log, from, to uint64) iter.Seq2[*facts.Event,
	error] {
	return func(yield func(*facts.Event, error) bool) {
		for e, err := range r.Reader.Events(ctx, log, from, to) {
			if err == nil {
				e = r.judged(log.Log, *e)
			}
			if !yield(e, err) {
				return
			}
		}
	}
}

func (r *judgedEvidence) Placed(ctx context.Context, log evidence.Log, from, to uint64) iter.Seq2[facts.Stretch,
	error] {
	return func(yield func(facts.Stretch, error) bool) {
		for p, err := range r.Reader.Placed(ctx, log, from, to) {
			if err == nil {
				p.Event = r.judged(log.Log, *p.Event)
			}
			if !yield(p, err) {
				return
			}
		}
	}
}

func (r *judgedEvidence) Stretches(ctx context.Context, log evidence.Log,
	from uint64) iter.Seq2[facts.Stretch, error] {
	return func(yield func(facts.Stretch, error) bool) {
		for e, err := range r.Events(ctx, log, from, math.MaxInt64) {
			if !yield(facts.Stretch{Event: e}, err) {
				return
			}
		}
	}
}

func (r *judgedEvidence) PlacedStretches(ctx context.Context, log evidence.Log) iter.Seq2[facts.Stretch, error] {
	return r.Placed(ctx, log, 1, math.MaxInt64)
}

func (r *judgedEvidence) Chosen(ctx context.Context, log evidence.Log,
	choice evidence.Choice) iter.Seq2[*evidence.Typed, error] {
	return func(yield func(*evidence.Typed, error) bool) {
		for e, err := range r.Reader.Chosen(ctx, log, choice) {
			if err == nil {
				e = &evidence.Typed{Event: *r.judged(log.Log, e.Event)}
			}
			if !yield(e, err) {
				return
			}
		}
	}
}

// Copy returns an event without a log, which nothing but its hash is asked of.
func (r *judgedEvidence) Copy(ctx context.Context, ref facts.Ref) (facts.Event, error) {
	e, err := r.Reader.Copy(ctx, ref)
	return *r.judged(facts.Log{}, e), err
}

func (r *judgedEvidence) Said(ctx context.Context, log evidence.Log, events []evidence.Typed,
	f func(i int, s *evidence.Said) error) error {
	whole := make([]evidence.Typed, len(events))
	for i, e := range events {
		var err error
		if whole[i].Event, err = r.Reader.Copy(ctx, e.Ref); err != nil {
			return err
		}
	}
	return r.Reader.Said(ctx, log, whole, func(i int, s *evidence.Said) error {
		if err := r.judge.Reports(ctx, []*walk.Report{&s.Report}); err != nil {
			return err
		}
		said, err := evidence.ParseSaid(evidence.AppendSaid(nil, s))
		if err != nil {
			return err
		}
		return f(i, &said)
	})
}

// TestJudgedEvidence: evidence that was judged before, and of which less is there,
// gives the very result that a case gives, and so does a case that is only read.
func TestJudgedEvidence(t *testing.T) {
	scripts := []string{"", "lose-octet", "report-altered-signature", "alter-at-store", "fork", "unknown-key",
		"report-unknown-key", "flood", "alter-signature", "alter-recorded-hash", "rewrite-tail", "witness-other-history"}
	if testing.Short() {
		scripts = scripts[1:2]
	}
	for _, script := range scripts {
		path, root := gathered(t, script)
		result := must.Get(Examine(t.Context(), path, root, Options{Workers: 2,
			Case: []store.Option{fleettest.As(1)}}))(t)
		want := must.Get(json.Marshal(result))(t)
		c := must.Get(store.OpenCase(path, fleettest.As(1)))(t)
		plain := c
		for name, r := range map[string]evidence.Reader{"a case": plain, "judged": ofJudged(t, c, root)} {
			result := must.Get(Of(t.Context(), r, root, Options{Workers: 2}))(t)
			if got, err := json.Marshal(result); err != nil || !bytes.Equal(got, want) {
				t.Errorf("%s, %s: %v\n%s\nwant\n%s", script, name, err, got, want)
			}
		}
		check.That(t, plain.Close() == nil && c.Close() == nil, "close")
	}
}

// TestJudgementIsBelieved: sound evidence is rejected if the judgement of one event
// says that nobody signed it, and an altered event passes if all judgements say that
// nothing is wrong with it. Without judgements, the events themselves decide.
func TestJudgementIsBelieved(t *testing.T) {
	for script, wrong := range map[string]func(facts.Log, *facts.Event){
		"": func(log facts.Log, e *facts.Event) {
			if log.IsTenant() && e.Link.Sequence == 3 {
				e.Signed = event.Neither
			}
		},
		"alter-signature": func(_ facts.Log, e *facts.Event) { e.Signed = event.OverContent },
	} {
		path, root := gathered(t, script)
		c := must.Get(store.OpenCase(path, fleettest.As(1)))(t)
		judged := ofJudged(t, c, root)
		verdictOf := func() verify.Verdict {
			r := must.Get(Of(t.Context(), judged, root, Options{}))(t)
			return r.Verdict
		}
		right := verdictOf()
		judged.wrong = wrong
		if other := verdictOf(); right == other || right != verify.Verified && other != verify.Verified {
			t.Errorf("%q: %s by what is true, %s by what is said", script, right, other)
		}
		must.Do(t, c.Close())
	}
}

// outOfReach is evidence whose lines cannot be read again.
type outOfReach struct{ evidence.Reader }

func (outOfReach) Explains(context.Context, facts.Ref, facts.Ref) (bool, error) {
	return false, &evidence.UnreachableError{Source: "store.ndjson"}
}

// TestOutOfReach: where lines cannot be read again, the result says so and is not
// verified. Where no line is needed again, the result is the same.
func TestOutOfReach(t *testing.T) {
	for script, left := range map[string]int{"": 0, "lose-octet": 1} {
		path, root := gathered(t, script)
		c := must.Get(store.OpenCase(path, fleettest.As(1)))(t)
		r := c
		whole := must.Get(Of(t.Context(), r, root, Options{}))(t)
		got := must.Get(Of(t.Context(), outOfReach{r}, root, Options{}))(t)
		check.That(t, len(whole.LeftOut) == 0 && len(got.LeftOut) == left && (got.Verdict == whole.Verdict) == (left == 0),
			"%q: %s and %s, left out %v", script, whole.Verdict, got.Verdict, got.LeftOut)
		got.LeftOut, got.Verdict = whole.LeftOut, whole.Verdict
		a, err1 := json.Marshal(whole)
		b, err2 := json.Marshal(got)
		check.That(t, err1 == nil && err2 == nil && bytes.Equal(a, b),
			"%q: the rest differs:\n%s\n%s", script, b, a)
		check.That(t, r.Close() == nil && c.Close() == nil, "close")
	}
}
