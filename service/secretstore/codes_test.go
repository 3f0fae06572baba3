package secretstore_test

import (
	"errors"
	"os"
	"testing"

	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/service/adapter"
	"github.com/svc-edge/svc-verify/service/kv"
	"github.com/svc-edge/svc-verify/service/kv/kvtest"
)

// expect polls once and expects a code, "" for all is well.
func (w *world) expect(code string) {
	w.t.Helper()
	err := w.check()
	must.That(w.t, adapter.CodeOf(err) == code, "expected code %q, found %v", code, err)
}

// rewrite replaces a small file, and returns a function that restores it.
func rewrite(t *testing.T, path string, content []byte, mode os.FileMode) func() {
	t.Helper()
	before, err := os.ReadFile(path)
	write := func(content []byte, mode os.FileMode) {
		must.Do(t, errors.Join(os.WriteFile(path, content, mode), os.Chmod(path, mode)))
	}
	must.Do(t, err)
	write(content, mode)
	return func() { write(before, 0o600) }
}

// unavailable makes a store unusable in several ways, each with its undo.
var unavailable = map[string]func(t *testing.T, w *world, b kvtest.Backend) (undo func()){
	"no connection": func(_ *testing.T, w *world, _ kvtest.Backend) func() {
		address := w.settings.Address
		w.settings.Address = "https://127.0.0.1:1"
		return func() { w.settings.Address = address }
	},
	"an unknown token": func(t *testing.T, w *world, _ kvtest.Backend) func() {
		return rewrite(t, w.settings.TokenFile.Path, []byte("hvs.unknown"), 0o600)
	},
	"sealed": func(t *testing.T, _ *world, b kvtest.Backend) func() {
		b.Seal(t)
		return func() { b.Unseal(t) }
	},
}

// TestUnavailable: the store cannot be used, and can be used again. Where a
// promotion was interrupted before, the code is another one.
func TestUnavailable(t *testing.T) {
	kvtest.Each(t, func(t *testing.T, b kvtest.Backend) {
		m := newMaker(t)
		for name, unusable := range unavailable {
			t.Run(name, func(t *testing.T) {
				w := m.real(t, b)
				undo := unusable(t, w, b) // before the first contact
				w.expect(adapter.StoreUnavailable)
				undo()
				w.atRest()

				undo = unusable(t, w, b)
				w.expect(adapter.StoreUnavailable)
				undo()
				w.expect("")

				d := deliveryNumber(2, true)
				must.Equal(t, w.stage(d), "", "staged with")
				w.diesPromoting(d)
				undo = unusable(t, w, b)
				w.expect(adapter.RecoveryPending)
				w.expect(adapter.RecoveryPending)
				undo()
				w.expect("")
				check.Equal(t, w.promote(d), adapter.PromotionInterrupted, "promoted with")
				w.epilogue()
			})
		}
	})
}

// TestPolicy runs the story with a token of exactly the documented policy, and
// shows what each capability is for: without it something fails, with the right
// code, and all is well as soon as it is there again.
func TestPolicy(t *testing.T) {
	everywhere(t, 1, 3, func(t *testing.T, world func(*testing.T) *world, few int) {
		for i, c := range []struct {
			path                  int // in AdapterRules: data, metadata
			capability            string
			first, later, rotated string // codes of the bootstrap, of a check at rest, of a rotation
		}{
			{0, "create", adapter.BootstrapFailed, "", adapter.StoreUnavailable},
			{0, "update", "", "", adapter.StoreUnavailable},
			{0, "read", "", "", adapter.StoreUnavailable},
			{1, "read", adapter.StoreUnavailable, adapter.StoreUnavailable, ""},
		} {
			if i%few != 0 {
				continue
			}
			t.Run(kv.AdapterRules("m", "b")[c.path].Path+" "+c.capability, func(t *testing.T) {
				w := world(t)
				whole := kv.AdapterRules(w.place.mount, w.place.base)
				less := []byte(w.place.token(kvtest.Without(whole, c.path, c.capability)...))
				undo := rewrite(t, w.settings.TokenFile.Path, less, 0o600)
				w.expect(c.first)
				undo()
				w.atRest()
				undo = rewrite(t, w.settings.TokenFile.Path, less, 0o600)
				w.expect(c.later)
				code := w.deliver(deliveryNumber(2, true))
				check.That(t, c.rotated == "" || code == c.rotated, "the rotation ended with %q, expected %q", code, c.rotated)
				undo()
				w.epilogue()
			})
		}
	})
}

// TestBootstrapFailed: something is in the way of the first assignment.
func TestBootstrapFailed(t *testing.T) {
	everywhere(t, 3, 9, func(t *testing.T, world func(*testing.T) *world, few int) {
		for i, c := range []struct {
			name, path, code string
			then             func(place, tester, string) // after a record was put there
		}{
			{"a pointer", "pointer", adapter.BootstrapFailed, nil},
			{"a deleted pointer", "pointer", adapter.BootstrapFailed, place.softDelete},
			{"a destroyed pointer", "pointer", adapter.BootstrapFailed,
				func(p place, t tester, path string) { p.destroy(t, path, 1) }},
			{"a removed pointer", "pointer", "", place.forget},
			{"the first slot", "generations/slot-000001", adapter.BootstrapFailed, nil},
			{"the first slot, deleted", "generations/slot-000001", adapter.BootstrapFailed, place.softDelete},
			{"the first slot, removed", "generations/slot-000001", "", place.forget},
			{"the second slot", "generations/slot-000003", "", nil},
			{"another path", "elsewhere", "", nil},
		} {
			if i%few != 0 {
				continue
			}
			t.Run(c.name, func(t *testing.T) {
				w := world(t)
				w.place.put(t, c.path, seal.Object{"protocol": "another"})
				if c.then != nil {
					c.then(w.place, t, c.path)
				}
				before := w.place.metadata(t, c.path)
				w.expect(c.code)
				if c.code == "" {
					return
				}
				w.expect(c.code)
				check.Equal(t, w.place.metadata(t, c.path).number, before.number, "%s was written over", c.path)
				w.place.forget(t, c.path)
				w.epilogue()
			})
		}
	})
}
