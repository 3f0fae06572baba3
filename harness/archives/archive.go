package archives

import (
	"time"

	"github.com/svc-edge/svc-verify/harness/chance"
)

// Filed is when the first file of an archive was filed.
var Filed = time.Date(2026, time.April, 1, 8, 0, 0, 0, time.UTC)

// Archive arranges so many files, drawn from the pool, below random names. Some
// are copies of others, few are rejected.
func (p *Pool) Archive(s *chance.Stream, size int) Tree {
	t := Tree{}
	for range size {
		t[NewPath(s, t)] = File{Octets: p.Draw(s, t), Modified: Filed.Add(time.Duration(len(t)) * time.Minute)}
	}
	return t
}

// Quiet arranges files in which there is nothing to complain about: bundles that
// verify, and files that are no evidence.
func (p *Pool) Quiet(s *chance.Stream, size int) Tree {
	t := Tree{}
	for i := range size {
		octets := pickOne(s, pickOne(s, p.Bundles))
		if i%3 == 2 {
			octets = pickOne(s, p.Others[1:]) // an empty file leaves something open
		}
		t[NewPath(s, t)] = File{Octets: octets, Modified: Filed.Add(time.Duration(i) * time.Minute)}
	}
	return t
}

// Draw draws the bytes of a file.
func (p *Pool) Draw(s *chance.Stream, t Tree) []byte {
	switch n := s.Below(20); {
	case n == 0 && len(t) > 0:
		return t[pickOne(s, t.Paths())].Octets
	case n == 1:
		return pickOne(s, p.Rejected)
	case n == 2: // few: a walk is slower than anything else
		return pickOne(s, pickOne(s, p.Journals))
	case n < 6:
		return pickOne(s, p.Others)
	}
	return pickOne(s, pickOne(s, p.Bundles))
}

func pickOne[E any](s *chance.Stream, from []E) E { return from[s.Below(len(from))] }
