// Package delivery describes how the evidence of a case was delivered.
//
// It reports repeated deliveries, batch ids, forms, delays, times without any
// event, and sources that changed since they were read.
//
// # Limits
//
// Nothing here shows whether an event is genuine: package walk does that. A batch id (SPEC
// 9.2) is metadata that anyone on the way can write, so it explains a delivery and proves
// nothing. Events are delivered at least once and in any order (SPEC 9.1), so a second arrival
// or another order is not a fault. A second event where a log may contain only one (SPEC 4.4)
// is reported here as well, because the index alone shows it.
//
// # How much it reports
//
// Neighbouring events with the same fault are one finding. For each code and log, a fixed
// number of findings is listed, and one more counts the others. So findings of little weight
// do not bury the others. Everything comes from the index, in one pass over each log, and
// memory does not depend on the length of a log. The pass is made once: its findings are kept
// in the case, under the user's key, until evidence is added. Only the files are checked
// again.
package delivery

import (
	"context"
	"errors"
	"fmt"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/evidence"
	"github.com/svc-edge/svc-verify/forensics/facts"
)

// examiner examines how some evidence was delivered.
type examiner struct {
	r       evidence.Reader
	sources []facts.Source
	names   map[int64]string // of the sources, by number
	found   []finding.Finding
	held    holdings
	own     []Journal
}

// Report describes how the evidence of a case was delivered.
type Report struct {
	Findings []finding.Finding // completed, in an order that depends on the evidence only
	Journals []Journal         // by log
}

// Memory keeps the findings from the index until evidence is added.
type Memory interface {
	// Recall returns the kept results of the pass over the arrivals; false if there are none.
	Recall(context.Context) ([]byte, bool, error)

	// Keep keeps it, if it may.
	Keep([]byte) error
}

// Run describes how the evidence was delivered. It keeps the findings from the index
// for the next time, if memory is not nil.
func Run(ctx context.Context, r evidence.Reader, memory Memory) (Report, error) {
	x, err := newExaminer(ctx, r)
	if err != nil {
		return Report{}, err
	}
	if memory == nil {
		memory = none{}
	}
	known, err := x.recall(ctx, memory)
	if err == nil && !known {
		err = x.index(ctx, memory)
	}
	if err != nil {
		return Report{}, err
	}
	err = x.changed(ctx)
	return Report{x.found, x.own}, err
}

// none keeps nothing.
type none struct{}

func (none) Recall(context.Context) ([]byte, bool, error) { return nil, false, nil }
func (none) Keep([]byte) error                            { return nil }

func newExaminer(ctx context.Context, r evidence.Reader) (*examiner, error) {
	x := &examiner{r: r, names: map[int64]string{}, held: holdings{}}
	var err error
	if x.sources, err = r.Sources(ctx); err != nil {
		return nil, err
	}
	for _, s := range x.sources {
		x.names[s.Number] = NameOf(s)
	}
	return x, nil
}

// index reads the whole index, and keeps its findings.
func (x *examiner) index(ctx context.Context, memory Memory) error {
	logs, err := x.r.Logs(ctx)
	if err != nil {
		return err
	}
	for _, log := range logs {
		for _, step := range []func(context.Context, facts.Log) error{x.examineArrivals, x.examineRepeated} {
			if err := step(ctx, log); err != nil {
				return err
			}
		}
	}
	if err := errors.Join(x.batches(ctx), x.journals(ctx)); err != nil {
		return err
	}
	doc, err := x.summary()
	if err != nil {
		return err
	}
	return memory.Keep(doc)
}

// NameOf returns the name of a source: the first path that it was given under.
func NameOf(s facts.Source) string {
	if len(s.Paths) == 0 {
		return s.SHA256.String()
	}
	return s.Paths[0]
}

// listed is how many findings of one code are listed of one log: enough to recognise the
// fault.
const listed = 16

// few collects findings of one code and log, the first of them only.
type few struct {
	x     *examiner
	code  finding.Code
	about facts.Log // the zero value for findings about no log
	count int64
}

// addFinding adds a finding about the copies of refs, whose places it lists.
func (l *few) addFinding(ctx context.Context, f finding.Finding, refs ...facts.Ref) error {
	if l.count++; l.count > listed {
		return nil
	}
	f.Code, f.TenantID, f.LogID = l.code, l.about.TenantID, l.about.LogID
	for _, ref := range refs {
		places, err := l.x.places(ctx, ref)
		if err != nil {
			return err
		}
		f.Evidence = append(f.Evidence, places...)
	}
	l.x.found = append(l.x.found, f.Complete())
	return nil
}

// countUnlisted counts the unlisted findings.
func (l *few) countUnlisted() {
	if l.count > listed {
		f := finding.Finding{Code: l.code, TenantID: l.about.TenantID, LogID: l.about.LogID,
			Expected: fmt.Sprintf("at most %d findings of this kind", listed),
			Found:    fmt.Sprintf("%d more like the first", l.count-listed)}
		l.x.found = append(l.x.found, f.Complete())
	}
}

// mostPlaces is how many places of one copy are listed.
const mostPlaces = 4

// places returns the places of a copy.
func (x *examiner) places(ctx context.Context, ref facts.Ref) ([]finding.Evidence, error) {
	return Places(ctx, x.r, x.names, ref)
}

// Places returns the first few places of a copy of an event. It needs the names of the
// sources, by number.
func Places(ctx context.Context, r evidence.Reader, names map[int64]string, ref facts.Ref) ([]finding.Evidence,
	error) {
	all, err := r.Deliveries(ctx, ref)
	if err != nil {
		return nil, err
	}
	var places []finding.Evidence
	for _, d := range all[:min(len(all), mostPlaces)] {
		places = append(places, finding.Evidence{Source: names[d.Source], Container: d.Container, Offset: d.Offset,
			Length: d.Length})
	}
	return places, nil
}

// intact reports whether a copy of an event gives the hash that is written in it. One that
// does not was altered, its time perhaps, and the walk reports it.
func (x *examiner) intact(ctx context.Context, ref facts.Ref) (bool, error) {
	e, err := x.r.Copy(ctx, ref)
	return err == nil && e.Intact(), err
}
