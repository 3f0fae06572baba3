package affected

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/svc-edge/svc-verify/answer"
	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/incident"
	"github.com/svc-edge/svc-verify/forensics/verdict"
	"github.com/svc-edge/svc-verify/forensics/walk"
	"github.com/svc-edge/svc-verify/internal/safetext"
	"github.com/svc-edge/svc-verify/verify"
)

// NoIncidentError reports that an examination found no incident of a name.
type NoIncidentError struct {
	Name  string
	Known []string // the names that there are
}

func (e *NoIncidentError) Error() string {
	const most = 8
	known := "there is none"
	if len(e.Known) > 0 {
		known = "there are " + answer.NameList(e.Known, most).String()
	}
	return fmt.Sprintf("no incident has the name %s: %s", safetext.Quote(e.Name), known)
}

// NoLogError reports that a log can have no event: the case has none of it, and the trust file no key
// of its owner.
type NoLogError struct{ LogID string }

func (e *NoLogError) Error() string {
	return fmt.Sprintf("no event and no key is of a log %s; a log is node/NAME or tenant/NAME", safetext.Quote(e.LogID))
}

// SeveralTenantsError reports that a log is not the only one of its name.
type SeveralTenantsError struct{ LogID string }

func (e *SeveralTenantsError) Error() string {
	return fmt.Sprintf("several tenants may have a log %s", safetext.Quote(e.LogID))
}

// doubt is the doubtful events of one log.
type doubt struct {
	log   facts.Log
	node  string // its owner; "" of a tenant log
	spans spans
	toEnd bool

	elsewhere map[chain.Hash]bool // statements that the journal records outside of the spans
}

// chooseRanges finds out which events are doubtful.
func (x *finder) chooseRanges(ctx context.Context, q Question) error {
	var first facts.Log
	if q.Incident != "" {
		one, err := FindIncident(x.examined, q.Incident)
		if err != nil {
			return err
		}
		a := x.answer
		a.Incident, a.Summary, a.After = one.Name, one.Summary, one.When.After
		if len(one.Ranges) > 0 {
			first = one.Ranges[0].Log()
		}
		x.doubtFindings(one)
	} else {
		log, err := x.findLog(q.Events)
		if err != nil {
			return err
		}
		x.addDoubt(log, span{q.Events.First, max(q.Events.First, q.Events.Last)}, q.Events.Last == 0)
	}
	for _, d := range x.ordered(first) {
		if err := x.settleDoubt(ctx, d); err != nil {
			return err
		}
	}
	return nil
}

// FindIncident returns the incident of a name, or a [NoIncidentError].
func FindIncident(r *verdict.Result, name string) (*incident.Incident, error) {
	unknown := &NoIncidentError{Name: name}
	for i := range r.Incidents {
		one := &r.Incidents[i]
		if one.Name == name {
			return one, nil
		}
		unknown.Known = append(unknown.Known, one.Name)
	}
	return nil, unknown
}

// findLog returns the log of a range. A log without events belongs to the only tenant of the case.
func (x *finder) findLog(r incident.Range) (facts.Log, error) {
	log := r.Log()
	node, ofNode := log.Node()
	var owners, all []string
	for known := range x.ends {
		if known.LogID == r.LogID {
			owners = append(owners, known.TenantID)
		}
		all = append(all, known.TenantID)
	}
	if len(owners) == 0 && (!ofNode || len(x.root.NodeKeys(node)) == 0) {
		return log, &NoLogError{r.LogID}
	}
	if len(owners) == 0 {
		owners = all
	}
	slices.Sort(owners)
	owners = slices.Compact(owners)
	switch {
	case r.TenantID != "":
	case len(owners) > 1:
		return log, &SeveralTenantsError{r.LogID}
	case len(owners) == 1:
		log.TenantID = owners[0]
	}
	return log, nil
}

// doubtFindings adds the events of the findings of an incident. A fork and a misused key reach to the
// end of the log.
func (x *finder) doubtFindings(one *incident.Incident) {
	var unplaced []facts.Log
	bad := x.badProofs()
	for _, i := range one.Findings {
		f := x.examined.Findings[i]
		entry := f.Code.Entry()
		log := facts.LogOf(f)
		switch _, ofNode := log.Node(); {
		case entry.Effect == finding.None:
		case f.Sequence > 0:
			r := span{x.startOf(one, log, f.Sequence), max(f.Sequence, f.LastSequence)}
			x.addDoubt(log, r, one.Kind == incident.Fork || entry.MisusesKey())
		case ofNode:
			x.addDoubt(log, span{}, false)
		case f.LogID != "" || entry.About != finding.Bundles || !x.doubtProofs(f, bad):
			unplaced = append(unplaced, log)
		}
	}
	unplaced = slices.DeleteFunc(unplaced, func(log facts.Log) bool { return x.doubts[log] != nil })
	if len(unplaced) > 0 {
		x.notRead("the events of " + safetext.Count(len(unplaced), "finding") + " of the incident, as none is named")
	}
}

