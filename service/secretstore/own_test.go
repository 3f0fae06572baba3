package secretstore_test

import (
	"context"
	"errors"
	"os"
	"testing"
	"time"

	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/service/adapter"
)

// TestSlotTaken: a slot that someone else wrote to is used up, and the rotation fails. The
// next one uses the next slot.
func TestSlotTaken(t *testing.T) {
	w := newMaker(t).memory(t).atRest()
	w.place.put(t, "generations/slot-000003", seal.Object{"protocol": "another"})
	check.Equal(t, w.stage(deliveryNumber(2, true)), adapter.StateInvalid, "staged with")
	w.epilogue()
}

// TestOwnState: a state that cannot be read ends everything, and nothing is
// written.
func TestOwnState(t *testing.T) {
	for name, change := range map[string]func(seal.Object){
		"no slot": func(o seal.Object) { delete(o, "next_slot") },
		"a pointer that is none": func(o seal.Object) {
			seal.Member(seal.Member(o, "pointer"), "record")["active"] = "slot-1"
		},
		"a name of no slot": func(o seal.Object) { seal.Member(o, "generations")["slot-1"] = seal.Object{} },
	} {
		t.Run(name, func(t *testing.T) {
			w := newMaker(t).memory(t).atRest()
			j := w.journal
			whole := j.state
			state := must.Get(j.Load())(t)
			change(state)
			j.state = seal.Canonical(state)
			before := w.standing().number
			w.start()
			w.expect(adapter.StateInvalid)
			code := w.stage(deliveryNumber(2, true))
			check.That(t, code == adapter.StateInvalid && w.standing().number == before, "staged with %q", code)
			j.state = whole
			w.start()
			w.epilogue()
		})
	}
}

// TestManagedDirectory: the directory cannot be written to.
func TestManagedDirectory(t *testing.T) {
	w := newMaker(t).memory(t)
	managed := w.settings.ManagedDirectory.Path
	swap := func(away bool) {
		from, to := managed+".away", managed
		if away {
			from, to = to, from
		}
		must.Do(t, os.Rename(from, to))
	}
	swap(true)
	w.expect(adapter.Unavailable)
	swap(false)
	w.atRest()
	swap(true)
	check.Equal(t, w.deliver(deliveryNumber(2, true)), adapter.Unavailable, "delivered with")
	swap(false)
	w.epilogue()
}

// TestDeliveryInvalid: the issued certificates cannot be used. Nothing of it reaches the
// store.
func TestDeliveryInvalid(t *testing.T) {
	good, other := deliveryNumber(2, true), deliveryNumber(3, true)
	for name, change := range map[string]func(*delivery){
		"the key of another":    func(d *delivery) { d.Key = other.Key },
		"no certificate":        func(d *delivery) { d.Certificates = nil },
		"issuer first":          func(d *delivery) { d.Certificates = [][]byte{d.Certificates[1], d.Certificates[0]} },
		"garbage":               func(d *delivery) { d.Certificates = [][]byte{[]byte("?")} },
		"the leaf alone (fine)": func(d *delivery) { d.Certificates = d.Certificates[:1] },
	} {
		t.Run(name, func(t *testing.T) {
			w := newMaker(t).memory(t).atRest()
			d := good
			change(&d)
			d.digest = pemDigest(d.Certificates)
			code, written := w.deliver(d), len(w.mine)
			fine := name == "the leaf alone (fine)"
			check.That(t, fine == (code == "") && (fine || code == adapter.DeliveryInvalid && written == 2),
				"delivered with %q, %d generations", code, written)
			w.epilogue()
		})
	}
}

// TestReloadFailed: the program that has the workload take up the certificate
// fails; the pointer is put back.
func TestReloadFailed(t *testing.T) {
	w := newMaker(t).memory(t).atRest()
	before := w.active()
	w.service.tell(reloadFails)
	if code := w.deliver(deliveryNumber(2, true)); code != adapter.ReloadFailed || w.active() != before {
		t.Errorf("delivered with %q, %s is in use", code, w.active())
	}
	w.epilogue()
}

// TestWindow: a certificate that shows at the end of the rollback window is
// confirmed, one that shows later is not, whatever is done to the clock.
func TestWindow(t *testing.T) {
	for _, c := range []struct {
		name  string
		after time.Duration // until the new leaf shows, however the clock is set
		at    string        // where the clock is set
		step  time.Duration
		code  string
	}{
		{"in time", window - time.Second, "", 0, ""},
		{"too late", window + time.Second, "", 0, adapter.PromotionUnconfirmed},
		{"set back, in time", window - time.Second, "probe", -time.Hour, ""},
		{"set back, too late", window + time.Second, "probe", -time.Hour, adapter.PromotionUnconfirmed},
		{"set back in a pause, in time", window - time.Second, "wait", -time.Hour, ""},
		{"set back in a pause, too late", window + time.Second, "wait", -time.Hour, adapter.PromotionUnconfirmed},
		{"set forward by a second", 0, "probe", time.Second, ""},
		{"set forward over the window", 0, "probe", window + time.Second, adapter.PromotionUnconfirmed},
		{"set forward to its end", time.Second, "probe", window, adapter.PromotionUnconfirmed},
		{"set forward in a pause", time.Second, "wait", window, adapter.PromotionUnconfirmed},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newMaker(t).memory(t).atRest()
			w.service.tell(stuck)
			var stepped time.Duration // by how much the clock was set
			began := w.now
			w.script = func(p point) outcome {
				if w.now.Sub(began)-stepped >= c.after {
					w.service.tell(follows)
				}
				if p.name == c.at && stepped == 0 {
					w.now, stepped = w.now.Add(c.step), c.step
				}
				return fine
			}
			check.Equal(t, w.deliver(deliveryNumber(2, true)), c.code, "delivered with")
			w.epilogue()
		})
	}
}

