package pack

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/svc-edge/svc-verify/bundle"
	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/chain/event"
	"github.com/svc-edge/svc-verify/forensics/evidence"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/store"
	"github.com/svc-edge/svc-verify/internal/ijson"
	"github.com/svc-edge/svc-verify/verify"
)

// closest keeps, of statements about events of one log, the one that covers most of a range: the
// lowest at or above its end, or else the highest within it.
type closest[T any] struct {
	oldest, newest uint64 // the range
	sequence       uint64 // 0 if there is no statement
	statement      T
}

// isCloser reports whether a statement about a sequence would be the one.
func (c *closest[T]) isCloser(sequence uint64) bool {
	better := c.sequence == 0 || c.sequence < c.newest && sequence > c.sequence ||
		sequence >= c.newest && sequence < c.sequence
	return sequence >= c.oldest && better
}

// offerStatement keeps a statement about a sequence if it improves.
func (c *closest[T]) offerStatement(sequence uint64, statement T) {
	if c.isCloser(sequence) {
		c.sequence, c.statement = sequence, statement
	}
}

// pickAt picks the events of one sequence of a log.
func (m *maker) pickAt(log facts.Log, sequence uint64, why picking) error {
	return m.pickEvents(store.Filter{TenantID: log.TenantID, LogID: log.LogID, First: sequence, Last: sequence}, why)
}

// eachSaid calls do with the content of the genuine events of a type that the pack can disclose.
func (m *maker) eachSaid(f store.Filter, do func(log facts.Log, sequence uint64, said *evidence.Said)) error {
	for s, err := range m.in.Select(m.ctx, f) {
		if err != nil {
			return err
		}
		if s.Type != f.Type {
			continue
		}
		var l event.Line
		whole, err := m.readGenuine(&s, &l)
		if err != nil {
			return err
		}
		if whole == nil || m.isRedacted(s.Log, &l) {
			continue
		}
		if said, ok := evidence.ReadSaid(s.Type, l.Data); ok {
			do(s.Log, s.Link.Sequence, &said)
		}
	}
	return nil
}

// pickReports picks for each journal the report in the tenant log that covers most of it.
func (m *maker) pickReports() error {
	reports := map[facts.Log]*closest[uint64]{}
	tenants := map[string]bool{}
	for log := range m.logs {
		if _, isJournal := log.Node(); isJournal {
			oldest, newest := m.pickedBounds(log)
			reports[log], tenants[log.TenantID] = &closest[uint64]{oldest: oldest, newest: newest}, true
		}
	}
	for tenant := range tenants {
		f := store.Filter{TenantID: tenant, LogID: facts.TenantLog(tenant).LogID, Type: event.NodeReported}
		err := m.eachSaid(f, func(_ facts.Log, sequence uint64, said *evidence.Said) {
			if c := reports[facts.JournalOf(tenant, said.Node)]; c != nil {
				c.offerStatement(said.Report.Link.Sequence, sequence)
			}
		})
		if err != nil {
			return err
		}
	}
	for _, log := range slices.SortedFunc(maps.Keys(reports), facts.Log.Compare) {
		c := reports[log]
		if c.sequence == 0 {
			continue
		}
		if err := m.pickAt(log, c.sequence, asLink); err != nil {
			return err
		}
		if err := m.pickAt(facts.TenantLog(log.TenantID), c.statement, asChosen); err != nil {
			return err
		}
	}
	return nil
}

// compareHashes orders events by their hashes.
func compareHashes(a, b named) int { return slices.Compare(a.hash[:], b.hash[:]) }

// documents are the proofs and checkpoints of a pack.
type documents struct {
	proofs      map[string][]byte // by digest
	checkpoints map[string]checkpoint
	left        int // proofs that were left out
	covers      map[facts.Log]*closest[checkpoint]
}

// checkpoint is a checkpoint with the receipts of its witnesses, in canonical form.
type checkpoint struct {
	Checkpoint json.RawMessage `json:"checkpoint"`
	Receipts   json.RawMessage `json:"witness_receipts"`
	digest     string
}

