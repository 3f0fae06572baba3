package pack

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/chain/event"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/store"
	"github.com/svc-edge/svc-verify/internal/form"
)

// writer writes the lines of a pack.
type writer struct {
	out []byte
	err error
}

// addLine adds a line of one member.
func (w *writer) addLine(kind string, value any) {
	line, err := form.MarshalCanonical(map[string]any{kind: value})
	if w.out = append(append(w.out, line...), '\n'); w.err == nil {
		w.err = err
	}
	if len(w.out) > MaxFile && w.err == nil {
		w.err = errTooLarge
	}
}

// writeLines adds the proofs and checkpoints.
func (d *documents) writeLines(w *writer) {
	for _, digest := range slices.Sorted(maps.Keys(d.proofs)) {
		w.addLine("proof", map[string]string{"document": form.EncodeBase64URL(d.proofs[digest]), "sha256": digest})
	}
	for _, digest := range slices.Sorted(maps.Keys(d.checkpoints)) {
		w.addLine("checkpoint", d.checkpoints[digest])
	}
}

// mostRounds bounds how often a log is read for the links between its events: once for each of its
// histories. Each event that is left then is a history of its own.
const mostRounds = 16

// writeHistories adds the histories of a log that the events of the pack are in.
func (m *maker) writeHistories(w *writer, log facts.Log) error {
	rest := slices.SortedFunc(maps.Values(m.logs[log]), func(a, b *picked) int {
		return cmp.Or(cmp.Compare(b.Link.Sequence, a.Link.Sequence), slices.Compare(a.Recorded[:], b.Recorded[:]))
	})
	for round := 0; len(rest) > 0; round++ {
		links := map[uint64][]chain.Link{}
		if round < mostRounds {
			var err error
			if links, err = m.linksBetween(log, rest); err != nil {
				return err
			}
		}
		w.addLine("history", map[string]string{"log_id": log.LogID, "tenant_id": log.TenantID})
		rest = writeHistory(w, rest, links)
	}
	return nil
}

// linksBetween returns the links of the events on the ways between events of a log, which descend.
func (m *maker) linksBetween(log facts.Log, all []*picked) (map[uint64][]chain.Link, error) {
	links := map[uint64][]chain.Link{}
	for i, p := range all[1:] {
		if above := all[i].Link.Sequence; above > p.Link.Sequence+1 {
			for _, n := range chain.Way(above, p.Link.Sequence)[1:] {
				links[n] = nil
			}
		}
	}
	if len(links) == 0 {
		return links, nil
	}
	first, last := all[len(all)-1].Link.Sequence, all[0].Link.Sequence
	f := store.Filter{TenantID: log.TenantID, LogID: log.LogID, First: first, Last: last}
	for s, err := range m.in.Select(m.ctx, f) {
		if err != nil {
			return nil, err
		}
		known, wanted := links[s.Link.Sequence]
		if !wanted {
			continue
		}
		line, err := m.in.Line(m.ctx, &s)
		if err != nil {
			return nil, err
		}
		var l event.Line
		if event.Scan(line, &l) && !slices.Contains(known, l.Link) {
			links[s.Link.Sequence] = append(known, l.Link)
		}
	}
	return links, nil
}

// writeHistory adds the events that are in one history with the first one, and returns the others.
func writeHistory(w *writer, all []*picked, links map[uint64][]chain.Link) (rest []*picked) {
	at := all[0]
	w.addPicked(at)
	for _, p := range all[1:] {
		way, ok := wayBetween(at.Link, p, links)
		if !ok {
			rest = append(rest, p)
			continue
		}
		for _, l := range way {
			w.addLine("link", linkMembers(l))
		}
		w.addPicked(p)
		at = p
	}
	return rest
}

// wayBetween returns the links strictly between an event and an older one, by the hashes that each
// names. It returns false if one is not here, or the way leads to another event.
func wayBetween(from chain.Link, to *picked, links map[uint64][]chain.Link) (way []chain.Link, ok bool) {
	for at := from; at.Sequence > to.Link.Sequence; {
		n := chain.Step(at.Sequence, to.Link.Sequence)
		want := at.Previous
		if n == chain.Skip(at.Sequence) {
			want = at.Skip
		}
		if n == to.Link.Sequence {
			return way, want == to.Recorded
		}
		i := slices.IndexFunc(links[n], func(l chain.Link) bool { return l.Hash() == want })
		if i < 0 {
			return nil, false
		}
		at = links[n][i]
		way = append(way, at)
	}
	return nil, false
}

// addPicked adds an event that was picked.
func (w *writer) addPicked(p *picked) {
	if !p.redacted {
		w.addLine("disclosed", json.RawMessage(p.whole))
		return
	}
	members := linkMembers(p.Link)
	members["key_id"], members["signature"] = string(p.KeyID), form.EncodeBase64URL(p.Signature[:])
	w.addLine("redacted", members)
}

func linkMembers(l chain.Link) map[string]any {
	return map[string]any{"sequence": l.Sequence, "previous_hash": l.Previous.String(), "skip_hash": l.Skip.String(),
		"body_sha256": l.Body.String()}
}
