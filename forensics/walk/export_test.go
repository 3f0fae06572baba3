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
	return w.runSince(ctx, options)
}

// LargestTestimony is as large as the bounds of a bundle and of its values admit.
func LargestTestimony() *facts.Testimony {
	id, name := strings.Repeat("x", 100), strings.Repeat("x", 128)
	text := strings.Repeat("\x01", facts.MaxText) + "..."
	t := &facts.Testimony{Log: facts.Log{TenantID: id, LogID: "tenant/" + id}, Sequence: form.MaxInt,
		Anchor: &facts.Attested{By: facts.WitnessedCheckpoint, At: 1},
		Fault:  &facts.Fault{Code: finding.CheckpointUnderQuorum, Expected: text, Found: text}}
	for range 3*form.MaxList + 5 {
		t.Uses = append(t.Uses, facts.PartUse{Kind: facts.SignedCheckpoints, KeyID: name,
			Role: trust.Signer, Node: id, Pinning: facts.KeyOfOther})
	}
	for i := range 3 * form.MaxPathLinks {
		k := facts.KnownEvent{Sequence: form.MaxInt - uint64(i), Hash: chain.Hash{}.String()}
		if i%3 == 0 { // each link can disclose its own event
			k.Disclosed, k.Type, k.TransactionID = true, name, id
		}
		t.Known = append(t.Known, k)
	}
	return t
}
