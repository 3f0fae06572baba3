package verdict

import (
	"slices"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/cause"
	"github.com/svc-edge/svc-verify/forensics/crosscheck"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/incident"
	"github.com/svc-edge/svc-verify/forensics/walk"
	"github.com/svc-edge/svc-verify/trust"
	"github.com/svc-edge/svc-verify/verify"
)

// Schema names the form of a [Result] in JSON.
const Schema = "svc-verify/walk/v2"

// Result is the answer on a case. The same evidence, trust file and options give
// the same result, byte for byte.
type Result struct {
	Schema      string           `json:"schema"`
	Verdict     verify.Verdict   `json:"verdict"`
	TrustSHA256 string           `json:"trust_sha256"`
	Assumed     []Assumption     `json:"assumed,omitempty"` // under which the verdict holds
	LeftOut     []LeftOut        `json:"left_out"`          // evidence that was not examined
	Decides     *finding.Finding `json:"decides,omitempty"` // the finding that decides; nil where none does
	// the probable causes of the findings, by their places in these
	Causes []cause.Cause `json:"causes"`
	// the attacks and faults that the findings make, the gravest first
	Incidents []incident.Incident `json:"incidents"`
	Logs      []walk.LogResult    `json:"logs"`
	Stores    []crosscheck.Store  `json:"stores"` // none if they were not compared
	Batches   walk.Batches        `json:"batches"`
	Sources   []walk.SourceFile   `json:"sources"`
	Findings  []finding.Finding   `json:"findings"`

	// UnknownKeys are the keys that evidence names and the trust file lacks, nil if there are
	// none.
	UnknownKeys *verify.UnknownKeys `json:"unknown_keys,omitempty"`
	// Proofs are the genuine bundles in the evidence.
	Proofs []crosscheck.Bundle `json:"proofs,omitempty"`
	// EndsEarly are the sources that end before events that others show, which is no
	// fault by itself.
	EndsEarly []crosscheck.EndsEarly `json:"ends_early"`

	// Comparison is the crosscheck, nil if it was left out.
	Comparison *crosscheck.Result `json:"-"`

	// Given are the stores that the user named, and Collected are the collection times that
	// the user stated.
	Given     []crosscheck.Prefix    `json:"-"`
	Collected []crosscheck.Collected `json:"-"`

	// OfProofs are logs that are not judged, since only proofs of them are here.
	OfProofs []walk.LogResult `json:"-"`
}

// LeftOut is a part of the case that was not examined. Items name it.
type LeftOut struct {
	What  What     `json:"what"`
	Text  string   `json:"text"`
	Items []string `json:"items"`
}

// Assumption is something that no one examined and that the caller takes as given. It
// does not change the verdict.
type Assumption struct {
	What What   `json:"what"`
	Text string `json:"text"`
}

// What names the kind of an omission, or of an assumption.
type What string

// The kinds.
const (
	Logs       What = "logs"       // that were not asked for
	Earlier    What = "earlier"    // events up to where an earlier walk ended
	Rest       What = "rest"       // for which there was no time
	Later      What = "later"      // sources that came into the case since
	Comparison What = "comparison" // of the pieces of evidence with each other
	Names      What = "names"      // files and members that --only left out
	Shares     What = "shares"     // of a plan, whose parts were not given
	Sources    What = "sources"    // that had to be read again and could not
)

// The kinds of assumptions.
const (
	Input What = "input" // that the parts are all of the evidence
	Parts What = "parts" // that the parts are as workers wrote them
	Proof What = "proof" // that whole logs are not asked about, where only proofs are here
	Trust What = "trust" // that a trust file within the evidence is the user's own
)

// Examined has the results of the examinations of a case.
type Examined struct {
	Walk       *walk.Result
	Saw        walk.Facts         // the other facts of the walk
	Root       *trust.Root        // that the case was examined under
	Comparison *crosscheck.Result // nil if it was left out
	LeftOut    []LeftOut
	Given      []crosscheck.Prefix
	Collected  []crosscheck.Collected // as the user declared
}

// Make returns the answer on a case.
func Make(e Examined) *Result {
	r := &Result{
		Schema: Schema, TrustSHA256: e.Walk.TrustSHA256, LeftOut: append([]LeftOut{}, e.LeftOut...),
		Logs: slices.Clone(e.Walk.Logs), Stores: []crosscheck.Store{}, Batches: e.Walk.Batches, Sources: e.Walk.Sources,
		Findings: slices.Clone(e.Walk.Findings), Comparison: e.Comparison,
		Given: e.Given, Collected: e.Collected, Incidents: []incident.Incident{},
	}
	r.Verdict = e.Walk.Verdict
	isTrustFile := func(s walk.SourceFile) bool { return s.SHA256 == r.TrustSHA256 }
	if slices.ContainsFunc(r.Sources, isTrustFile) {
		r.Assumed = append(r.Assumed, Assumption{Trust, trust.WithinEvidence})
	}
	r.EndsEarly = endsBeforeAnchors(e)
	r.UnknownKeys = unknownKeys(e)
	if e.Comparison != nil {
		r.Proofs = e.Comparison.Proofs()
		r.Stores = append(r.Stores, e.Comparison.Stores...)
		r.EndsEarly = append(r.EndsEarly, e.Comparison.EndsEarly...)
		for _, w := range e.Comparison.Witnessed {
			r.witnessed(w)
		}
		r.compare(e.Comparison.Findings)
		r.placeForks(e.Comparison.Presence)
	}
	if r.isOfProofsAlone() {
		r.judgeProofsAlone()
	}
	r.blameLogs()
	r.limit()
	r.Decides = Decides(r.Verdict, r.Findings)
	r.Causes = cause.Find(cause.Facts{Walk: e.Walk, Saw: e.Saw, Compared: e.Comparison, Findings: r.Findings,
		Root: e.Root})
	return r
}

