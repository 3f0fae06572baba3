package pack

import (
	"cmp"
	"maps"
	"slices"
	"strconv"

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
	if w.err == nil {
		w.err = err
	}
	w.addText(string(line), "\n")
}

// addText adds canonical text, unless the pack would be too large.
func (w *writer) addText(parts ...string) {
	for _, text := range parts {
		if len(w.out)+len(text) > MaxFile && w.err == nil {
			w.err = errTooLarge
		}
		if w.err == nil {
			w.out = append(w.out, text...)
		}
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
		return cmp.Or(cmp.Compare(b.link.Sequence, a.link.Sequence), slices.Compare(a.recorded[:], b.recorded[:]))
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
		rest = writeHistory(w, genesisOf(log), rest, links)
	}
	return nil
}

// linksBetween returns the links of the events on the ways between events of a log, which descend.
func (m *maker) linksBetween(log facts.Log, all []*picked) (map[uint64][]chain.Link, error) {
	links := map[uint64][]chain.Link{}
	for i, p := range all[1:] {
		if above := all[i].link.Sequence; above > p.link.Sequence+1 {
			for _, n := range chain.Way(above, p.link.Sequence)[1:] {
				links[n] = nil
			}
		}
	}
	if len(links) == 0 {
		return links, nil
	}
	first, last := all[len(all)-1].link.Sequence, all[0].link.Sequence
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

// hashes are the hashes of the events of one history, by their sequences.
type hashes map[uint64]chain.Hash

// genesisOf returns the hash before the first event of a log, the one that is known of every history.
func genesisOf(log facts.Log) hashes { return hashes{0: chain.Genesis(log.TenantID, log.LogID)} }

// agreeWith reports whether links name no other hash for an event than the ones that are known. If so,
// theirs are known, too. The owner of a log can sign a skip link that is false.
func (h hashes) agreeWith(links []chain.Link) bool {
	named := hashes{}
	for _, l := range links {
		for _, one := range []chain.Anchor{{Sequence: l.Sequence, Hash: l.Hash()}, {Sequence: l.Sequence - 1,
			Hash: l.Previous}, {Sequence: chain.Skip(l.Sequence), Hash: l.Skip}} {
			for _, known := range []hashes{h, named} {
				if hash, ok := known[one.Sequence]; ok && hash != one.Hash {
					return false
				}
			}
			named[one.Sequence] = one.Hash
		}
	}
	maps.Copy(h, named)
	return true
}

// writeHistory adds the events that are in one history with the first one, and returns the others.
func writeHistory(w *writer, known hashes, all []*picked, links map[uint64][]chain.Link) (rest []*picked) {
	at := all[0]
	known.agreeWith([]chain.Link{at.link})
	w.addPicked(at)
	for _, p := range all[1:] {
		way, ok := wayBetween(at.link, p, links)
		if !ok || !known.agreeWith(append(slices.Clone(way), p.link)) {
			rest = append(rest, p)
			continue
		}
		for _, l := range way {
			w.addLink("link", l, "", "")
		}
		w.addPicked(p)
		at = p
	}
	return rest
}

// wayBetween returns the links strictly between an event and an older one, by the hashes that each
// names. It returns false if one is not here, or the way leads to another event.
func wayBetween(from chain.Link, to *picked, links map[uint64][]chain.Link) (way []chain.Link, ok bool) {
	for at := from; at.Sequence > to.link.Sequence; {
		n := chain.Step(at.Sequence, to.link.Sequence)
		want := at.Previous
		if n == chain.Skip(at.Sequence) {
			want = at.Skip
		}
		if n == to.link.Sequence {
			return way, want == to.recorded
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
	if p.whole != nil {
		w.addText(`{"disclosed":`, string(p.whole), "}\n")
		return
	}
	w.addLink("redacted", p.link, `"key_id":"`+p.keyID+`",`, `,"signature":"`+form.EncodeBase64URL(p.signature[:])+`"`)
}

// addLink adds a link, with more members in their places after its first and its third one.
func (w *writer) addLink(kind string, l chain.Link, second, fourth string) {
	w.addText(`{"`, kind, `":{"body_sha256":"`, l.Body.String(), `",`, second, `"previous_hash":"`, l.Previous.String(),
		`","sequence":`, strconv.FormatUint(l.Sequence, 10), fourth, `,"skip_hash":"`, l.Skip.String(), "\"}}\n")
}
