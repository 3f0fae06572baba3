package pack

import (
	"slices"
	"strconv"

	"github.com/svc-edge/svc-verify/bundle"
	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/chain/event"
	"github.com/svc-edge/svc-verify/forensics/evidence"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/internal/form"
	"github.com/svc-edge/svc-verify/internal/ijson"
	"github.com/svc-edge/svc-verify/trust"
)

// history is a history of a log while its lines are read: from the newest event down.
type history struct {
	History
	log    facts.Log
	proven hashes       // of the events that come
	next   uint64       // the highest sequence that can come
	way    []uint64     // the sequences since the last chosen event, with it
	chosen []commitment // descending
	broken bool         // the rest of the history is not judged
}

// commitment is a hash of an event that its log's owner signed.
type commitment struct {
	log      facts.Log
	sequence uint64
	hash     chain.Hash
	keyID    string
	line     int
}

// owned is an event of a log under the signature of the log's owner (SPEC 3.3).
type owned struct{ log facts.Log }

// Signatory is the owner of the log.
func (e owned) Signatory() trust.Signatory {
	if node, isJournal := e.log.Node(); isJournal {
		return trust.Signatory{Role: trust.Node, Node: node}
	}
	return trust.Signatory{Role: trust.Audit}
}

// hasOwner reports whether a log is a journal, or the log of its tenant (SPEC 4.1).
func hasOwner(log facts.Log) bool {
	_, isJournal := log.Node()
	return isJournal || log.IsTenant()
}

// readHistory begins a history.
func (v *verifier) readHistory(r *form.Reader, value *ijson.Value) {
	v.endHistory()
	o := r.Object(value, "log_id", "tenant_id")
	log := facts.Log{TenantID: o.Subject("tenant_id"), LogID: o.LogID("log_id")}
	if log.LogID != "" && !hasOwner(log) {
		r.Fault(value, string(malformed), facts.TenantLog(log.TenantID).LogID, log.LogID)
	}
	v.history = &history{log: log, History: History{TenantID: log.TenantID, LogID: log.LogID}}
	v.all = append(v.all, v.history)
}

// endHistory checks that the last line of a history is an event that was chosen.
func (v *verifier) endHistory() {
	h := v.history
	if h == nil || h.broken {
		return
	}
	if len(h.way) != 1 {
		v.addFault(endsWithLink, "", "a last event that was chosen, of "+h.LogID, "the end of its history")
	}
	v.history = nil
}

// readDisclosed judges a whole event.
func (v *verifier) readDisclosed(r *form.Reader, value *ijson.Value) {
	e := event.Read(r, value)
	h := v.history
	if h == nil || r.Full() || len(r.Faults()) > 0 {
		v.needHistory(r, value)
		return
	}
	hash := e.Link.Hash()
	if hash != e.Recorded {
		v.addFault(hashMismatch, "/disclosed/hash", hash.String(), e.Recorded.String())
	}
	if log := (facts.Log{TenantID: e.TenantID, LogID: e.LogID}); log != h.log {
		v.addFault(otherSubject, "/disclosed/body/log_id", h.LogID+" of "+h.TenantID, log.LogID+" of "+log.TenantID)
		h.broken = true
	}
	h.Disclosed++
	if v.followChosen(e.Link, trust.Envelope{Protocol: event.Protocol, Payload: hash[:], KeyID: e.KeyID,
		Signature: e.Signature, Pointer: "/disclosed"}) {
		h.LogShown = true
		if said, ok := evidence.ReadSaid(e.Type, e.Data.Canonical()); ok {
			v.addWord(h.log, e, &said)
		}
	}
}

// readRedacted judges an event without its body.
func (v *verifier) readRedacted(r *form.Reader, value *ijson.Value) {
	o := r.Object(value, "sequence", "previous_hash", "skip_hash", "body_sha256", "key_id", "signature")
	link := bundle.ReadLink(o)
	keyID, signature := o.Identifier("key_id"), o.Bytes("signature", event.SignatureSize, event.SignatureSize)
	if v.needHistory(r, value) {
		hash := link.Hash()
		v.history.Redacted++
		v.followChosen(link, trust.Envelope{Protocol: event.Protocol, Payload: hash[:], KeyID: keyID,
			Signature: signature, Pointer: "/redacted"})
	}
}

