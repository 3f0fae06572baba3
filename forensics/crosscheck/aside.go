package crosscheck

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/svc-edge/svc-verify/chain/event"
	"github.com/svc-edge/svc-verify/forensics/walk"
)

// aside is what is kept of approvals that waited longest while too many did. A log that
// ends before another one has no other side for what comes later, however much that is:
// nothing is amiss, and none of them need be remembered by itself.
type aside struct {
	signed, recorded seen // their digests
	times            map[walk.Log][]interval
}

// interval is times of approvals that were put aside, milliseconds since 1970, and how
// many those were.
type interval struct{ first, last, count int64 }

// mostIntervals bounds the intervals of one log. Beyond it, the last one grows.
const mostIntervals = 4096

// putAside makes room: it puts aside the half of the approvals that waits for the
// earliest times.
func (p *pairs) putAside() {
	all := slices.SortedFunc(maps.Values(p.open), func(a, b approval) int {
		return cmp.Or(cmp.Compare(a.at, b.at), strings.Compare(a.journal.TenantID, b.journal.TenantID),
			strings.Compare(a.journal.LogID, b.journal.LogID), cmp.Compare(a.sequence, b.sequence),
			slices.Compare(a.digest[:], b.digest[:]))
	})
	for _, a := range all[:(len(all)+1)/2] {
		delete(p.open, a.approvalKey)
		p.of(a.journal).open++
		if p.missed(a) {
			p.lost++
			continue
		}
		p.aside.add(a)
	}
}

// missed reports whether the other side of an approval may have been put aside before
// it came: the two were not compared.
func (p *pairs) missed(a approval) bool {
	if a.kind == event.ApprovalSigned {
		return p.aside.recorded.has(a.digest)
	}
	return p.aside.signed.has(a.digest)
}

func (s *aside) add(a approval) {
	if a.kind == event.ApprovalSigned {
		s.signed.add(a.digest)
	} else {
		s.recorded.add(a.digest)
	}
	if a.transactionID == "" {
		return // nothing is expected of it
	}
	if s.times == nil {
		s.times = map[walk.Log][]interval{}
	}
	other := a.other()
	all := s.times[other]
	if n := len(all); n > 0 && (n == mostIntervals || a.at >= all[n-1].first && a.at <= all[n-1].last+apart) {
		last := &all[n-1]
		last.first, last.last, last.count = min(last.first, a.at), max(last.last, a.at), last.count+1
		return
	}
	s.times[other] = append(all, interval{a.at, a.at, 1})
}

// expected returns how many of those that were put aside may have had to find their
// other side: the log in which it stands is known to be whole around such a time.
func (s *aside) expected(spines map[walk.Log]*spine) (count int64) {
	for log, all := range s.times {
		for _, in := range all {
			if spine := spines[log]; spine != nil && spine.coversWithin(in.first, in.last, apart) {
				count += in.count
			}
		}
	}
	return count
}
