package harness

import (
	"cmp"
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
func playFleet(w *World, options Options) {
	length := uint64(cmp.Or(options.Events, fleetEvents))
	f := fleet{World: w, rotateAt: length / 2}
	for shift := 0; w.Cloud.Sequence() < length; shift++ {
		f.playShift(shift)
	}
	seal.Do(w.Witness(w.Nodes...))
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
func (f *fleet) playShift(number int) {
	f.Clock.Pass(fleetShift)
	if f.generation == 1 && f.Cloud.Sequence() >= f.rotateAt {
		f.RotateKeys()
	}
	seal.Do(f.Report(f.Nodes...), f.Traffic(5))
	happens := []func(){f.proveIssuance, f.playDenial, f.playPause, f.proveIssuance, f.playRevocation, f.newPolicy}
	happens[number%len(happens)]()
	seal.Do(f.Witness(f.shiftWorkers(number)...))
}

// proveIssuance issues a certificate on capability evidence of two nodes, and hands out
// the proof.
func (f *fleet) proveIssuance() {
	f.made++
	o := orderOf(fmt.Sprintf("tx-2026-%04d", f.made))
	o.Profile = "edge-gateway"
	t, pair := seal.Must(f.Request(o)), f.twoNodes()
	seal.Do(
		f.Observe(t, pair[1], "attested-boot"),
		f.Approve(t, pair...),
		f.Decide(t, pair[0]),
		f.Complete(t),
	)
	if len(f.exports) < mostFleetProofs {
		f.issued = append(f.issued, t)
		seal.Do(f.Export(t, f.shiftWorkers(f.made)...)) // one more than the quorum witnesses it
	}
}

// playDenial asks for a lifetime that no policy allows.
func (f *fleet) playDenial() {
	long := f.otherOrder()
	long.Lifetime = 60 * 24 * time.Hour
	t, pair := seal.Must(f.Request(long)), f.twoNodes()
	seal.Do(f.Approve(t, pair...), f.Decide(t, pair[0]))
}

// playPause has the kill switch used, and the pause ended as it must be.
func (f *fleet) playPause() {
	f.Cloud.Note("issuance.paused", seal.Object{"reason": "incident drill"})
	seal.Do(f.Report(f.Nodes...))
	f.Clock.Pass(time.Minute)
	f.Cloud.Note("break_glass.resume_requested", seal.Object{"reason": "drill over"})
	f.Cloud.Note("issuance.resumed", seal.Object{"reason": "drill over"})
}

// playRevocation revokes the oldest certificate that was proved, and hands out the proof
// of that. It leaves one.
func (f *fleet) playRevocation() {
	if len(f.issued) < 2 {
		f.ChangeIntegration()
		return
	}
	t := f.issued[0]
	f.issued = f.issued[1:]
	seal.Do(f.Revoke(t, "superseded"), f.Export(t, f.shiftWorkers(f.made)...))
}

func (f *fleet) newPolicy() {
	f.version++
	seal.Do(f.PublishPolicy(firstPolicy+f.version, f.Nodes...))
}

// shiftWorkers are the four nodes that are connected during a shift.
func (f *fleet) shiftWorkers(number int) []*node.Node {
	away := number % len(f.Nodes)
	return slices.Concat(f.Nodes[:away], f.Nodes[away+1:])
}
