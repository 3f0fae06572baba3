package secretstore_test

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/service/adapter"
	"github.com/svc-edge/svc-verify/service/secretstore"
)

// model is the required behaviour of a store and rotations, besides the world that it is
// compared with. The world checks, at every write, that the pointer may name its generations
// at that moment.
type model struct {
	*world
	rotations int
	bootstrap bool           // done
	staged    *delivery      // waits for its promotion
	open      *delivery      // was interrupted, and has no result yet
	change    *changed       // someone else has changed the pointer or a generation
	previous  string         // digest of the certificates in use before, while the window lasts
	until     *time.Time     // when that is over, nil if it is not known
	hit       bool           // something went wrong in the last call
	happened  map[string]int // outcomes in all runs, with their counts
}

var outageCodes = []string{adapter.StoreUnavailable, adapter.RecoveryPending}

// poll checks once, and returns the code.
func (m *model) poll() string { return adapter.CodeOf(m.check()) }

// Check polls after each action, and compares the node's code with the actual state.
func (m *model) Check(t *rapid.T) {
	m.happened["steps"]++
	if !m.desired.Enabled {
		m.observe()
		return
	}
	switch code := m.poll(); {
	case m.line.down:
		must.That(t, slices.Contains(outageCodes, code), "the store is away, and the node says %q", code)
	case m.change != nil:
		want := adapter.StateInvalid
		if m.change.path == "pointer" {
			want = adapter.PointerInvalid
		}
		must.Equal(t, code, want, "%s was %s, and the node says", m.change.path, m.change.name)
		m.untouched(*m.change)
	case code != "":
		t.Fatalf("all is well, and the node says %q", code)
	default:
		m.well(t)
	}
}

// well checks everything that must hold after the node reported that all is well.
func (m *model) well(t *rapid.T) {
	m.bootstrap = true
	m.landLate()
	if m.open != nil {
		m.again(t)
	}
	m.holds()
	if m.until != nil && !m.now.Before(*m.until) {
		m.previous = ""
	}
	p := m.standing().record
	standby := ""
	if m.staged != nil {
		standby = m.staged.digest
	}
	must.That(t, seal.Text(p, "active_sha256") == m.inUse && seal.Text(p, "standby_sha256") == standby,
		"in use %s, staged %q; the pointer is %v", m.inUse, standby, p)
	must.That(t, m.until == nil || seal.Text(p, "previous_sha256") == m.previous,
		"previous %q until %s, now %s; the pointer is %v", m.previous, m.until, m.now, p)
}

// again gives the work again that has no result.
func (m *model) again(t *rapid.T) {
	d := *m.open
	m.open = nil
	if m.staged == nil {
		m.staging(t, d)
	} else if code := adapter.CodeOf(m.call(promoteOnce(d))); slices.Contains(faultCodes, code) {
		m.conclude(d, code)
		m.until = nil // it may have been committed before
	} else {
		t.Fatalf("the promotion given again ended with %q", code)
	}
	must.Equal(t, m.poll(), "", "after the work given again")
}

// rotatable skips rotations for which the agent would not ask, as the integration
// is not healthy, or has one.
func (m *model) rotatable(t *rapid.T) {
	if !m.desired.Enabled || !m.bootstrap || m.change != nil || m.open != nil {
		t.Skip("not healthy")
	}
}

// Stage stages a rotation.
func (m *model) Stage(t *rapid.T) {
	m.rotatable(t)
	if m.staged != nil {
		t.Skip("one is staged")
	}
	m.rotations++
	d := deliveryNumber(m.rotations, false)
	d.Desired = m.desired
	m.faulty(t)
	m.staging(t, d)
}

func (m *model) staging(t *rapid.T, d delivery) {
	err := m.call(func(ctx context.Context, node *secretstore.Adapter) error { return node.Stage(ctx, d.Delivery) })
	m.script = nil
	switch code := adapter.CodeOf(err); {
	case errors.Is(err, errStopped):
		m.happened["interrupted"]++
		m.open = &d
	case code == "":
		m.staged = &d
	case slices.Contains(outageCodes, code) && (m.hit || m.line.down):
		m.ended[d.TransactionID] = code
	default:
		t.Fatalf("staged with %v", err)
	}
}

// Promote is Verify & promote, or the promotion of an automatic rotation.
func (m *model) Promote(t *rapid.T) {
	m.rotatable(t)
	if m.staged == nil {
		t.Skip("nothing is staged")
	}
	d := *m.staged
	ends := map[string]string{
		follows: "", slow: "", whenTold: "", stuck: adapter.PromotionUnconfirmed, unreachable: adapter.PromotionUnconfirmed,
		reloadFails: adapter.ReloadFailed,
	}
	mode := rapid.SampledFrom([]string{follows, slow, whenTold, stuck, unreachable, reloadFails}).Draw(t, "workload")
	m.service.tell(mode)
	m.faulty(t)
	err := m.call(promoteOnce(d))
	m.script = nil
	switch code := adapter.CodeOf(err); {
	case errors.Is(err, errStopped):
		m.happened["interrupted"]++
		m.open = &d
	case code == ends[mode], code != "" && slices.Contains(faultCodes, code) && (m.hit || m.line.down):
		m.conclude(d, code)
	default:
		t.Fatalf("promoted with %v, the workload %s", err, mode)
	}
}

