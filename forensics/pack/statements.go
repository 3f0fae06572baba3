package pack

import (
	"cmp"
	"slices"

	"github.com/svc-edge/svc-verify/bundle"
	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/chain/event"
	"github.com/svc-edge/svc-verify/forensics/evidence"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/internal/form"
	"github.com/svc-edge/svc-verify/internal/ijson"
	"github.com/svc-edge/svc-verify/trust"
)

// statements contains the word of others in a pack on its histories.
type statements struct {
	commitments []commitment // of checkpoints and reports: hashes that the log's owner signed
	words       map[named]*word
}

// named is an event of a log by its hash.
type named struct {
	log      facts.Log
	sequence uint64
	hash     chain.Hash
}

// word contains the statements of others about one event.
type word struct {
	seen  Seen
	nodes map[string]bool // that witnessed it, by checkpoint.witnessed events in their journals
	at    string          // of the latest of these
}

func (s *statements) wordOn(n named) *word {
	if s.words == nil {
		s.words = map[named]*word{}
	}
	if s.words[n] == nil {
		s.words[n] = &word{nodes: map[string]bool{}}
	}
	return s.words[n]
}

// readCheckpoint judges a checkpoint with the receipts of its witnesses (SPEC 5.3).
func (v *verifier) readCheckpoint(r *form.Reader, value *ijson.Value) {
	o := r.Object(value, "checkpoint", "witness_receipts")
	list := o.List("witness_receipts", 0, form.MaxList)
	if len(r.Faults()) > 0 {
		return
	}
	sealed, fault := bundle.ReadCheckpoint(o.Get("checkpoint"))
	if fault != nil {
		r.Fault(o.Get("checkpoint"), fault.Code, fault.Expected, fault.Found)
		return
	}
	v.requireAscending(r, value, chain.Hash(sealed.Digest()).String())
	c := sealed.Unverified()
	log := facts.Log{TenantID: c.TenantID, LogID: c.LogID}
	if !log.IsTenant() || c.Legacy() && len(list) > 0 {
		r.Fault(value, string(malformed), "a checkpoint of its tenant's log, without receipts if it is a legacy one",
			c.LogID)
		return
	}
	opened, refusal := trust.Open(v.root, sealed)
	if refusal != nil {
		v.addFault(refusal.Code, refusal.Path, refusal.Expected, refusal.Found)
		return
	}
	v.commitments = append(v.commitments, commitment{log, c.Sequence, c.Head, opened.Key.ID, v.line})
	w := v.wordOn(named{log, c.Sequence, c.Head})
	seen := Seen{Sequence: c.Sequence, By: facts.WitnessedCheckpoint}
	var keys []trust.Key
	for _, one := range list {
		receipt, fault := bundle.ReadWitnessReceipt(one)
		if fault != nil {
			r.Fault(one, fault.Code, fault.Expected, fault.Found)
			return
		}
		of := receipt.Unverified()
		if of.Checkpoint != sealed.Digest() || of.Sequence != c.Sequence || of.Head != c.Head || of.TenantID != c.TenantID ||
			of.LogID != c.LogID {
			v.addFault(otherSubject, one.Pointer(), "a receipt of this checkpoint", "one of another")
			return
		}
		witness, refusal := trust.Open(v.root, receipt)
		if refusal != nil {
			v.addFault(refusal.Code, refusal.Path, refusal.Expected, refusal.Found)
			return
		}
		keys, seen.Nodes = append(keys, witness.Key), append(seen.Nodes, of.NodeID)
		seen.At = max(seen.At, form.FormatTime(of.WitnessedAt))
	}
	r.Ascending(list, seen.Nodes)
	if need := max(int(c.RequiredWitnesses), v.root.MinimumWitnesses(), 1); trust.Distinct(keys) >= need {
		w.seen = seen
	}
}

// addWord adds the word of an event on another log (SPEC 4.4, 13.7).
func (v *verifier) addWord(log facts.Log, e event.Event, said *evidence.Said) {
	at := form.FormatTime(e.OccurredAt)
	node, isJournal := log.Node()
	switch {
	case e.Type == event.CheckpointWitness && isJournal:
		w := v.wordOn(named{facts.TenantLog(log.TenantID), said.Sequence, said.Head})
		w.nodes[node], w.at = true, max(w.at, at)
	case e.Type == event.NodeReported && log.IsTenant():
		r := &said.Report
		journal := facts.JournalOf(log.TenantID, r.Node)
		hash := r.Link.Hash()
		_, refusal := trust.Open(v.root, trust.Seal(trust.Envelope{Protocol: event.Protocol, Payload: hash[:],
			KeyID: r.KeyID, Signature: r.Signature[:]}, owned{journal}))
		if refusal != nil || hash != r.Recorded {
			return // such a report anchors nothing; it is the service's event all the same
		}
		v.commitments = append(v.commitments, commitment{journal, r.Link.Sequence, hash, r.KeyID, v.line})
		w := v.wordOn(named{journal, r.Link.Sequence, hash})
		w.seen = Seen{Sequence: r.Link.Sequence, By: facts.NodeReport, At: max(w.seen.At, at)}
	}
}

// setSeen finds the newest event of a history that others vouch for.
func (v *verifier) setSeen(h *history) {
	for _, c := range h.chosen {
		w := v.words[named{h.log, c.sequence, c.hash}]
		if w == nil {
			continue
		}
		h.LogShown = true
		if w.seen.By == "" && len(w.nodes) >= max(v.root.MinimumWitnesses(), 1) {
			w.seen = Seen{Sequence: c.sequence, By: facts.JournalWitness, At: w.at}
			for node := range w.nodes {
				w.seen.Nodes = append(w.seen.Nodes, node)
			}
			slices.Sort(w.seen.Nodes)
		}
		if w.seen.By != "" {
			h.Seen = &w.seen
			return
		}
	}
}

// findContradictions returns the events with two hashes that the owner of the log signed: the first pair of
// each event. A history of an unknown log shows none.
func findContradictions(all []*history, more []commitment) []Contradiction {
	for _, h := range all {
		if h.LogShown {
			more = append(more, h.chosen...)
		}
	}
	slices.SortStableFunc(more, func(a, b commitment) int {
		return cmp.Or(a.log.Compare(b.log), cmp.Compare(a.sequence, b.sequence))
	})
	shown := []Contradiction{}
	for i := 0; i < len(more); {
		first := more[i]
		found := false
		for ; i < len(more) && more[i].log == first.log && more[i].sequence == first.sequence; i++ {
			if c := more[i]; !found && c.hash != first.hash {
				found = true
				shown = append(shown, Contradiction{TenantID: c.log.TenantID, LogID: c.log.LogID, Sequence: c.sequence,
					Hashes: [2]string{first.hash.String(), c.hash.String()}, Keys: [2]string{first.keyID, c.keyID},
					Lines: [2]int{first.line, c.line}})
			}
		}
	}
	return shown
}