// isOfProofsAlone reports whether there are genuine bundles, no event is given outside of them, and
// the user declared no log (SPEC 13).
func (r *Result) isOfProofsAlone() bool {
	hasEvents := func(s walk.SourceFile) bool { return s.Events > 0 }
	return len(r.Proofs) > 0 && len(r.Collected) == 0 && !slices.ContainsFunc(r.Sources, hasEvents)
}

// judgeProofsAlone removes the findings of section 13 on logs that are entirely absent:
// bundles alone are judged by sections 8 and 14.
func (r *Result) judgeProofsAlone() {
	r.Findings = slices.DeleteFunc(r.Findings, func(f finding.Finding) bool {
		lacks := f.Code.Entry().Lacks
		return f.Effect() == finding.LeavesOpen && (lacks == finding.WholeLog || lacks == finding.RecordOf)
	})
	r.OfProofs, r.Logs, r.Verdict = r.Logs, []walk.LogResult{}, verify.Verified
	r.Verdict = r.With(r.Findings)
	r.Assumed = append(r.Assumed, Assumption{Proof, "Only proofs are here: no whole log was examined."})
}

// placeForks records for each branch of a fork which stores hold it.
func (r *Result) placeForks(presence []crosscheck.Log) {
	histories := map[facts.Log][]crosscheck.History{}
	for _, p := range presence {
		histories[facts.Log{TenantID: p.TenantID, LogID: p.LogID}] = p.Histories
	}
	for i := range r.Logs {
		l := &r.Logs[i]
		l.Forks = slices.Clone(l.Forks)
		held, known := histories[l.Log()]
		if !known {
			continue
		}
		for j := range l.Forks {
			for k := range l.Forks[j].Branches {
				b := &l.Forks[j].Branches[k]
				for _, h := range held {
					if h.Sequence == l.Forks[j].Sequence && h.Hash == b.FirstHash {
						b.Stores, b.Files = h.Stores, h.Files
					}
				}
			}
			r.nameStores(l.Forks[j])
		}
	}
}

// nameStores excuses the stores that hold the history that anchors name, and not
// the other.
func (r *Result) nameStores(f walk.Fork) {
	named, other := f.Branches[0], f.Branches[1]
	for i := range r.Stores {
		s := &r.Stores[i]
		if f.Named == walk.NamesFirst && slices.Contains(named.Stores, s.Name) && !slices.Contains(other.Stores, s.Name) {
			s.Excuse(int64(min(named.Events, other.Events)))
		}
	}
}

// blameLogs lowers the verdict of each log that a finding blames, whatever examination
// found it (SPEC 13, verdict of a log).
func (r *Result) blameLogs() {
	logs := map[facts.Log]*walk.LogResult{}
	for i := range r.Logs {
		l := &r.Logs[i]
		logs[l.Log()] = l
	}
	for _, f := range r.Findings {
		if l := logs[facts.LogOf(f)]; l != nil && f.Subject() == finding.Log {
			l.Verdict = verdictAfter(l.Verdict, f)
		}
	}
}

// compare adds the findings of the comparison.
func (r *Result) compare(found []finding.Finding) {
	r.Verdict = r.With(found)
	r.Findings = append(r.Findings, found...)
	slices.SortFunc(r.Findings, finding.Compare)
}

// Leave adds something that was not examined. The verdict is not verified after that.
// Missing shares come first and leave every verdict open: whatever is missing in the
// rest may be in them, so that nothing decides.
func (r *Result) Leave(left LeftOut) {
	if left.What == Shares {
		r.LeftOut = slices.Insert(r.LeftOut, 0, left)
		r.Verdict, r.Decides = verify.Inconclusive, nil
		return
	}
	r.LeftOut = append(r.LeftOut, left)
	r.limit()
	r.Decides = Decides(r.Verdict, r.Findings)
}

// limit keeps the verdict from being a success where something was left out, unless the user
// chose the evidence by name (SPEC 13.6).
func (r *Result) limit() {
	for _, l := range r.LeftOut {
		if l.What != Names && r.Verdict == verify.Verified {
			r.Verdict = verify.Inconclusive
		}
	}
}

// Word returns the verdict, "" if there is no result.
func (r *Result) Word() verify.Verdict {
	if r == nil {
		return ""
	}
	return r.Verdict
}

// With returns the verdict together with findings outside the case.
func (r *Result) With(found []finding.Finding) verify.Verdict {
	v := r.Verdict
	for _, f := range found {
		v = verdictAfter(v, f)
	}
	return v
}

// verdictAfter is a verdict after one more finding.
func verdictAfter(v verify.Verdict, f finding.Finding) verify.Verdict {
	switch e := f.Effect(); {
	case e == finding.Rejects:
		return verify.Rejected
	case e == finding.LeavesOpen && v == verify.Verified:
		return verify.Inconclusive
	}
	return v
}