// conclude records the agent's result of a rotation.
func (m *model) conclude(d delivery, code string) {
	m.ended[d.TransactionID] = code
	m.happened["promotion ended with "+strconv.Quote(code)]++
	m.staged = nil
	if code == "" {
		over := m.now.Add(window)
		m.previous, m.inUse, m.until = m.inUse, d.digest, &over
	}
}

// faulty lets something go wrong in the next call, or the store go away in the
// middle of it, or neither.
func (m *model) faulty(t *rapid.T) {
	m.hit = false
	if m.line.down || rapid.IntRange(0, 2).Draw(t, "what goes wrong") == 0 {
		return
	}
	at := len(m.points) + rapid.IntRange(0, 16).Draw(t, "point")
	away := rapid.IntRange(0, 3).Draw(t, "for good") == 0
	m.script = func(p point) outcome {
		if p.number != at {
			return fine
		}
		m.hit, m.line.down = true, away
		return rapid.SampledFrom(p.outcomes()).Draw(t, p.name)
	}
}

// Restart ends the process and starts it again.
func (m *model) Restart(*rapid.T) { m.start() }

// Clock sets the clock.
func (m *model) Clock(t *rapid.T) {
	steps := []time.Duration{time.Millisecond, time.Second, window, 3 * time.Hour, -time.Second, -3 * time.Hour}
	m.now = m.now.Add(rapid.SampledFrom(steps).Draw(t, "step"))
}

// Outage makes the store unavailable, or brings it back.
func (m *model) Outage(t *rapid.T) {
	m.rarely(t)
	m.line.down = !m.line.down
}

// rarely skips, two of three times, an action that prevents rotations.
func (m *model) rarely(t *rapid.T) {
	if !m.line.down && m.desired.Enabled && rapid.IntRange(0, 2).Draw(t, "whether") > 0 {
		t.Skip("not now")
	}
}

// Tamper has someone else change the pointer, or a generation that it names.
func (m *model) Tamper(t *rapid.T) {
	m.rarely(t)
	if m.change != nil || !m.bootstrap || m.open != nil || m.line.down {
		t.Skip("not now")
	}
	path := rapid.SampledFrom([]string{"pointer", "active", "previous", "standby"}).Draw(t, "record")
	if path != "pointer" {
		slot := seal.Text(m.standing().record, path)
		if slot == "" {
			t.Skip("there is none")
		}
		path = "generations/" + slot
	}
	c := m.tamper(rapid.SampledFrom(tamperings).Draw(t, "tampering"), path)
	m.happened["someone else wrote: "+string(c.effect)]++
	if c.effect != harmless {
		m.change = &c
	}
}

// Mend undoes the change that someone else made.
func (m *model) Mend(t *rapid.T) {
	if m.change == nil {
		t.Skip("nothing was changed")
	}
	m.mended(*m.change)
	m.change = nil
}

// Assign withdraws the integration, or assigns it again with another revision.
func (m *model) Assign(t *rapid.T) {
	m.rarely(t)
	if !m.desired.Enabled {
		m.desired.Enabled = true
		m.desired.Revision++
		return
	}
	if m.change != nil || m.line.down || m.open != nil {
		t.Skip("not now")
	}
	must.Do(t, m.call(func(ctx context.Context,
		node *secretstore.Adapter) error {
		return node.Withdraw(ctx, m.desired)
	}))
	m.desired.Enabled = false
	m.takenOff()
}

// Revise gives the integration another revision.
func (m *model) Revise(t *rapid.T) {
	m.rarely(t)
	if !m.desired.Enabled || m.change != nil || m.line.down || m.open != nil {
		t.Skip("not now")
	}
	m.desired.Revision++
	m.takenOff()
}

// takenOff ends the staged rotation: its integration is another.
func (m *model) takenOff() {
	if m.staged != nil {
		m.ended[m.staged.TransactionID] = adapter.PromotionInterrupted
	}
	m.staged = nil
}

// Burn has the operator destroy every generation that the pointer does not name.
func (m *model) Burn(t *rapid.T) {
	if m.change != nil || m.open != nil || m.line.down {
		t.Skip("not now")
	}
	p := m.standing().record
	for path := range m.mine {
		if slot := path[len("generations/"):]; slot != p["active"] && slot != p["standby"] && slot != p["previous"] {
			m.place.forget(m.t, path)
		}
	}
}

// TestModel has a node live through anything, in any order.
func TestModel(t *testing.T) {
	mk, happened := newMaker(t), map[string]int{}
	checks(t, 400, 30)
	rapid.Check(t, func(t *rapid.T) {
		happened["runs"]++
		m := &model{world: mk.memory(t), happened: happened}
		actions := rapid.StateMachineActions(m)
		for _, more := range []string{" again", " once more"} { // as the test is about these
			actions["Stage"+more], actions["Promote"+more], actions["Mend"+more] = m.Stage, m.Promote, m.Mend
		}
		t.Repeat(actions)
		if m.change != nil {
			m.Mend(t)
		}
		m.desired.Enabled, m.line.down = true, false
		m.Check(t)
	})
	t.Logf("%v", happened)
}