// findDocuments finds the proofs of the transactions whose events are disclosed, and for each tenant
// log the witnessed checkpoint that covers most of it.
func (m *maker) findDocuments() (*documents, error) {
	d := &documents{proofs: map[string][]byte{}, checkpoints: map[string]checkpoint{},
		covers: map[facts.Log]*closest[checkpoint]{}}
	for log := range m.logs {
		if log.IsTenant() {
			oldest, newest := m.pickedBounds(log)
			d.covers[log] = &closest[checkpoint]{oldest: oldest, newest: newest}
		}
	}
	for doc, err := range m.in.Documents(m.ctx) {
		if err != nil {
			return nil, err
		}
		in := bundle.OpenClaimed(doc.Bytes)
		if in.Bundle == nil {
			continue
		}
		b := in.Bundle
		about := transaction{b.Manifest.TenantID, b.Manifest.TransactionID}
		covers := d.covers[facts.TenantLog(about.tenantID)]
		at := b.Checkpoint.Unverified()
		improves := covers != nil && covers.isCloser(at.Sequence) && !at.Legacy()
		if !improves && !m.shown[about] {
			continue
		}
		verified := verify.Verify(in, m.root, verify.Policy{}).Verdict == verify.Verified
		switch {
		case m.shown[about] && (!verified || m.hidden[about]):
			d.left++
		case m.shown[about]:
			digest := chain.Hash(in.SHA256).String()
			if d.proofs[digest] == nil {
				m.size += len(doc.Bytes) * 4 / 3
			}
			d.proofs[digest] = slices.Clone(doc.Bytes)
		}
		if verified && improves {
			covers.offerStatement(at.Sequence, checkpointOf(doc.Bytes, b))
		}
		if m.size > MaxFile {
			return nil, errTooLarge
		}
	}
	for log, c := range d.covers {
		if c.sequence == 0 {
			continue
		}
		d.checkpoints[c.statement.digest] = c.statement
		if err := m.pickAt(log, c.sequence, asLink); err != nil {
			return nil, err
		}
	}
	return d, nil
}

// checkpointOf returns the checkpoint of a bundle that was read from a document.
func checkpointOf(doc []byte, b *bundle.Bundle) (c checkpoint) {
	v, _ := ijson.Parse(doc)
	for _, part := range v.Members() {
		switch part.Name {
		case "checkpoint":
			c.Checkpoint = part.Value.Canonical()
		case "witness_receipts":
			c.Receipts = part.Value.Canonical()
		}
	}
	c.digest = chain.Hash(b.Checkpoint.Digest()).String()
	return c
}

// pickWitnesses picks, for each tenant log whose newest events no checkpoint covers, the events of a
// quorum of journals that witnessed one head.
func (m *maker) pickWitnesses(d *documents) error {
	type place struct {
		log      facts.Log
		sequence uint64
	}
	for _, log := range slices.SortedFunc(maps.Keys(d.covers), facts.Log.Compare) {
		if c := d.covers[log]; c.sequence >= c.newest {
			continue
		}
		witnesses := map[named]map[string]place{}
		err := m.eachSaid(store.Filter{TenantID: log.TenantID, Type: event.CheckpointWitness},
			func(journal facts.Log, sequence uint64, said *evidence.Said) {
				n := named{log, said.Sequence, said.Head}
				if witnesses[n] == nil {
					witnesses[n] = map[string]place{}
				}
				witnesses[n][journal.LogID] = place{journal, sequence}
			})
		if err != nil {
			return err
		}
		most := closest[map[string]place]{oldest: max(d.covers[log].oldest, d.covers[log].sequence+1),
			newest: d.covers[log].newest}
		quorum := max(m.root.MinimumWitnesses(), 1)
		for _, n := range slices.SortedFunc(maps.Keys(witnesses), compareHashes) {
			if by := witnesses[n]; len(by) >= quorum {
				most.offerStatement(n.sequence, by)
			}
		}
		if most.sequence == 0 {
			continue
		}
		if err := m.pickAt(log, most.sequence, asLink); err != nil {
			return err
		}
		for _, id := range slices.Sorted(maps.Keys(most.statement))[:quorum] {
			at := most.statement[id]
			if err := m.pickAt(at.log, at.sequence, asChosen); err != nil {
				return err
			}
		}
	}
	return nil
}