// TestContextEnds: a delivery whose context ends is not decided, and the next check reverts
// it.
func TestContextEnds(t *testing.T) {
	for _, at := range []string{"write generations/slot-000003", "stage", "read generations/slot-000003", "move", "reload",
		"probe", "wait"} {
		t.Run(at, func(t *testing.T) {
			w := newMaker(t).memory(t).atRest()
			before := w.active()
			w.service.tell(stuck)
			d := deliveryNumber(2, true)
			why := errors.New("the integration was disabled")
			ctx, cancel := context.WithCancelCause(context.Background())
			w.cancel = func() { cancel(why) }
			w.script = func(p point) outcome { return map[string]outcome{at: stopBefore}[p.name] }
			err := w.node.Stage(ctx, d.Delivery)
			if err == nil {
				err = w.node.Promote(ctx, d.Delivery)
			}
			known := new(adapter.Fault)
			check.That(t, errors.Is(err, why) && !errors.As(err, &known), "expected the cause of the end, found %v", err)
			w.script = nil
			w.settle()
			check.Equal(t, w.active(), before, "is in use")
			w.epilogue()
		})
	}
}

// TestAuthority: a location belongs to one integration at a time.
func TestAuthority(t *testing.T) {
	w := newMaker(t).memory(t).atRest()
	other := desired
	other.IntegrationID = "store-2"
	d := deliveryNumber(2, true)
	d.Desired = other
	background := context.Background()
	for name, err := range map[string]error{
		"check": w.node.Check(background, other), "stage": w.node.Stage(background, d.Delivery),
		"promote": w.node.Promote(background, d.Delivery),
	} {
		check.Equal(t, adapter.CodeOf(err), adapter.ReferenceInvalid, "%s: %v", name, err)
	}
	if err := w.node.Withdraw(background, other); err != nil || w.told("store.withdrawn") != 0 {
		t.Errorf("another integration's authority was withdrawn: %v", err)
	}
	w.settle()

	before := w.standing().number
	err := w.node.Withdraw(background, desired)
	must.That(t, err == nil && w.told("store.withdrawn") == 1 &&
		w.standing().number == before, "withdrawn: %v", err)
	check.That(t, adapter.CodeOf(w.node.Stage(background, d.Delivery)) != "",
		"staged for an integration that nobody has assigned")
	w.desired = other
	w.start()
	w.settle()
	code := w.deliver(d)
	check.That(t, code == "" && w.told("store.bootstrapped") == 1, "delivered with %q", code)
}

// TestWithdrawWhileAway: an authority does not end before the interrupted work does.
func TestWithdrawWhileAway(t *testing.T) {
	w := newMaker(t).memory(t).atRest()
	before := w.active()
	d := deliveryNumber(2, true)
	must.Equal(t, w.stage(d), "", "staged with")
	w.script = func(p point) outcome {
		w.line.down = w.line.down || p.name == "probe"
		return fine
	}
	w.service.tell(stuck)
	_ = w.promote(d)
	w.script = nil
	code := adapter.CodeOf(w.node.Withdraw(context.Background(), desired))
	check.That(t, code == adapter.RecoveryPending &&
		w.told("store.withdrawn") == 0, "withdrawn with %q", code)
	w.line.down = false
	err := w.node.Withdraw(context.Background(), desired)
	check.That(t, err == nil && w.active() == before && w.standing().record["standby"] == nil,
		"%v; %s is in use", err, w.active())
}

// TestLastSlot: the number of slots has an end, and none is used twice.
func TestLastSlot(t *testing.T) {
	w := newMaker(t).memory(t).atRest()
	j := w.journal
	state := must.Get(j.Load())(t)
	state["next_slot"] = int64(999999)
	j.state = seal.Canonical(state)
	w.start()
	if code := w.deliver(deliveryNumber(2, true)); code != "" || w.active() != "slot-999999" {
		t.Fatalf("delivered with %q, %s is in use", code, w.active())
	}
	if code := w.deliver(deliveryNumber(3, true)); code != adapter.StateInvalid || w.active() != "slot-999999" {
		t.Errorf("delivered with %q, %s is in use", code, w.active())
	}
	w.settle()
}

// TestAwayWhilePromoting: the store goes away for good in the middle of a promotion. The node
// reports that a recovery is pending until the store is back.
func TestAwayWhilePromoting(t *testing.T) {
	m := newMaker(t)
	for _, at := range []string{"move", "probe", "restore"} {
		t.Run(at, func(t *testing.T) {
			w := m.memory(t).atRest()
			before := w.active()
			w.service.tell(stuck)
			w.script = func(p point) outcome {
				w.line.down = w.line.down || p.name == at
				return fine
			}
			d := deliveryNumber(2, true)
			want := map[string]string{"move": adapter.StoreUnavailable}[at]
			if want == "" {
				want = adapter.PromotionUnconfirmed
			}
			check.Equal(t, w.deliver(d), want, "delivered with")
			w.script = nil
			w.expect(adapter.RecoveryPending)
			check.Equal(t, adapter.CodeOf(w.call(promoteOnce(d))), adapter.RecoveryPending, "promoted again with")
			w.start()
			w.expect(adapter.RecoveryPending)
			w.line.down = false
			w.expect("")
			check.Equal(t, w.active(), before, "is in use")
			w.epilogue()
		})
	}
}
