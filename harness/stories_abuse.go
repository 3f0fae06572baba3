package harness

import (
	"time"

	"github.com/svc-edge/svc-verify/harness/cloud"
	"github.com/svc-edge/svc-verify/harness/node"
	"github.com/svc-edge/svc-verify/harness/seal"
)

// abuse is a story of the fleet in which someone abuses a key for one transaction. The
// journals and the tenant log record the truth before and after it, so that only a comparison
// of the two shows it.
type abuse func(*fleet, *cloud.Transaction)

// abused is the transaction.
const abused = "tx-2026-0666"

// stolenNode is the node whose key was stolen, accomplice one that does its
// work without knowing.
func (f *fleet) stolenNode() *node.Node  { return f.Nodes[2] }
func (f *fleet) helpingNode() *node.Node { return f.Nodes[0] }

// playAbuse plays honest shifts around the abuse.
func playAbuse(profile string, committed abuse) func(*World, Options) {
	return func(w *World, _ Options) {
		f := fleet{World: w, rotateAt: fleetEvents}
		f.playShift(0)
		f.playShift(1)
		o := orderOf(abused)
		o.Profile, o.Lifetime = profile, 20*24*time.Hour
		committed(&f, seal.Must(f.Request(o)))
		f.newPolicy()
		f.playShift(2)
		f.playShift(3)
		seal.Do(f.Report(f.Nodes...), f.Witness(f.Nodes...))
	}
}

// finishIssuance has the accomplice decide, and the certificate issued and proved.
func (f *fleet) finishIssuance(t *cloud.Transaction) {
	seal.Do(f.Decide(t, f.helpingNode()), f.Complete(t), f.Export(t, f.shiftWorkers(2)...))
}

// approveHonestly has two nodes approve.
func (f *fleet) approveHonestly(t *cloud.Transaction) {
	seal.Do(f.Approve(t, f.helpingNode(), f.Nodes[1]))
}

// inName signs a statement like another one in the victim's name, which the
// victim's journal then does not know.
func (f *fleet) inName(envelope seal.Object) seal.Object {
	statement := seal.CloneObject(seal.Member(envelope, "statement"))
	statement["node_id"] = f.stolenNode().ID()
	return seal.Seal(statement, f.stolenNode().Key())
}

func stealApproval(f *fleet, t *cloud.Transaction) {
	approval := f.helpingNode().Approve(t.Case)
	seal.Do(f.Cloud.RecordApproval(t, approval), f.Cloud.RecordApproval(t, f.inName(approval)))
	f.finishIssuance(t)
}

// overruleDenial has the victim deny, since it has a newer policy that allows
// less, and the thief allow.
func overruleDenial(f *fleet, t *cloud.Transaction) {
	approval := f.helpingNode().Approve(t.Case)
	f.version++
	seal.Do(
		f.Cloud.RecordApproval(t, approval),
		f.PublishPolicy(firstPolicy+f.version, f.stolenNode()),
		f.Approve(t, f.stolenNode()),
		f.Cloud.RecordApproval(t, f.inName(approval)),
	)
	f.finishIssuance(t)
}

func stealCapability(f *fleet, t *cloud.Transaction) {
	seal.Do(f.Cloud.AddCapability(t, f.inName(f.helpingNode().Observe("edge-gateway", "attested-boot"))))
	honestStory(f, t)
}

// stealReceipt has two nodes witness, and the thief in the victim's name.
func stealReceipt(f *fleet, t *cloud.Transaction) {
	f.approveHonestly(t)
	seal.Do(f.Decide(t, f.helpingNode()), f.Complete(t))
	checkpoint := f.Cloud.Checkpoint()
	receipt := seal.Must(f.helpingNode().Witness(checkpoint, f.Cloud.Links(f.helpingNode().Witnessed())))
	seal.Do(f.Cloud.RecordWitness(f.inName(receipt)), f.Export(t, f.helpingNode(), f.Nodes[1]))
}

// hideApproval has the cloud keep an approval out of its log.
func hideApproval(f *fleet, t *cloud.Transaction) {
	seal.Do(f.Approve(t, f.helpingNode()))
	t.Case.Approvals = append(t.Case.Approvals, f.Nodes[1].Approve(t.Case))
	f.finishIssuance(t)
}

// hideDecision has the cloud keep the customer's decision out of its log.
func hideDecision(f *fleet, t *cloud.Transaction) {
	f.approveHonestly(t)
	t.Case.Customer = f.helpingNode().Decide(t.Case)
	f.Cloud.Decide(t)
	seal.Do(f.Complete(t), f.Export(t, f.shiftWorkers(2)...))
}

// issueWhilePaused has the kill switch used, and ignored.
func issueWhilePaused(f *fleet, t *cloud.Transaction) {
	f.approveHonestly(t)
	f.Cloud.Note("issuance.paused", seal.Object{"reason": "incident"})
	f.finishIssuance(t)
	f.Cloud.Note("break_glass.resume_requested", seal.Object{"reason": "incident over"})
	f.Cloud.Note("issuance.resumed", seal.Object{"reason": "incident over"})
}

// loseAnswer has a node sign an approval that gets lost on its way.
func loseAnswer(f *fleet, t *cloud.Transaction) {
	f.Nodes[3].Approve(t.Case)
	honestStory(f, t)
}

func abuses() []story {
	list := []struct {
		name, summary, profile string
		play                   abuse
	}{
		{"stolen-approval", "a certificate rests on an approval by a stolen node key", "payments-api", stealApproval},
		{"overruled-denial", "a node denied, and its stolen key approved", "payments-api", overruleDenial},
		{"stolen-capability", "a certificate rests on capability evidence by a stolen node key", "edge-gateway",
			stealCapability},
		{"stolen-receipt", "a bundle has a witness receipt by a stolen node key", "payments-api", stealReceipt},
		{"hidden-approval", "the cloud keeps an approval out of its log", "payments-api", hideApproval},
		{"hidden-decision", "the cloud keeps a decision out of its log", "payments-api", hideDecision},
		{"paused", "a certificate is issued while issuance is paused", "payments-api", issueWhilePaused},
		{"lost-answer", "a node's approval never reaches the service", "payments-api", loseAnswer},
		{"unabused", "as these, but nobody abuses anything", "payments-api", honestStory},
	}
	var all []story
	for _, a := range list {
		all = append(all, story{Description{a.name, a.summary, true}, FiveNodes(), playAbuse(a.profile, a.play)})
	}
	return all
}

// honestStory is the story without an abuse.
func honestStory(f *fleet, t *cloud.Transaction) {
	f.approveHonestly(t)
	f.finishIssuance(t)
}
