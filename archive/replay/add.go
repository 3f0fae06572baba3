package replay

import (
	"cmp"
	"encoding/hex"
	"fmt"
	"slices"

	"github.com/svc-edge/svc-verify/archive/object"
	"github.com/svc-edge/svc-verify/internal/safetext"
	"github.com/svc-edge/svc-verify/outcome"
)

// add counts one object.
func (r *Result) add(j *judged) {
	r.Objects++
	switch {
	case j.fault != nil:
		r.addFault(*j.fault)
		return
	case j.believed:
		r.Believed++
	}
	if len(j.why) > 0 {
		r.Touched++
	}
	if j.first {
		r.JudgedBefore++
	}
	if j.again {
		r.JudgedAfter++
	}
	if j.before.Kind == object.Other {
		r.Other++
		return
	}
	r.verdicts[Verdicts{j.before.Verdict, j.after.Verdict, 0}]++
	if effect := effectOf(&j.before, &j.after); effect != "" {
		r.addChange(effect, j)
	}
}

func (r *Result) addFault(f Fault) {
	switch f.What {
	case Missing:
		r.Missing++
	case Altered:
		r.Altered++
	default:
		r.Unreadable++
	}
	if len(r.NotJudged) == MaxFaults {
		r.MoreFaults++
		return
	}
	r.NotJudged = append(r.NotJudged, f)
}

// effectOf returns the effect on a verdict; "" if there is none.
func effectOf(before, after *object.Judgement) string {
	switch was, is := before.Verdict == outcome.Verified, after.Verdict == outcome.Verified; {
	case was && !is:
		return Lost
	case is && !was:
		return Gained
	case before.Verdict != after.Verdict || before.Code != after.Code:
		return Changed
	}
	return ""
}

func (r *Result) addChange(effect string, j *judged) {
	switch effect {
	case Lost:
		r.Lost++
	case Gained:
		r.Gained++
	case Changed:
		r.Changed++
	}
	r.codes[Code{effect, j.before.Verdict, j.before.Code, j.after.Verdict, j.after.Code, 0}]++
	if len(r.changes[effect]) == MaxChanges {
		r.MoreChanges++
		return
	}
	facts := j.before.Facts
	if facts.TransactionID == "" {
		facts = j.after.Facts
	}
	r.changes[effect] = append(r.changes[effect],
		Change{Effect: effect, Path: object.PathText(j.path), Kind: j.before.Kind,
			SHA256: hex.EncodeToString(j.sum[:]), TenantID: facts.TenantID, TransactionID: facts.TransactionID,
			Before: verdictOf(&j.before), After: verdictOf(&j.after), Reason: j.after.Reason, Because: reasons(j.why)})
}

func verdictOf(j *object.Judgement) Verdict { return Verdict{j.Verdict, j.Code, j.Pointer} }

// mostReasons is how many keys and numbers a change names: a bundle can have
// thousands.
const mostReasons = 16

func reasons(why []string) []string {
	list := append([]string{}, why[:min(len(why), mostReasons)]...)
	if more := len(why) - len(list); more > 0 {
		list = append(list, fmt.Sprintf("%d more", more))
	}
	return list
}

// conclude makes the lists of the result, and its verdict.
func (r *Result) conclude() {
	r.Changes = []Change{}
	for _, effect := range []string{Lost, Gained, Changed} {
		r.Changes = append(r.Changes, r.changes[effect]...)
	}
	r.countVerdicts()
	r.Codes = []Code{}
	for code, n := range r.codes {
		code.Objects = n
		r.Codes = append(r.Codes, code)
	}
	order := []string{Lost, Gained, Changed}
	slices.SortFunc(r.Codes, func(a, b Code) int {
		return cmp.Or(cmp.Compare(slices.Index(order, a.Effect), slices.Index(order, b.Effect)),
			cmp.Compare(b.Objects, a.Objects), byClass(a.BeforeVerdict, b.BeforeVerdict),
			byClass(a.AfterVerdict, b.AfterVerdict),
			cmp.Compare(a.Before, b.Before), cmp.Compare(a.After, b.After))
	})
	r.NotExamined = r.notExamined()
	r.Verdict = string(r.Class())
}

// countVerdicts makes the table of verdicts, and the sums of it.
func (r *Result) countVerdicts() {
	r.Verdicts = []Verdicts{}
	for pair, n := range r.verdicts {
		pair.Objects = n
		r.Verdicts = append(r.Verdicts, pair)
		if pair.Before == outcome.Verified {
			r.VerifiedBefore += n
		}
		if pair.After == outcome.Verified {
			r.VerifiedAfter += n
		}
	}
	slices.SortFunc(r.Verdicts, func(a, b Verdicts) int {
		return cmp.Or(byClass(a.Before, b.Before), byClass(a.After, b.After))
	})
}

// byClass compares two verdicts, the worse one first.
func byClass(a, b outcome.Class) int {
	return cmp.Compare(slices.Index(outcome.Classes(), a), slices.Index(outcome.Classes(), b))
}

// noneVerifies reports whether no evidence has a verdict that could be lost, and
// none gains one.
func (r *Result) noneVerifies() bool { return r.VerifiedBefore+r.VerifiedAfter == 0 }

// Class is the outcome of the change: rejected if a proof loses its verdict, unreadable if an
// object could not be read, inconclusive if one is missing or altered, if the replay was
// stopped, or if no evidence verifies under either file.
func (r *Result) Class() outcome.Class {
	switch {
	case r.Lost > 0:
		return outcome.Rejected
	case r.Unreadable > 0:
		return outcome.Unreadable
	case r.Missing+r.Altered > 0 || r.Stopped || r.doubt || r.noneVerifies():
		return outcome.Inconclusive
	}
	return outcome.Verified
}

func (r *Result) notExamined() []string {
	list := append(object.Sentences{}, r.remarks...)
	say := func(n int64, format string) { list.Say(n > 0, format, safetext.Count(n, "object")) }
	anything := r.Objects > r.Other
	judged := r.Objects > r.Other+r.Missing+r.Altered+r.Unreadable
	list.Say(r.Stopped, "the replay was stopped: objects after the last one in this result")
	list.Say(!r.Stopped && !anything, "anything: there is no evidence")
	list.Say(!r.Stopped && anything && judged && r.noneVerifies(),
		"whether a proof loses its verdict: no evidence is verified under either file")
	say(r.Unreadable, "%s that could not be read")
	say(r.Missing, "%s that the ledger has and the folder does not")
	say(r.Altered, "%s whose bytes differ from the ledger")
	say(r.Other, "%s without evidence")
	return list
}
