package walk

import (
	"crypto/ed25519"
	"fmt"
	"slices"
	"strings"

	"github.com/svc-edge/svc-verify/forensics/finding"
	"github.com/svc-edge/svc-verify/harness/wire"
)

// naive is a walk by the definition, over whole documents, with the harness's
// own encoder: quadratic, and meant to be obviously right. It knows the
// evidence as it was made, and nothing of stretches, segments and bulk.
type naive struct {
	w     *world
	logs  map[Log][]naiveEvent
	said  map[string]bool
	sums  map[Log][7]uint64 // first, last, events, missing, hash, link, signature
	heads map[Log][]naiveAnchor
	fits  map[Log]uint64 // anchored sequence
	tails map[Log]string // the unanchored tail, where there is one history
}

type naiveEvent struct {
	row
	document           wire.Object
	hashOK             bool
	overContent, overR bool // which hash is signed
	stranger, other    bool // whose key it is
}

type naiveAnchor struct {
	sequence uint64
	hash     string
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

func walkNaively(w *world) *naive {
	n := &naive{w: w, logs: map[Log][]naiveEvent{}, said: map[string]bool{}, sums: map[Log][7]uint64{}, heads: map[Log][]naiveAnchor{}, fits: map[Log]uint64{}, tails: map[Log]string{}}
	src := w.source()
	for l, rows := range src.rows {
		for _, r := range rows {
			n.logs[l] = append(n.logs[l], n.judge(l, r))
		}
	}
	for _, d := range w.docs {
		s := wire.Member(d, "statement")
		hash := wire.Text(s, "head_hash") + wire.Text(s, "event_hash")
		l := tenantLog
		if node := wire.Text(s, "node_id"); node != "" {
			l = Log{tenant, "node/" + node}
		}
		n.heads[l] = append(n.heads[l], naiveAnchor{uint64(wire.Integer(s, "sequence")), hash})
	}
	for _, e := range n.logs[tenantLog] {
		if e.Type == "node.reported" && e.sound() {
			data := wire.Member(wire.Member(e.document, "body"), "data")
			l := Log{tenant, "node/" + wire.Text(data, "node_id")}
			n.heads[l] = append(n.heads[l], naiveAnchor{uint64(wire.Integer(data, "audit_sequence")), wire.Text(data, "audit_head")})
		}
	}
	for _, l := range []Log{tenantLog, berlin, oslo} {
		n.walk(l)
	}
	return n
}

// judge holds one copy against itself.
func (n *naive) judge(l Log, r row) naiveEvent {
	e := naiveEvent{row: r, hashOK: r.Link.Hash() == r.Recorded}
	for _, c := range n.w.copies[l] {
		if string(wire.Canonical(c.Object)) == string(r.bytes) {
			e.document = c.Object
		}
	}
	role := map[string]bool{"audit-1": true}
	if l.LogID != tenantLog.LogID {
		role = map[string]bool{"berlin": true, "oslo": true, "oslo/2": true}
	}
	owner, _, _ := strings.Cut(r.KeyID, "/")
	switch {
	case !role[r.KeyID]:
		e.stranger = true
	case l.LogID != tenantLog.LogID && "node/"+owner != l.LogID:
		e.other = true
	default:
		holds := func(h [32]byte) bool {
			return ed25519.Verify(n.w.keys[r.KeyID].Public(), wire.PAE("svc.audit-event.v1", h[:]), r.Signature[:])
		}
		e.overContent, e.overR = holds(r.Link.Hash()), holds(r.Recorded)
	}
	return e
}

func (n *naive) say(l Log, code finding.Code, first, last uint64) {
	n.said[word(l.LogID, code, first, last)] = true
}

// path is one history: its events in order.
type path struct {
	events []naiveEvent
	forked uint64
	from   *path
}

func (p *path) last() uint64 {
	if len(p.events) == 0 {
		return 0
	}
	return p.events[len(p.events)-1].Sequence
}

func (n *naive) walk(l Log) {
	paths := []*path{{}}
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
		if len(sound) == 0 {
			best := slices.MaxFunc(copies, func(a, b naiveEvent) int { return score(a) - score(b) })
			i := slices.IndexFunc(copies, func(e naiveEvent) bool { return score(e) == score(best) })
			sound = copies[i : i+1]
		}
		paths = grow(l, paths, sound)
	}
	for kind, seqs := range single {
		for _, r := range ranges(seqs) {
			n.say(l, finding.Code(kind[0]), r[0], r[1])
		}
	}
	n.judgePaths(l, paths)
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

// grow appends the events of one sequence to the histories they go on from.
func grow(l Log, paths []*path, events []naiveEvent) []*path {
	longest := paths[0]
	for _, p := range paths {
		if p.last() > longest.last() {
			longest = p
		}
	}
	home := make([]*path, len(events))
	for i, e := range events {
		home[i] = longest
		for _, p := range slices.Backward(paths) {
			head := wire.Genesis(l.TenantID, l.LogID).String()
			if len(p.events) > 0 {
				head = p.events[len(p.events)-1].own()
			}
			if p.last()+1 == e.Sequence && head == e.Previous.String() {
				home[i] = p
			}
		}
	}
	taken := map[*path]bool{}
	before := map[*path][]naiveEvent{}
	for _, p := range paths {
		before[p] = p.events
	}
	for i, e := range events {
		if p := home[i]; !taken[p] {
			taken[p] = true
			p.events = append(slices.Clone(before[p]), e)
		} else {
			paths = append(paths, &path{append(slices.Clone(before[p]), e), e.Sequence, p})
		}
	}
	return paths
}

// defects says what is wrong with one copy beside the sound ones.
func (n *naive) defects(e naiveEvent, sound []naiveEvent, note func(finding.Code, naiveEvent)) {
	if e.sound() {
		return
	}
	twin := slices.ContainsFunc(sound, func(s naiveEvent) bool { return s.own() == e.Recorded.String() })
	if len(sound) > 0 && (!e.hashOK || twin || !e.stranger && !e.other) {
		if !e.Faithful && !e.hashOK {
			note(finding.LossyCopy, e)
		} else {
			note(finding.AlteredCopy, e)
		}
		return
	}
	switch {
	case e.hashOK:
	case !e.Faithful && !e.overContent:
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

// judgePaths holds the events of each history against each other, and the
// longest one against the anchors.
func (n *naive) judgePaths(l Log, paths []*path) {
	var best *path
	for _, p := range paths {
		if best == nil || p.last() > best.last() {
			best = p
		}
		if p.from != nil {
			code := finding.Fork
			if p.forked == 1 {
				code = finding.Restart
			}
			n.say(l, code, p.forked, min(p.last(), p.from.last()))
		}
	}
	for _, p := range paths {
		sums, missing := n.judgePath(l, p)
		if p == best {
			n.sums[l] = sums
			n.anchor(l, p, missing)
			if len(paths) > 1 {
				n.tails[l] = "forked"
			}
		}
	}
}

func (n *naive) judgePath(l Log, p *path) (sums [7]uint64, missing uint64) {
	genesis := wire.Genesis(l.TenantID, l.LogID).String()
	for i, e := range p.events {
		linked, last := true, uint64(0)
		head, headTrusted := genesis, true
		if i > 0 {
			b := p.events[i-1]
			last, head, headTrusted = b.Sequence, b.own(), b.hashTrusted()
			if b.contentTrusted() && e.contentTrusted() && e.OccurredAt < b.OccurredAt-300_000 {
				n.say(l, finding.TimeRegression, e.Sequence, e.Sequence)
			}
		}
		if gap := e.Sequence - last - 1; gap > 0 {
			linked = false
			sums[3] += gap
			if missing == 0 {
				missing = last + 1
			}
			code := finding.Gap
			if last == 0 {
				code = finding.HeadMissing
			}
			n.say(l, code, last+1, e.Sequence-1)
		} else if e.Previous.String() != head {
			linked = false
			if headTrusted && e.contentTrusted() {
				n.say(l, finding.LinkBroken, e.Sequence, e.Sequence)
			}
		}
		target, trusted, there := genesis, true, true
		if s := wire.Skip(e.Sequence); s > 0 {
			k := slices.IndexFunc(p.events, func(x naiveEvent) bool { return x.Sequence == s })
			if there = k >= 0; there {
				target, trusted = p.events[k].own(), p.events[k].hashTrusted()
			}
		}
		if there && e.Skip.String() != target {
			linked = false
			if trusted && e.contentTrusted() {
				n.say(l, finding.SkipBroken, e.Sequence, e.Sequence)
			}
		}
		for k, ok := range []bool{true, e.hashOK, linked, e.overContent} {
			if ok {
				sums[[]int{2, 4, 5, 6}[k]]++
			}
		}
	}
	if len(p.events) > 0 {
		sums[0], sums[1] = p.events[0].Sequence, p.last()
	}
	return sums, missing
}

// anchor holds a history against its anchors.
func (n *naive) anchor(l Log, p *path, missing uint64) {
	var top, low, high, fit uint64
	for _, a := range n.heads[l] {
		top = max(top, a.sequence)
		fits, there := false, false
		for _, e := range n.copiesOf(l, a.sequence) {
			there = there || e.hashTrusted()
			fits = fits || e.hashTrusted() && e.own() == a.hash
		}
		if fits {
			fit = max(fit, a.sequence)
		}
		if fits && (missing == 0 || a.sequence < missing) {
			n.fits[l] = max(n.fits[l], a.sequence)
		}
		if there && !fits {
			high = max(high, a.sequence)
			if low == 0 || a.sequence < low {
				low = a.sequence
			}
		}
	}
	tail := 0
	for _, e := range p.events {
		if e.Sequence > fit {
			tail++
		}
	}
	n.tails[l] = fmt.Sprint("tail ", tail)
	if low > 0 {
		n.say(l, finding.AnchorMismatch, low, high)
	}
	sums := n.sums[l]
	switch {
	case len(p.events) == 0 && top > 0:
		n.say(l, finding.Absent, 1, top)
	case top > p.last():
		n.say(l, finding.TailTruncated, p.last()+1, top)
	}
	if top > p.last() {
		sums[3] += top - p.last()
	}
	n.sums[l] = sums
}

func (n *naive) copiesOf(l Log, seq uint64) []naiveEvent {
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

// words is everything that a walk says, to be compared.
func (n *naive) words() []string {
	var all []string
	for s := range n.said {
		all = append(all, s)
	}
	for _, l := range []Log{tenantLog, berlin, oslo} {
		if n.sums[l][2] > 0 || len(n.heads[l]) > 0 {
			all = append(all, fmt.Sprintf("%s %d anchored %d, %s", l.LogID, n.sums[l], n.fits[l], n.tails[l]))
		}
	}
	slices.Sort(all)
	return all
}

// wordsOf is what a result says in the same words.
func wordsOf(r *Result) []string {
	all := said(r.Findings)
	for _, l := range r.Logs {
		tail := fmt.Sprint("tail ", l.UnanchoredTail)
		if slices.ContainsFunc(r.Findings, func(f finding.Finding) bool {
			return f.LogID == l.LogID && (f.Code == finding.Fork || f.Code == finding.Restart)
		}) {
			tail = "forked"
		}
		all = append(all, fmt.Sprintf("%s %d anchored %d, %s", l.LogID,
			[7]uint64{l.FirstSequence, l.LastSequence, l.Events, l.Missing, l.HashValid, l.LinkValid, l.SignatureValid}, l.AnchoredSequence, tail))
	}
	slices.Sort(all)
	return all
}
