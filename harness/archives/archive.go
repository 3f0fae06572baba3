package archives

import (
	"time"

	"github.com/svc-edge/svc-verify/harness/chance"
)

// filed is when the first file of an archive was filed.
var filed = time.Date(2026, time.April, 1, 8, 0, 0, 0, time.UTC)

// Archive arranges so many files, drawn from the pool, below random names. Some
// are copies of others, few are rejected.
func (p *Pool) Archive(s *chance.Stream, size int) Tree {
	t := Tree{}
	for range size {
		t[newPath(s, t)] = File{Octets: p.draw(s, t), Modified: filed.Add(time.Duration(len(t)) * time.Minute)}
	}
	return t
}

// Quiet arranges files in which there is nothing to complain about: bundles that
// verify, and files that are no evidence.
func (p *Pool) Quiet(s *chance.Stream, size int) Tree {
	t := Tree{}
	for i := range size {
		octets := pick(s, pick(s, p.Bundles))
		if i%3 == 2 {
			octets = pick(s, p.Others[1:]) // what is empty leaves something open
		}
		t[newPath(s, t)] = File{Octets: octets, Modified: filed.Add(time.Duration(i) * time.Minute)}
	}
	return t
}

// draw draws the octets of a file.
func (p *Pool) draw(s *chance.Stream, t Tree) []byte {
	switch n := s.Below(20); {
	case n == 0 && len(t) > 0:
		return t[pick(s, t.Paths())].Octets
	case n == 1:
		return pick(s, p.Rejected)
	case n == 2: // few: a walk takes longer than anything else
		return pick(s, pick(s, p.Journals))
	case n < 6:
		return pick(s, p.Others)
	}
	return pick(s, pick(s, p.Bundles))
}

func pick[E any](s *chance.Stream, from []E) E { return from[s.Below(len(from))] }
