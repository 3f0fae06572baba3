package secretstore_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/service/adapter"
)

// refuses checks that the node reports a code while a change is there and leaves it alone, and
// that it is well again when the change is mended.
func (w *world) refuses(c changed, code string) {
	w.t.Helper()
	if c.effect == harmless {
		code = ""
	}
	for range 2 {
		err := w.check()
		must.That(w.t, adapter.CodeOf(err) == code, "%s was %s: expected code %q, found %v", c.path, c.name, code, err)
		w.untouched(c)
	}
	if c.effect != harmless {
		w.mended(c)
		w.settle()
	}
}

// atRest has a new node carry out a rotation, so that there is a previous slot.
func (w *world) atRest() *world {
	w.t.Helper()
	w.settle()
	w.service.tell(follows)
	must.Equal(w.t, w.deliver(deliveryNumber(1, true)), "", "delivered with")
	w.settle()
	return w
}

// TestForeignAtRest has someone else change each record that the pointer names,
// and the pointer, while nothing is under way.
func TestForeignAtRest(t *testing.T) {
	everywhere(t, 5, 16, func(t *testing.T, world func(*testing.T) *world, few int) {
		n := 0
		for path, code := range map[string]string{
			"pointer":                 adapter.PointerInvalid,
			"generations/slot-000002": adapter.StateInvalid, // active
			"generations/slot-000001": adapter.StateInvalid, // previous
		} {
			for _, c := range tamperings {
				if n++; n%few != 0 {
					continue
				}
				t.Run(path+" "+c.name, func(t *testing.T) {
					w := world(t).atRest()
					w.refuses(w.tamper(c, path), code)
					if n := w.told("store.repaired"); (n == 0) != (c.name == "deleted") {
						t.Errorf("the journal tells %d times of a repair", n)
					}
					w.epilogue()
				})
			}
		}
	})
}

// TestForeignStandby has someone else change a generation that is staged. It is
// never promoted; the rotation fails, and all is well without it.
func TestForeignStandby(t *testing.T) {
	m := newMaker(t)
	for _, c := range tamperings {
		t.Run(c.name, func(t *testing.T) {
			w := m.memory(t).atRest()
			d := deliveryNumber(2, false)
			must.Equal(t, w.stage(d), "", "staged with")
			change := w.tamper(c, "generations/slot-000003")
			want := adapter.StateInvalid
			if c.effect == harmless {
				w.settle() // adopts the repair
				want = ""
			} else if err := w.check(); adapter.CodeOf(err) != want {
				t.Fatalf("expected %s, found %v", want, err)
			}
			w.foreign = false // the pointer goes back to a whole generation
			must.Equal(t, w.promote(d), want, "promoted with")
			w.untouched(change)
			w.epilogue()
		})
	}
}

// TestForeignWhilePromoting has someone else change the pointer at the end of the health
// check: the promotion fails, and neither it nor its rollback overwrites the change. A pointer
// without content has the version that it had: the rollback may write the next one.
func TestForeignWhilePromoting(t *testing.T) {
	m := newMaker(t)
	for mode, code := range map[string]string{follows: adapter.PointerInvalid, stuck: adapter.PromotionUnconfirmed} {
		for _, c := range tamperings {
			t.Run(mode+" "+c.name, func(t *testing.T) {
				w := m.memory(t).atRest()
				w.service.tell(mode)
				var change changed
				w.script = func(p point) outcome {
					last := w.points[max(0, p.number-1)].name
					if change.path == "" && last == "probe" {
						change = w.tamper(c, "pointer")
					}
					return fine
				}
				want := code
				if c.effect == harmless && mode == follows {
					want = ""
				}
				must.Equal(t, w.deliver(deliveryNumber(2, true)), want, "delivered with")
				w.script = nil
				w.afterwards(change)
			})
		}
	}
}

