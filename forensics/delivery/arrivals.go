package delivery

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/evidence"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/internal/form"
)

// Bounds for far and long.
const (
	// early is how much sooner than it was made an event may have been observed:
	// the tolerance that clocks have everywhere (SPEC 7.13).
	early = 300 * time.Second

	// late is how much later an event may have been observed. A node that is offline exports
	// later, which is its right; a day is reported.
	late = 24 * time.Hour

	// quiet is how long a log may go without an event. Nodes sync their policy
	// and report their heads many times a day.
	quiet = 24 * time.Hour
)

// examineArrivals goes over the arrivals of a log.
func (x *examiner) examineArrivals(ctx context.Context, log facts.Log) error {
	later := &examiner{r: x.r, names: x.names}
	further := later.newRedeliveries(log)
	a := arrivals{x: x, log: log, newest: map[int64]*int64{},
		structured: x.newExtents(finding.BodyStructured, log), skewed: x.newExtents(finding.TimeSkew, log),
		quiet: few{x: x, code: finding.Quiet, about: log}}
	for one, err := range x.r.ArrivalRuns(ctx, log) {
		if err == nil {
			err = a.addArrival(ctx, one.Same[0])
		}
		if err == nil {
			err = further.addArrivals(ctx, one.Same)
			x.held.addArrivals(log, one.Same, 1)
		}
		if err != nil {
			return err
		}
		if one.Through != nil {
			n := a.skipEvents(one.Through[0])
			further.skipArrivals(one.Through)
			x.held.addArrivals(log, one.Through, n)
		}
	}
	if err := errors.Join(a.endPass(ctx), further.close(ctx)); err != nil {
		return err
	}
	x.found = append(x.found, later.found...)
	return nil
}

// arrivals is the state that a pass keeps about the first arrival of each sequence.
type arrivals struct {
	x                  *examiner
	log                facts.Log
	last               evidence.Arrived // of the sequence before
	newest             map[int64]*int64 // by source: the record of the last event that it holds
	record             *int64           // of the source of the sequence before
	events, reordered  int64
	structured, skewed *extents
	quiet              few
}

func (a *arrivals) addArrival(ctx context.Context, f evidence.Arrived) error {
	a.events++
	before := a.last
	a.last = f
	if a.record == nil || f.Source != before.Source {
		a.enterSource(f.Source)
	}
	if f.Record < *a.record {
		a.reordered++
	}
	*a.record = f.Record
	if class := formClass(f); class != "" {
		if err := a.structured.addEvent(ctx, f.Sequence, f.Ref, class); err != nil {
			return err
		}
	}
	if class := clockSkew(f); class != "" {
		if err := a.skewed.addEvent(ctx, f.Sequence, f.Ref, class); err != nil {
			return err
		}
	}
	gap := time.Duration(f.OccurredAt-before.OccurredAt) * time.Millisecond
	if before.Ref.IsZero() || f.Sequence != before.Sequence+1 || gap <= quiet {
		return nil
	}
	for _, end := range []evidence.Arrived{before, f} {
		if ok, err := a.x.intact(ctx, end.Ref); !ok || err != nil {
			return err
		}
	}
	return a.quiet.addFinding(ctx, finding.Finding{Sequence: before.Sequence, LastSequence: f.Sequence,
		Expected: "an event at least every " + quiet.String(),
		Found:    fmt.Sprintf("none for %s after %s", gap, form.FormatMillis(before.OccurredAt))},
		before.Ref, f.Ref)
}

// skipEvents skips a run that continues from the event before to another one, and returns how many
// events it has beyond that.
func (a *arrivals) skipEvents(last evidence.Arrived) (n int64) {
	n = int64(last.Sequence - a.last.Sequence)
	a.events += n
	a.last, *a.record = last, last.Record
	return n
}

// Plain reports whether nothing is to be said of an event that occurred after another
// one without a gap, by their times and the best form in which it came. Times are as
// in [evidence.Arrived].
func Plain(before, occurred, observed int64, best facts.Fidelity) bool {
	f := evidence.Arrived{OccurredAt: occurred, ObservedAt: observed, Fidelity: best}
	return formClass(f) == "" && clockSkew(f) == "" && time.Duration(occurred-before)*time.Millisecond <= quiet
}

// enterSource continues in another source.
func (a *arrivals) enterSource(source int64) {
	if a.newest[source] == nil {
		a.newest[source] = new(int64)
	}
	a.record = a.newest[source]
}

// endPass ends the pass. A difference in order is said once, as a number.
func (a *arrivals) endPass(ctx context.Context) error {
	if err := a.structured.close(ctx); err != nil {
		return err
	}
	if err := a.skewed.close(ctx); err != nil {
		return err
	}
	a.quiet.countUnlisted()
	if a.reordered > 0 {
		f := finding.Finding{Code: finding.Reordered, TenantID: a.log.TenantID, LogID: a.log.LogID,
			Expected: "each record after the record of the event before it",
			Found:    fmt.Sprintf("%d of %d records ahead of it", a.reordered, a.events)}
		a.x.found = append(a.x.found, f.Complete())
	}
	return nil
}

// formClass returns the form of an event's arrival, "" if it is plain text.
func formClass(f evidence.Arrived) string {
	switch f.Fidelity {
	case facts.Recanonicalised:
		return "another form of it, brought back into the canonical one"
	case facts.Lossy:
		return "a form that does not keep all of it"
	}
	return ""
}

// clockSkew returns how an event's time and the time of its observation differ, "" if they do not.
func clockSkew(f evidence.Arrived) string {
	if f.ObservedAt == 0 {
		return ""
	}
	switch after := time.Duration(f.ObservedAt - f.OccurredAt*int64(time.Millisecond)); {
	case after < -early:
		return "observed before it occurred"
	case after > late:
		return "observed more than " + late.String() + " after it"
	}
	return ""
}

// extents makes one finding of neighbouring events with the same fault.
type extents struct {
	few
	log         facts.Log
	class       string
	first, last uint64
	ref         facts.Ref // of the first
}

func (x *examiner) newExtents(code finding.Code, log facts.Log) *extents {
	return &extents{few: few{x: x, code: code, about: log}, log: log}
}

// expected is the expected state of the events of a code, by code.
var expected = map[finding.Code]string{
	finding.BodyStructured:    "the event's text as it was signed",
	finding.TimeSkew:          "an observation soon after the event",
	finding.DuplicateDelivery: "one delivery",
}

// addEvent adds an event; sequences ascend.
func (r *extents) addEvent(ctx context.Context, sequence uint64, ref facts.Ref, class string) error {
	if r.class == class && (sequence == r.last || sequence == r.last+1) {
		r.last = sequence
		return nil
	}
	if err := r.flushExtent(ctx); err != nil {
		return err
	}
	r.class, r.first, r.last, r.ref = class, sequence, sequence, ref
	return nil
}

func (r *extents) flushExtent(ctx context.Context) error {
	if r.class == "" {
		return nil
	}
	if r.code == finding.TimeSkew && r.first == r.last {
		if ok, err := r.x.intact(ctx, r.ref); !ok || err != nil {
			return err
		}
	}
	return r.few.addFinding(ctx, finding.Finding{Sequence: r.first, LastSequence: r.last, Expected: expected[r.code],
		Found: r.class}, r.ref)
}

func (r *extents) close(ctx context.Context) error {
	err := r.flushExtent(ctx)
	r.few.countUnlisted()
	return err
}
