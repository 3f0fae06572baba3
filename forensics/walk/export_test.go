package walk

import (
	"context"
	"strings"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/internal/form"
	"github.com/svc-edge/svc-verify/trust"
)

// Bounds that tests go beyond, or vary.
const (
	MostCopies    = mostCopies
	MostEvidence  = mostEvidence
	MostBranches  = mostBranches
	SectionEvents = sectionEvents
)

// RunCut is [Run] with sections of so many events.
func RunCut(ctx context.Context, reader Reader, root *trust.Root, options Options,
	section int) (*Result, *State, error) {
	w := newWalker(reader, root, options)
	w.section = section
	return w.runSince(ctx, options.Since)
}

// LargestTestimony is as large as the bounds of a bundle and of its values admit.
func LargestTestimony() *Testimony {
	id, name := strings.Repeat("x", 100), strings.Repeat("x", 128)
	text := strings.Repeat("\x01", MaxText) + "..."
	t := &Testimony{Log: facts.Log{TenantID: id, LogID: "tenant/" + id}, Sequence: form.MaxInt,
		Anchor: &Attested{By: WitnessedCheckpoint, At: 1}, Fault: &Fault{finding.CheckpointUnderQuorum, text, text}}
	for range mostUses {
		t.Uses = append(t.Uses, PartUse{SignedCheckpoints, name, trust.Signatory{Role: trust.Signer, Node: id}, KeyOfOther})
	}
	for i := range mostNamed {
		k := KnownEvent{Sequence: form.MaxInt - uint64(i), Hash: chain.Hash{}.String()}
		if i%3 == 0 { // each link can disclose its own event
			k.Disclosed, k.Type, k.TransactionID = true, name, id
		}
		t.Known = append(t.Known, k)
	}
	return t
}