// afterwards ends a story that someone interfered with.
func (w *world) afterwards(change changed) {
	w.t.Helper()
	if change.effect == strange || change.name == "removed" {
		w.refuses(change, adapter.PointerInvalid)
	}
	w.foreign = false
	w.epilogue()
}

// TestForeignWhileRecovering has someone else change the pointer while the node
// is down in the middle of a promotion.
func TestForeignWhileRecovering(t *testing.T) {
	m := newMaker(t)
	for _, c := range tamperings {
		t.Run(c.name, func(t *testing.T) {
			w := m.memory(t).atRest()
			d := deliveryNumber(2, true)
			must.Equal(t, w.stage(d), "", "staged with")
			w.diesPromoting(d)
			w.ended[d.TransactionID] = adapter.PromotionInterrupted
			w.afterwards(w.tamper(c, "pointer"))
			check.Equal(t, adapter.CodeOf(w.call(promoteOnce(d))), adapter.PromotionInterrupted, "promoted with")
		})
	}
}

// TestPutBackByHand: while the node is down in the middle of a promotion, the operator puts
// back the pointer from before. It is the node's own, so the recovery continues from it.
func TestPutBackByHand(t *testing.T) {
	w := newMaker(t).memory(t).atRest()
	d := deliveryNumber(2, true)
	must.Equal(t, w.stage(d), "", "staged with")
	before := w.standing()
	w.diesPromoting(d)
	must.Equal(t, w.standing().number, before.number+1, "the version of the pointer")
	w.place.put(t, "pointer", before.record)
	w.tampered = true
	w.settle()
	check.Equal(t, w.promote(d), adapter.PromotionInterrupted, "promoted with")
	w.epilogue()
}

// TestForeignAnywhere has someone else change a record at any point of the story. Whatever the
// change does to the rotations, the node neither adopts it nor overwrites it, and continues
// once it is mended. A check-and-set cannot see a pointer that was removed with its history
// and brought to the same version.
func TestForeignAnywhere(t *testing.T) {
	m := newMaker(t)
	last := len(recorded(t, m.memory(t)))
	checks(t, 100, 12)
	rapid.Check(t, func(t *rapid.T) {
		w := m.memory(t)
		at := rapid.IntRange(0, last-1).Draw(t, "point")
		c := rapid.SampledFrom(tamperings).Draw(t, "tampering")
		path := rapid.SampledFrom([]string{"pointer", "pointer", "active", "standby", "previous"}).Draw(t, "record")
		var change changed
		w.script = func(p point) outcome {
			if p.number != at {
				return fine
			}
			if path != "pointer" {
				path = "generations/" + seal.Text(w.standing().record, path)
			}
			if w.place.metadata(w.t, path).number > 0 {
				change = w.tamper(c, path)
			}
			return fine
		}
		err := w.tamperedStory(&change)
		w.script = nil
		if err != nil || w.check() != nil {
			w.mended(change)
		} else if w.foreign && change.effect == strange && path == "pointer" && change.found.number != change.was.number {
			w.t.Fatalf("all is well, and the pointer is %v", w.standing())
		}
		w.foreign = false
		w.epilogue()
	})
}

// tamperedStory plays the story as far as it gets, and returns the node's error then.
func (w *world) tamperedStory(change *changed) error {
	w.t.Helper()
	for n, mode := range []string{"", follows, slow, stuck, ""} {
		if n > 0 && mode != "" {
			w.service.tell(mode)
			_ = w.deliver(deliveryNumber(n, true))
		}
		if n == 4 {
			w.now = w.now.Add(window)
		}
		err := w.check()
		switch code := adapter.CodeOf(err); {
		case err == nil:
			continue
		case slices.Contains([]string{adapter.PointerInvalid, adapter.StateInvalid, adapter.BootstrapFailed}, code) &&
			change.path != "":
			w.untouched(*change)
			return err
		}
		w.t.Fatalf("%s was %s: %v", change.path, change.name, err)
	}
	return nil
}
