package examine

import (
	"slices"

	"github.com/svc-edge/svc-verify/forensics/crosscheck"
	"github.com/svc-edge/svc-verify/forensics/evidence"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/walk"
)

// known is what a walk found of the copies of a case, for the comparison in the
// same run. Evidence has few kinds of sequences, and neighbours are mostly of the
// same kind: so it is kept as runs of them.
type known struct {
	logs map[facts.Log][]knownRun
	left int // runs that may still be added

	last     facts.Log // that was asked for last
	lastRuns []knownRun
}

// mostKnown bounds the runs. Events beyond them are not known.
const mostKnown = 1 << 20

// knownRun is sequences without a gap whose copies were all examined by the walk.
type knownRun struct {
	first, last uint64
	packed      judgement // on the first copies by digest
	further     judgement // on the others
	reports     judgement // on the reports in those that are valid
}

// judgement is the judgement of some copies.
type judgement uint8

const (
	none  judgement = iota // there is none
	yes                    // all are valid
	no                     // none is
	mixed                  // some are
)

// with returns the judgement of the copies of both.
func (v judgement) with(o judgement) judgement {
	switch {
	case v == none || v == o:
		return o
	case o == none:
		return v
	}
	return mixed
}

// joins reports whether nothing is lost if both are one.
func (v judgement) joins(o judgement) bool { return v == none || o == none || v == o }

func judgementOf(valid bool) judgement {
	if valid {
		return yes
	}
	return no
}

var _ crosscheck.Known = (*known)(nil)

func newKnown() *known { return &known{logs: map[facts.Log][]knownRun{}, left: mostKnown} }

// addJudged adds the judgement of copies that follow the ones before.
func (k *known) addJudged(log facts.Log, copies []walk.Copy) {
	runs := k.logs[log]
	for i := 0; i < len(copies); {
		one := knownRun{first: copies[i].Sequence, last: copies[i].Sequence}
		for ; i < len(copies) && copies[i].Sequence == one.last; i++ {
			one.addCopy(&copies[i])
		}
		if n := len(runs); n > 0 && runs[n-1].extendBy(one) {
			continue
		}
		if k.left > 0 {
			runs, k.left = append(runs, one), k.left-1
		}
	}
	k.logs[log] = runs
}

// addCopy adds a copy of the only sequence of a run.
func (r *knownRun) addCopy(c *walk.Copy) {
	valid := judgementOf(c.Valid)
	if c.Ref.Variant == 0 {
		r.packed = r.packed.with(valid)
	} else {
		r.further = r.further.with(valid)
	}
	if c.IsReport {
		r.reports = r.reports.with(judgementOf(c.Report))
	}
}

// extendBy adds the sequence after a run, if it is of the same kind.
func (r *knownRun) extendBy(next knownRun) bool {
	if next.first != r.last+1 || !r.packed.joins(next.packed) || !r.further.joins(next.further) ||
		!r.reports.joins(next.reports) {
		return false
	}
	r.last = next.last
	r.packed, r.further, r.reports = r.packed.with(next.packed), r.further.with(next.further), r.reports.with(next.reports)
	return true
}

// Judgement returns the walk's judgement of a copy.
func (k *known) Judgement(log evidence.Log, sequence uint64, ref facts.Ref) (j crosscheck.Judgement, ok bool) {
	if in := log.Log; in != k.last {
		k.last, k.lastRuns = in, k.logs[in]
	}
	i, found := slices.BinarySearchFunc(k.lastRuns, sequence, func(r knownRun, n uint64) int {
		switch {
		case r.last < n:
			return -1
		case r.first > n:
			return 1
		}
		return 0
	})
	if !found {
		return j, false
	}
	r := &k.lastRuns[i]
	v := r.packed
	if ref.Variant > 0 {
		v = r.further
	}
	return crosscheck.Judgement{Valid: v == yes, Report: v == yes && r.reports == yes}, v == yes || v == no
}