// readLink judges an event on the way between two that were chosen.
func (v *verifier) readLink(r *form.Reader, value *ijson.Value) {
	link := bundle.ReadLink(r.Object(value, "sequence", "previous_hash", "skip_hash", "body_sha256"))
	if !v.needHistory(r, value) {
		return
	}
	h := v.history
	h.Links++
	switch {
	case h.broken:
	case len(h.way) == 0:
		v.breakHistory("/link/sequence", "an event that was chosen", "a link")
	case len(h.way) > form.MaxPathLinks:
		v.breakHistory("/link", "at most "+strconv.Itoa(form.MaxPathLinks)+" links in a row", "more")
	default:
		v.followLink(link, "/link")
	}
}

// needHistory reports whether an event without a fault of form is in a history.
func (v *verifier) needHistory(r *form.Reader, value *ijson.Value) bool {
	if v.history == nil {
		r.Fault(value, string(malformed), "an event below its history", "one without")
	}
	return len(r.Faults()) == 0
}

// breakHistory refuses a line that has no place in its history. Nothing below it is judged.
func (v *verifier) breakHistory(path, expected, found string) {
	v.addFault(misplaced, path, expected, found)
	v.history.broken = true
}

// followChosen judges the place and the signature of an event that was chosen. It reports whether the
// owner of the log signed it there.
func (v *verifier) followChosen(link chain.Link, e trust.Envelope) bool {
	h := v.history
	if h.broken || !v.followLink(link, e.Pointer) {
		return false
	}
	if want := chain.Way(h.way[0], link.Sequence); !slices.Equal(h.way, want) {
		v.breakHistory(e.Pointer, "the way from "+strconv.FormatUint(h.way[0], 10), "another one")
		return false
	}
	h.way = append(h.way[:0], link.Sequence)
	opened, refusal := trust.Open(v.root, trust.Seal(e, owned{h.log}))
	if refusal != nil {
		v.addFault(refusal.Code, refusal.Path, refusal.Expected, refusal.Found)
		return false
	}
	h.LogShown = h.LogShown || link.Sequence == 1 // which names the genesis of its log
	c := commitment{h.log, link.Sequence, link.Hash(), opened.Key.ID, v.line}
	h.chosen = append(h.chosen, c)
	h.First = link.Sequence
	if h.HeadHash == "" {
		h.Last, h.HeadHash = link.Sequence, c.hash.String()
	}
	return true
}

// followLink checks that a link has the hash that events above it name. Then its own two hashes are proven,
// too. It returns false if the link has no place there.
func (v *verifier) followLink(link chain.Link, at string) bool {
	h, n, hash := v.history, link.Sequence, link.Hash()
	if h.proven == nil {
		h.proven, h.next = genesisOf(h.log), n
		h.proven[n] = hash
	}
	want, known := h.proven[n]
	if n > h.next || !known {
		v.breakHistory(at, "an event that the one above names", "event "+strconv.FormatUint(n, 10))
		return false
	}
	if want != hash {
		v.addFault(hashMismatch, at, want.String(), hash.String())
	}
	delete(h.proven, n)
	h.next, h.way = n-1, append(h.way, n)
	v.addProven(n-1, link.Previous, at+"/previous_hash")
	v.addProven(chain.Skip(n), link.Skip, at+"/skip_hash")
	return true
}

// addProven remembers the hash of an event as proven. Another one that was proven before stays.
func (v *verifier) addProven(n uint64, hash chain.Hash, at string) {
	known, ok := v.history.proven[n]
	if !ok {
		v.history.proven[n] = hash
	} else if known != hash {
		v.addFault(hashMismatch, at, known.String(), hash.String())
	}
}
