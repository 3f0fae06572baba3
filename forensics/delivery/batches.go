package delivery

import (
	"context"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/read"
)

// batches goes over the batch ids of the case (SPEC 9.2).
func (x *examiner) batches(ctx context.Context) error {
	byLog := map[facts.Log]*logBatches{}
	for b, err := range x.r.Batches(ctx) {
		if err != nil {
			return err
		}
		name := facts.Log{TenantID: b.TenantID, LogID: b.LogID}
		l := byLog[name]
		if l == nil {
			l = x.logBatches(name)
			byLog[name] = l
		}
		if err := l.addBatch(ctx, b); err != nil {
			return err
		}
	}
	for _, name := range slices.SortedFunc(maps.Keys(byLog), facts.Log.Compare) {
		byLog[name].reportUnlisted()
	}
	absent, err := x.r.Unbatched(ctx, string(read.Journal))
	if absent > 0 {
		f := finding.Finding{Code: finding.BatchIDAbsent, Expected: "a batch id on every exported record",
			Found: fmt.Sprintf("%d records without one", absent)}
		x.found = append(x.found, f.Complete())
	}
	return err
}

// logBatches is the findings on the batches of one log.
type logBatches struct {
	reused, incomplete few
	batches            int64
	again              finding.Finding // the batches that came again, as one
	times              int64           // how many they are
}

func (x *examiner) logBatches(about facts.Log) *logBatches {
	return &logBatches{
		reused:     few{x: x, code: finding.BatchIDReused, about: about},
		incomplete: few{x: x, code: finding.BatchIncomplete, about: about},
		again: finding.Finding{Code: finding.BatchRedelivered, TenantID: about.TenantID, LogID: about.LogID,
			Expected: "each batch once"},
	}
}

// addBatch adds a batch. A batch whose id is the one that its events give is whole; if more events
// came under the id, it was used again. If no run gives the id, something of the batch is
// missing, or the id is not theirs.
func (l *logBatches) addBatch(ctx context.Context, b facts.Batch) error {
	l.batches++
	if b.Redelivered > 0 {
		if l.times++; l.times == 1 {
			l.again.Sequence, l.again.LastSequence = b.First, b.Last
		}
		l.again.Sequence, l.again.LastSequence = min(l.again.Sequence, b.First), max(l.again.LastSequence, b.Last)
	}
	f := finding.Finding{Sequence: b.First, LastSequence: b.Last}
	switch {
	case b.Conflicting():
		f.Expected = fmt.Sprintf("under batch id %s the one batch that it names", b.ID)
		f.Found = fmt.Sprintf("%d events in %d stretches, %d of them other copies of the same sequence", b.Events,
			b.Stretches, b.Differing)
		return l.reused.addFirst(ctx, f, b)
	case b.Genuine == 0 && isDigest(b.ID):
		f.Expected = fmt.Sprintf("a run of events that gives the batch id %s", b.ID)
		f.Found = fmt.Sprintf("%d events in %d stretches that do not", b.Events, b.Stretches)
		return l.incomplete.addFirst(ctx, f, b)
	}
	return nil
}

// addFirst adds a finding with the place of the batch's first event.
func (l *few) addFirst(ctx context.Context, f finding.Finding, b facts.Batch) error {
	if l.count >= listed {
		return l.addFinding(ctx, f)
	}
	for e, err := range l.x.r.Events(ctx, l.about, b.First, b.First) {
		if err != nil {
			return err
		}
		return l.addFinding(ctx, f, e.Ref)
	}
	return l.addFinding(ctx, f)
}

func (l *logBatches) reportUnlisted() {
	l.reused.countUnlisted()
	l.incomplete.countUnlisted()
	if l.times > 0 {
		l.again.Found = fmt.Sprintf("%d of %d batches more than once", l.times, l.batches)
		x := l.reused.x
		x.found = append(x.found, l.again.Complete())
	}
}

// isDigest reports whether a batch id has the form of SPEC 9.2. Any other was given on the
// way, and nothing can be computed from it.
func isDigest(id string) bool {
	b, err := hex.DecodeString(id)
	return err == nil && len(b) == 32 && hex.EncodeToString(b) == id
}
