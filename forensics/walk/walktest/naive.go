package walktest

import (
	"bytes"
	"cmp"
	"crypto/ed25519"
	"math/big"
	"slices"
	"strings"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/harness/forge"
	"github.com/svc-edge/svc-verify/harness/seal"
)

// Naive is a walk by the definition, over whole documents, with the harness's
// own encoder: quadratic, and meant to be obviously right. It knows the
// evidence as it was made, and nothing of stretches, segments and bulk.
type Naive struct {
	w     *World
	logs  map[facts.Log][]naiveEvent
	said  map[string]bool
	sums  map[facts.Log][7]uint64 // first, last, events, missing, hash, link, signature
	heads map[facts.Log][]naiveAnchor
	fits  map[facts.Log]uint64 // anchored sequence: complete by its own word
	other map[facts.Log]uint64 // complete by others' word
	tails map[facts.Log]string // the unanchored tail, where there is one history
}

type naiveEvent struct {
	Row
	hashOK             bool
	overContent, overR bool // which hash is signed
	stranger, other    bool // whose key it is
}

type naiveAnchor struct {
	sequence uint64
	hash     string
	own      bool // the log's owner can make it alone: no document of a world has witnesses
}

func (e naiveEvent) sound() bool { return e.hashOK && e.overContent }
func (e naiveEvent) own() string {
	if e.overContent {
		return e.Link.Hash().String()
	}
	return e.Recorded.String()
}
func (e naiveEvent) hashTrusted() bool {
	return e.overContent || e.overR || e.stranger && e.hashOK
}
func (e naiveEvent) contentTrusted() bool { return e.overContent || e.stranger && e.hashOK }

// WalkNaively walks the collected evidence of a world.
func WalkNaively(w *World) *Naive {
	n := &Naive{w: w, logs: map[facts.Log][]naiveEvent{}, said: map[string]bool{}, sums: map[facts.Log][7]uint64{},
		heads: map[facts.Log][]naiveAnchor{}, fits: map[facts.Log]uint64{},
		other: map[facts.Log]uint64{}, tails: map[facts.Log]string{}}
	src := w.Reader()
	for l, rows := range src.Rows {
		for _, r := range rows {
			n.logs[l] = append(n.logs[l], n.judge(l, r))
		}
	}
	for _, d := range w.Docs {
		s := seal.Member(d, "statement")
		hash := seal.Text(s, "head_hash") + seal.Text(s, "event_hash")
		l := TenantLog
		if node := seal.Text(s, "node_id"); node != "" {
			l = facts.Log{TenantID: Tenant, LogID: "node/" + node}
		}
		n.heads[l] = append(n.heads[l], naiveAnchor{uint64(seal.Integer(s, "sequence")), hash, true})
	}
	for _, e := range n.logs[TenantLog] {
		if e.Type == "node.reported" && e.sound() {
			data := seal.Member(seal.Member(e.object, "body"), "data")
			l := facts.Log{TenantID: Tenant, LogID: "node/" + seal.Text(data, "node_id")}
			n.heads[l] = append(n.heads[l], naiveAnchor{uint64(seal.Integer(data, "audit_sequence")),
				seal.Text(data, "audit_head"), false})
		}
	}
	for _, l := range []facts.Log{TenantLog, Berlin, Oslo} {
		n.walk(l)
	}
	return n
}

// judge checks one copy by itself.
func (n *Naive) judge(l facts.Log, r Row) naiveEvent {
	e := naiveEvent{Row: r, hashOK: r.Link.Hash() == r.Recorded}
	role := map[string]bool{"audit-1": true}
	if l.LogID != TenantLog.LogID {
		role = map[string]bool{"berlin": true, "oslo": true, "oslo/2": true}
	}
	owner, _, _ := strings.Cut(r.KeyID, "/")
	switch {
	case !role[r.KeyID]:
		e.stranger = true
	case l.LogID != TenantLog.LogID && "node/"+owner != l.LogID:
		e.other = true
	default:
		holds := func(h [32]byte) bool {
			return ed25519.Verify(n.w.Keys[r.KeyID].Public(), seal.PAE("svc.audit-event.v1", h[:]), r.Signature[:])
		}
		e.overContent, e.overR = holds(r.Link.Hash()), holds(r.Recorded)
	}
	return e
}

func (n *Naive) say(l facts.Log, code finding.Code, first, last uint64) {
	n.said[Word(l.LogID, code, first, last)] = true
}

