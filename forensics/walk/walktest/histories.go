package walktest

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/harness/seal"
)

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

// head is the hash that the next event names.
func (p *path) head(l facts.Log) string {
	if len(p.events) == 0 {
		return seal.Genesis(l.TenantID, l.LogID).String()
	}
	return p.events[len(p.events)-1].own()
}

// grow appends the events of one sequence to the histories they go on from.
func grow(l facts.Log, paths []*path, events []naiveEvent) []*path {
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
			if p.last()+1 == e.Sequence && p.head(l) == e.Previous.String() {
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

// judgePaths compares the events of each history with each other, and checks the one that is
// anchored highest, by others than the owner first, or else the longest, against the anchors.
func (n *Naive) judgePaths(l facts.Log, paths []*path) {
	best := slices.MaxFunc(paths, func(a, b *path) int {
		return cmp.Or(cmp.Compare(n.anchoredTo(l, a, false), n.anchoredTo(l, b, false)),
			cmp.Compare(n.anchoredTo(l, a, true), n.anchoredTo(l, b, true)), cmp.Compare(a.last(), b.last()))
	})
	for _, p := range paths {
		if p.from != nil {
			n.say(l, finding.Fork, p.forked, min(p.last(), p.from.last()))
		}
	}
	for _, p := range paths {
		sums := n.judgePath(l, p)
		if p == best {
			n.sums[l] = sums
			n.anchor(l, p)
			if len(paths) > 1 {
				n.tails[l] = "forked"
			}
		}
	}
}

func (n *Naive) judgePath(l facts.Log, p *path) (sums [7]uint64) {
	genesis := seal.Genesis(l.TenantID, l.LogID).String()
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
		if s := seal.Skip(e.Sequence); s > 0 {
			k := slices.IndexFunc(p.events, func(x naiveEvent) bool { return x.Sequence == s })
			if there = k >= 0; there {
				target, trusted = p.events[k].own(), p.events[k].hashTrusted()
			}
		}
		if there && e.Skip.String() != target {
			linked = false
			if trusted && e.contentTrusted() {
				n.say(l, finding.LinkBroken, e.Sequence, e.Sequence)
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
	return sums
}

// candidates are the events of a history under one sequence: the sound one, or
// where there is none every copy.
func (n *Naive) candidates(l facts.Log, p *path, seq uint64) []naiveEvent {
	for _, e := range p.events {
		if e.Sequence == seq && e.sound() {
			return []naiveEvent{e}
		} else if e.Sequence == seq {
			return n.copiesOf(l, seq)
		}
	}
	return nil
}

// held reports whether an anchor can be checked against one of some events, and whether it
// fits one.
func held(a naiveAnchor, events []naiveEvent) (there, fits bool) {
	for _, e := range events {
		there = there || e.hashTrusted()
		fits = fits || e.hashTrusted() && e.own() == a.hash
	}
	return there, fits
}

// anchoredTo returns the highest sequence of a history that an anchor fits; anchors that the
// log's owner can make alone count only if own is set.
func (n *Naive) anchoredTo(l facts.Log, p *path, own bool) (highest uint64) {
	for _, a := range n.heads[l] {
		if a.own && !own {
			continue
		}
		if _, fits := held(a, n.candidates(l, p, a.sequence)); fits {
			highest = max(highest, a.sequence)
		}
	}
	return highest
}

// proved reports whether the hash of the event of a sequence proves every event
// below it, each by the link of the next.
func proved(p *path, seq uint64) bool {
	for i, e := range p.events {
		switch {
		case e.Sequence > seq:
			return true
		case e.Sequence != uint64(i)+1, e.Link.Hash().String() != e.own(), i > 0 &&
			e.Previous.String() != p.events[i-1].own():
			return false
		}
	}
	return true
}

// anchor checks a history against its anchors.
func (n *Naive) anchor(l facts.Log, p *path) {
	var top, low, high, fit uint64
	contrary := ^uint64(0)
	for _, a := range n.heads[l] {
		there, fits := held(a, n.candidates(l, p, a.sequence))
		if there && !fits {
			contrary = min(contrary, a.sequence)
		}
		if fits {
			fit = max(fit, a.sequence)
		}
	}
	for _, a := range n.heads[l] {
		top = max(top, a.sequence)
		if _, fits := held(a, n.candidates(l, p, a.sequence)); fits && a.sequence < contrary && proved(p, a.sequence) {
			n.fits[l] = max(n.fits[l], a.sequence)
			if !a.own {
				n.other[l] = max(n.other[l], a.sequence)
			}
		}
		there, fits := held(a, n.copiesOf(l, a.sequence))
		if there && !fits && a.sequence <= p.last() {
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
	case len(p.events) == 0 && top > 0 && len(n.logs[l]) > 0:
		n.say(l, finding.Gone, 1, top)
	case len(p.events) == 0 && top > 0:
		n.say(l, finding.Absent, 1, top)
	case len(p.events) == 0 && len(n.logs[l]) > 0:
		n.say(l, finding.Absent, 0, 0)
	case top > p.last():
		n.say(l, finding.TailMissing, p.last()+1, top)
	}
	if top > p.last() {
		sums[3] += top - p.last()
	}
	n.sums[l] = sums
}
