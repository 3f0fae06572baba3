package secretstore_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/service/adapter"
	"github.com/svc-edge/svc-verify/service/secretstore"
)

// faultCodes are the codes with which a rotation may fail if no one but the node
// writes.
var faultCodes = []string{
	"", adapter.StoreUnavailable, adapter.RecoveryPending, adapter.PromotionInterrupted, adapter.PromotionUnconfirmed,
	adapter.ReloadFailed,
}

// story is a life of a node in which everything happens that it can do: the
// bootstrap, a manual rotation, an automatic one, one that is rolled back, and
// the release.
func (w *world) story() {
	w.t.Helper()
	w.settle()
	for n, mode := range []string{follows, slow, stuck} {
		w.service.tell(mode)
		d := deliveryNumber(n+1, n > 0)
		code := w.deliver(d)
		check.That(w.t, w.tampered && code == adapter.StateInvalid || slices.Contains(faultCodes, code),
			"%s ended with %s", d.TransactionID, code)
		w.settle()
	}
	w.now = w.now.Add(window)
	w.settle()
}

// promoteOnce promotes one time, as the agent requests it.
func promoteOnce(d delivery) func(context.Context, *secretstore.Adapter) error {
	return func(ctx context.Context, node *secretstore.Adapter) error { return node.Promote(ctx, d.Delivery) }
}

// diesPromoting has the node die in the health check of a promotion.
func (w *world) diesPromoting(d delivery) {
	w.t.Helper()
	w.script = func(p point) outcome { return map[string]outcome{"probe": crashBefore}[p.name] }
	err := w.call(promoteOnce(d))
	must.That(w.t, errors.Is(err, errStopped), "promoted: %v", err)
	w.script = nil
}

// epilogue waits until all is well, and then has a rotation in which nothing goes
// wrong: whatever happened before, it can be done.
func (w *world) epilogue() {
	w.t.Helper()
	w.script = nil
	w.settle()
	w.service.tell(whenTold)
	d := deliveryNumber(9, true)
	must.Equal(w.t, w.deliver(d), "", "a rotation after all that ended with")
	w.now = w.now.Add(window)
	w.settle()
	w.service.tell(follows)
	check.Do(w.t, w.service.read())
	if p := w.standing().record; p["active_sha256"] != d.digest || p["standby"] != nil || p["previous"] != nil {
		w.t.Errorf("in the end the pointer is %v", p)
	}
}

// fault is a failure, and the point where it happens.
type fault struct {
	point
	outcome
}

func (f fault) String() string { return fmt.Sprintf("%s at %s", f.outcome, f.point) }

// plan lets faults happen, each once, at the point of its number.
func plan(faults ...fault) func(point) outcome {
	return func(p point) outcome {
		for _, f := range faults {
			if f.number == p.number {
				return f.outcome
			}
		}
		return fine
	}
}

// recorded are the points of a story in which nothing goes wrong.
func recorded(t tester, w *world) []point {
	w.story()
	must.That(t, fmt.Sprint(w.ended) == "map[transaction-1: transaction-2: transaction-3:promotion_unconfirmed]",
		"without faults the rotations end with %v", w.ended)
	points := w.points
	w.epilogue()
	return points
}

// rotationPoints are the points of a rotation, without its slot.
const rotationPoints = `keep rotation.write_started
write generations/SLOT
keep rotation.generation_written
keep rotation.staging_started
stage
keep
file SLOT.pem
keep rotation.promotion_started
move
keep rotation.pointer_moved
reload
keep rotation.reloaded
probe
keep`

// expectedPoints are the effects and the durable steps of a story, in order.
var expectedPoints = strings.Split(`keep
keep store.bootstrap_started
write generations/slot-000001
keep rotation.generation_written
file slot-000001.pem
keep
place pointer
keep store.bootstrapped
`+strings.ReplaceAll(rotationPoints, "SLOT", "slot-000002")+`
`+strings.ReplaceAll(rotationPoints, "SLOT", "slot-000003")+`
`+strings.ReplaceAll(rotationPoints, "SLOT", "slot-000004")+` rotation.rollback_started
restore
keep
reload
keep rotation.rolled_back
keep
release
keep rotation.released`, "\n")

// TestPoints prints where a node can be interrupted, and fails if there is a
// point that it does not know or if one is gone: the other tests go through all
// of them.
func TestPoints(t *testing.T) {
	var names []string
	for _, p := range recorded(t, newMaker(t).memory(t)) {
		t.Log(p)
		if p.changes() && (p.name != "probe" || names[len(names)-1] != p.name) { // it is asked again and again
			names = append(names, p.name)
		}
	}
	for i := range max(len(names), len(expectedPoints)) {
		if i >= len(names) || i >= len(expectedPoints) || names[i] != expectedPoints[i] {
			t.Fatalf("from point %d on: expected\n%s\n\nfound\n%s", i,
				strings.Join(expectedPoints[min(i, len(expectedPoints)):], "\n"), strings.Join(names[min(i, len(names)):], "\n"))
		}
	}
}

// faultsOf are all faults of a story. A series of probes and waits is interrupted where it
// begins and where it ends.
func faultsOf(points []point) (all []fault) {
	for i, p := range points {
		if asked := p.name == "probe" || p.name == "wait"; asked && i > 2 && points[i-2].name == p.name &&
			points[i+2].name == p.name {
			continue
		}
		for _, out := range p.outcomes() {
			all = append(all, fault{p, out})
		}
		if strings.HasPrefix(p.name, "read") {
			all = append(all, fault{p, falseAbsent})
		}
	}
	return all
}

// survive lives through the story with faults, and checks that all is well in
// the end.
func (w *world) survive(faults ...fault) {
	w.t.Helper()
	w.script = plan(faults...)
	w.story()
	for _, f := range faults {
		check.That(w.t, f.number < len(w.points) && w.points[f.number].name == f.name, "the story has no point %v",
			f.point)
	}
	w.epilogue()
}

// TestOneFault lets everything go wrong that can, at every point.
func TestOneFault(t *testing.T) {
	everywhere(t, 83, 131, func(t *testing.T, world func(*testing.T) *world, few int) {
		all := faultsOf(recorded(t, world(t)))
		if few == 1 && testing.Short() {
			few = 17
		}
		for i := 0; i < len(all); i += few {
			t.Run(all[i].String(), func(t *testing.T) { world(t).survive(all[i]) })
		}
		t.Logf("1 of %d of %d faults", few, len(all))
	})
}

// TestTwoFaults is TestOneFault with a second fault at a random point after the
// first: most often in the middle of the recovery.
func TestTwoFaults(t *testing.T) {
	m := newMaker(t)
	all := faultsOf(recorded(t, m.memory(t)))
	runs := 0
	checks(t, 100, 12)
	rapid.Check(t, func(t *rapid.T) {
		runs++
		first := rapid.SampledFrom(all).Draw(t, "first")
		after := rapid.OneOf(rapid.IntRange(1, 15), rapid.IntRange(1, 80)).Draw(t, "points until the second")
		w := m.memory(t)
		w.script = func(p point) outcome {
			switch p.number {
			case first.number:
				return first.outcome
			case first.number + after:
				return rapid.SampledFrom(p.outcomes()).Draw(t, "second at "+p.String())
			}
			return fine
		}
		w.story()
		w.epilogue()
	})
	t.Logf("%d pairs of faults", runs)
}