func (n *Naive) walk(l facts.Log) {
	paths := []*path{{}}
	var waiting []naiveEvent // beyond the end as far as anything shows
	var alone []uint64       // of them, those that the owner signed
	single := map[[2]string][]uint64{}
	note := func(code finding.Code, e naiveEvent) {
		kind := [2]string{string(code)}
		if code == finding.KeyUnknown || code == finding.KeyOfOtherNode {
			kind[1] = e.KeyID
		}
		single[kind] = append(single[kind], e.Sequence)
	}
	for _, seq := range sequences(n.logs[l]) {
		copies := n.copiesOf(l, seq)
		var sound []naiveEvent
		for _, c := range copies {
			if c.sound() && !slices.ContainsFunc(sound, func(s naiveEvent) bool { return s.own() == c.own() }) {
				sound = append(sound, c)
			}
		}
		for _, c := range copies {
			n.defects(c, sound, note)
		}
		if len(sound) == 1 && len(alone) < 16 && n.unconnected(l, paths, sound[0]) {
			waiting, alone = append(waiting, sound[0]), append(alone, seq)
			continue
		}
		if len(sound) == 0 {
			best := slices.MaxFunc(copies, func(a, b naiveEvent) int { return score(a) - score(b) })
			i := slices.IndexFunc(copies, func(e naiveEvent) bool { return score(e) == score(best) })
			if waiting = append(waiting, copies[i]); len(waiting) > 1 && seq > n.top(l) || !n.belongs(l, copies[i], paths) {
				continue
			}
			sound = nil
		}
		for _, e := range waiting {
			paths = grow(l, paths, []naiveEvent{e})
		}
		waiting, alone = nil, nil
		if len(sound) > 0 {
			paths = grow(l, paths, sound)
		}
	}
	for _, r := range ranges(alone) {
		n.say(l, finding.Unconnected, r[0], r[1])
	}
	for kind, seqs := range single {
		for _, r := range ranges(seqs) {
			n.say(l, finding.Code(kind[0]), r[0], r[1])
		}
	}
	n.judgePaths(l, paths)
}

// top is the highest anchor of a log.
func (n *Naive) top(l facts.Log) (highest uint64) {
	for _, a := range n.heads[l] {
		highest = max(highest, a.sequence)
	}
	return highest
}

// belongs reports whether an event that is not sound is known to be one of the log: an anchor
// reaches up to it, or it continues the present events.
func (n *Naive) belongs(l facts.Log, e naiveEvent, paths []*path) bool {
	return e.Sequence <= n.top(l) || e.hashTrusted() && slices.ContainsFunc(paths, func(p *path) bool {
		return p.last()+1 == e.Sequence && p.head(l) == e.Previous.String()
	})
}

// unconnected reports whether nothing but its signature shows that a sound event
// belongs to the log: no anchor reaches so far, there was no time for the events
// between, and one source alone has it.
func (n *Naive) unconnected(l facts.Log, paths []*path, e naiveEvent) bool {
	longest := slices.MaxFunc(paths, func(a, b *path) int { return cmp.Compare(a.last(), b.last()) })
	if e.Sequence <= n.top(l) || len(longest.events) == 0 || e.Sequence <= longest.last()+100 {
		return false
	}
	first, last := longest.events[0], longest.events[len(longest.events)-1]
	if !last.contentTrusted() {
		return false
	}
	span, took := new(big.Int), big.NewInt(last.OccurredAt-first.OccurredAt)
	span.SetInt64(max(0, e.OccurredAt-last.OccurredAt) + 300_000)
	if room := span; len(longest.events) > 1 && took.Sign() > 0 {
		room.Mul(room, big.NewInt(10*int64(len(longest.events)-1)))
		room.Div(room, took)
	}
	for _, p := range e.places {
		if p.Source != e.places[0].Source {
			return false
		}
	}
	return span.Cmp(new(big.Int).SetUint64(e.Sequence-longest.last()-1)) < 0
}

func score(e naiveEvent) int {
	switch {
	case e.overContent:
		return 3
	case e.overR:
		return 2
	case e.hashTrusted():
		return 1
	}
	return 0
}

// defects returns the faults of one copy next to the sound ones.
func (n *Naive) defects(e naiveEvent, sound []naiveEvent, note func(finding.Code, naiveEvent)) {
	if e.sound() {
		return
	}
	twin := slices.ContainsFunc(sound, func(s naiveEvent) bool { return s.own() == e.Recorded.String() })
	if len(sound) > 0 && (!e.hashOK || twin || !e.stranger && !e.other) {
		if !e.Faithful() && !e.hashOK && slices.ContainsFunc(sound, e.spoilt) {
			note(finding.LossyCopy, e)
		} else {
			note(finding.AlteredCopy, e)
		}
		return
	}
	switch {
	case e.hashOK:
	case !e.Faithful() && !e.overContent:
		note(finding.HashMismatchLossy, e)
	default:
		note(finding.HashMismatch, e)
	}
	switch {
	case e.stranger:
		note(finding.KeyUnknown, e)
	case e.other:
		note(finding.KeyOfOtherNode, e)
	case !e.overContent && !e.overR:
		note(finding.SignatureInvalid, e)
	}
}

// spoilt reports whether a copy is a sound event in which nothing but one character of its
// text was replaced.
func (e naiveEvent) spoilt(sound naiveEvent) bool {
	o := seal.CloneObject(sound.object)
	forge.Spoil(o)
	return !bytes.Equal(e.bytes, sound.bytes) && bytes.Equal(e.bytes, seal.Canonical(o))
}

func (n *Naive) copiesOf(l facts.Log, seq uint64) []naiveEvent {
	var all []naiveEvent
	for _, e := range n.logs[l] {
		if e.Sequence == seq {
			all = append(all, e)
		}
	}
	return all
}

func sequences(events []naiveEvent) []uint64 {
	var all []uint64
	for _, e := range events {
		all = append(all, e.Sequence)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// ranges joins neighbouring sequences.
func ranges(seqs []uint64) [][2]uint64 {
	var all [][2]uint64
	for _, s := range seqs {
		if n := len(all); n > 0 && s <= all[n-1][1]+1 {
			all[n-1][1] = s
		} else {
			all = append(all, [2]uint64{s, s})
		}
	}
	return all
}