// badProofs returns the digests of the proofs that do not verify, by the names of their sources.
func (x *finder) badProofs() map[string][]string {
	all := map[string][]string{}
	if x.examined.Comparison == nil {
		return all
	}
	for _, b := range x.examined.Comparison.Bundles {
		if b.Verdict != verify.Verified {
			all[b.Name] = append(all[b.Name], b.SHA256)
		}
	}
	return all
}

// doubtProofs adds the bad proofs at the places of a finding, each source once, and reports whether
// there are any.
func (x *finder) doubtProofs(f finding.Finding, bad map[string][]string) (found bool) {
	for _, e := range f.Evidence {
		digests, here := bad[e.Source]
		for _, digest := range digests {
			x.damaged[digest] = true
		}
		if here {
			bad[e.Source], found = nil, true
		}
	}
	return found
}

// startOf returns the first doubtful event of a finding: the one after the last event that others
// witnessed before it, or 1. The incident knows that event for its first range. Before other ranges,
// others vouch for the events up to which the log is complete by their word (SPEC 13.7).
func (x *finder) startOf(one *incident.Incident, log facts.Log, sequence uint64) uint64 {
	vouched := min(x.ends[log].CompleteByOthers.Sequence, sequence-1)
	if len(one.Ranges) == 0 || one.Ranges[0].Log() != log {
		return vouched + 1
	}
	after := uint64(0)
	if w := one.When.After; w != nil {
		after = w.Sequence
	}
	switch r := one.Ranges[0]; {
	case r.First <= sequence && sequence <= r.Last:
		return after + 1
	case after < sequence:
		return max(after, vouched) + 1
	}
	return vouched + 1
}

// addDoubt adds events of a log, none for the zero span.
func (x *finder) addDoubt(log facts.Log, s span, toEnd bool) {
	d := x.doubts[log]
	if d == nil {
		d = &doubt{log: log, elsewhere: map[chain.Hash]bool{}}
		if node, ofNode := log.Node(); ofNode {
			d.node, x.ofNodes[log.TenantID] = node, true
		}
		x.doubts[log] = d
	}
	if s != (span{}) {
		d.spans = append(d.spans, s)
	}
	d.toEnd = d.toEnd || toEnd
}

// settleDoubt puts the spans of a log in order, and those that go to its end into one.
func (x *finder) settleDoubt(ctx context.Context, d *doubt) error {
	d.spans = joinSpans(d.spans)
	if d.toEnd {
		last := max(d.spans[len(d.spans)-1].last, endShown(x.ends[d.log]))
		if x.logs[d.log] {
			n, err := x.c.Last(ctx, d.log)
			if err != nil {
				return err
			}
			last = max(last, n)
		}
		d.spans = spans{{d.spans[0].first, last}}
	}
	for _, s := range d.spans {
		x.answer.Ranges = append(x.answer.Ranges, Range{incident.Range{TenantID: d.log.TenantID, LogID: d.log.LogID,
			First: s.first, Last: s.last}, d.toEnd})
	}
	if len(d.spans) == 0 {
		x.answer.Ranges = append(x.answer.Ranges, Range{Range: incident.Range{TenantID: d.log.TenantID, LogID: d.log.LogID}})
	}
	return nil
}

// ordered returns the doubts by tenant and log, but one log first.
func (x *finder) ordered(first facts.Log) []*doubt {
	return slices.SortedFunc(maps.Values(x.doubts), func(a, b *doubt) int {
		switch {
		case a.log == first:
			return -1
		case b.log == first:
			return 1
		}
		return a.log.Compare(b.log)
	})
}

// knownEnd returns the highest sequence of a log that evidence shows. Without one, it is the highest
// that there can be.
func (x *finder) knownEnd(log facts.Log) uint64 {
	end, known := x.ends[log]
	if !known || x.answer.Incident == "" {
		return math.MaxInt64
	}
	return endShown(end)
}

// endShown returns the highest sequence of a log that its events and anchors show.
func endShown(l walk.LogResult) uint64 {
	if l.Beyond != nil {
		return max(l.LastSequence, l.Beyond.Sequence)
	}
	return l.LastSequence
}
