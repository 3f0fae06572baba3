package harness

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/svc-edge/svc-verify/harness/cloud"
	"github.com/svc-edge/svc-verify/harness/node"
	"github.com/svc-edge/svc-verify/harness/seal"
)

// The rhythm of the fleet scene.
const (
	fleetEvents     = 400 // of the tenant log, by default
	fleetShift      = 15 * time.Minute
	mostFleetProofs = 6 // bundles that are handed out, however long the scene is
)

// playFleet plays shift after shift, replaces every key halfway, and ends with
// a checkpoint of everything.
func playFleet(w *World, options Options) error {
	length := uint64(fleetEvents)
	if options.Events > 0 {
		length = uint64(options.Events)
	}
	f := fleet{World: w, rotateAt: length / 2}
	for shift := 0; w.Cloud.Sequence() < length; shift++ {
		if err := f.playShift(shift); err != nil {
			return fmt.Errorf("shift %d: %w", shift, err)
		}
	}
	return w.Witness(w.Nodes...)
}

// fleet is the scene while it is played.
type fleet struct {
	*World
	rotateAt uint64               // the sequence from which on the second generation of keys is used
	issued   []*cloud.Transaction // and not revoked
	made     int                  // transactions of its own
	version  int64                // of the policy, beyond the first
}

// playShift plays the usual traffic and one thing out of the ordinary.
func (f *fleet) playShift(number int) error {
	f.Clock.Pass(fleetShift)
	if f.generation == 1 && f.Cloud.Sequence() >= f.rotateAt {
		if err := f.RotateKeys(); err != nil {
			return err
		}
	}
	happens := []func() error{f.proveIssuance, f.playDenial, f.playPause, f.proveIssuance, f.playRevocation, f.newPolicy}
	return errors.Join(f.Report(f.Nodes...), f.Traffic(5), happens[number%len(happens)](),
		f.Witness(f.shiftWorkers(number)...))
}

// proveIssuance issues a certificate on capability evidence of two nodes, and hands out
// the proof.
func (f *fleet) proveIssuance() error {
	f.made++
	o := orderOf(fmt.Sprintf("tx-2026-%04d", f.made))
	o.Profile = "edge-gateway"
	t, err := f.Request(o)
	if err != nil {
		return err
	}
	pair := f.twoNodes()
	err = errors.Join(
		f.Observe(t, pair[1], "attested-boot"),
		f.Approve(t, pair...),
		f.Decide(t, pair[0]),
		f.Complete(t),
	)
	if err != nil || len(f.exports) >= mostFleetProofs {
		return err
	}
	f.issued = append(f.issued, t)
	// One more than the quorum witnesses it.
	return f.Export(t, f.shiftWorkers(f.made)...)
}

// playDenial asks for a lifetime that no policy allows.
func (f *fleet) playDenial() error {
	long := f.otherOrder()
	long.Lifetime = 60 * 24 * time.Hour
	t, err := f.Request(long)
	if err != nil {
		return err
	}
	pair := f.twoNodes()
	return errors.Join(f.Approve(t, pair...), f.Decide(t, pair[0]))
}

// playPause has the kill switch used, and the pause ended as it must be.
func (f *fleet) playPause() error {
	f.Cloud.Note("issuance.paused", seal.Object{"reason": "incident drill"})
	err := f.Report(f.Nodes...)
	f.Clock.Pass(time.Minute)
	f.Cloud.Note("break_glass.resume_requested", seal.Object{"reason": "drill over"})
	f.Cloud.Note("issuance.resumed", seal.Object{"reason": "drill over"})
	return err
}

// playRevocation revokes the oldest certificate that was proved, and hands out the proof
// of that. It leaves one.
func (f *fleet) playRevocation() error {
	if len(f.issued) < 2 {
		f.ChangeIntegration()
		return nil
	}
	t := f.issued[0]
	f.issued = f.issued[1:]
	return errors.Join(f.Revoke(t, "superseded"), f.Export(t, f.shiftWorkers(f.made)...))
}

func (f *fleet) newPolicy() error {
	f.version++
	return f.PublishPolicy(firstPolicy+f.version, f.Nodes...)
}

// shiftWorkers are the four nodes that are connected during a shift.
func (f *fleet) shiftWorkers(number int) []*node.Node {
	away := number % len(f.Nodes)
	return slices.Concat(f.Nodes[:away], f.Nodes[away+1:])
}
