package crosscheck

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/facts"
)

// A node witnessed another head than the tenant log has: the log and the journal
// contradict each other, each under the key of its owner. The log is rejected if the
// checkpoint that the node names is here, or if the journals of two nodes say the same.
// Otherwise nothing shows which of the two is right (SPEC 13.4).

// witnessedHead is a head of an event of a tenant log that is not the one of the event.
type witnessedHead struct {
	log      facts.Log
	sequence uint64
	head     chain.Hash
}

// contradicting is a journal's event that witnesses another head, and the event of the
// tenant log.
type contradicting struct {
	journal    facts.Log
	event      uint64
	keyID      string
	ref        facts.Ref
	genuine    chain.Hash
	genuineKey string
	genuineRef facts.Ref
	proof      string // the audit key that signed a checkpoint of the other head, "" for none
}

// mostOthers bounds the witnessed heads that wait for another node to say the same.
const mostOthers = 1 << 16

// contradicted notes that a node witnessed another head than the tenant log has.
func (w *witnesses) contradicted(ctx context.Context, s *statement, genuine *facts.Event) error {
	h := witnessedHead{facts.TenantLog(s.log.TenantID), s.said.Sequence, s.said.Head}
	c := contradicting{s.log, s.Link.Sequence, s.KeyID, s.Ref, genuine.Recorded, genuine.KeyID, genuine.Ref, ""}
	known := w.records.subjects[s.said.Digest]
	if known.kind == aCheckpoint && known.sequence == h.sequence && known.head == h.head {
		c.proof = known.keyID
	}
	if w.kept++; w.kept > mostOthers {
		return w.settleHead(ctx, h, []contradicting{c})
	}
	w.others[h] = append(w.others[h], c)
	return nil
}

// settleOthers settles the heads that wait.
func (w *witnesses) settleOthers(ctx context.Context) error {
	for _, h := range slices.SortedFunc(maps.Keys(w.others), func(a, b witnessedHead) int {
		return cmp.Or(a.log.Compare(b.log), cmp.Compare(a.sequence, b.sequence), bytes.Compare(a.head[:], b.head[:]))
	}) {
		if err := w.settleHead(ctx, h, w.others[h]); err != nil {
			return err
		}
	}
	return nil
}

// settleHead reports what one other head shows, for all its witnesses.
func (w *witnesses) settleHead(ctx context.Context, h witnessedHead, all []contradicting) error {
	if i := slices.IndexFunc(all, func(c contradicting) bool { return c.proof != "" }); i >= 0 {
		return w.rejectLog(ctx, h, all[i:], fmt.Sprintf(
			"A split view is proven: audit key %s signed the checkpoint of that head, which is here.", all[i].proof))
	}
	if slices.ContainsFunc(all, func(c contradicting) bool { return c.journal != all[0].journal }) {
		return w.rejectLog(ctx, h, all, "The journals of two nodes say the same of that head.")
	}
	for _, c := range all {
		if err := w.disputeHead(ctx, h, c); err != nil {
			return err
		}
	}
	return nil
}

// rejectLog notes that a tenant log has another event than the one that others signed.
func (w *witnesses) rejectLog(ctx context.Context, h witnessedHead, all []contradicting, why string) error {
	f := w.findingOf(h.log, h.sequence, finding.WitnessOtherHistory, all[0].witnessed(h), all[0].logged(h))
	f.Explanations = []string{why}
	refs := []facts.Ref{all[0].genuineRef}
	for _, c := range all[:min(len(all), mostBad)] {
		refs = append(refs, c.ref)
	}
	return w.addFinding(ctx, f, refs...)
}

// disputeHead notes that a journal and the tenant log contradict each other.
func (w *witnesses) disputeHead(ctx context.Context, h witnessedHead, c contradicting) error {
	witnessed, logged := c.witnessed(h), c.logged(h)
	err := w.addFinding(ctx, w.findingOf(c.journal, c.event, finding.RecordDisputed, logged, witnessed),
		c.ref, c.genuineRef)
	if err != nil {
		return err
	}
	return w.addFinding(ctx, w.findingOf(h.log, h.sequence, finding.RecordDisputed, witnessed, logged),
		c.genuineRef, c.ref)
}

func (w *witnesses) findingOf(log facts.Log, sequence uint64, code finding.Code,
	expected, found string) finding.Finding {
	return finding.Finding{Code: code, TenantID: log.TenantID, LogID: log.LogID, Sequence: sequence,
		LastSequence: sequence, Expected: expected, Found: found}
}

func (c contradicting) witnessed(h witnessedHead) string {
	return fmt.Sprintf("head %s, as event %d of %s witnesses, under key %s", h.head, c.event, c.journal.LogID, c.keyID)
}

func (c contradicting) logged(h witnessedHead) string {
	return fmt.Sprintf("head %s, as event %d of %s, under key %s", c.genuine, h.sequence, h.log.LogID, c.genuineKey)
}
