package replay

import (
	"fmt"
	"strconv"

	"github.com/svc-edge/svc-verify/archive/object"
	"github.com/svc-edge/svc-verify/trust"
	"github.com/svc-edge/svc-verify/trust/change"
	"github.com/svc-edge/svc-verify/verify"
)

// Under is the trust file and the policy that objects are verified under.
type Under struct {
	Root   *trust.Root
	Policy verify.Policy
}

// Context is the context of verdicts under it.
func (u Under) Context() object.Context { return object.ContextOf(u.Root, u.Policy) }

// scope describes the objects that a change can touch.
type scope struct {
	change.Touched
	// least and most are the lower and the higher demand for approvals.
	least, most int
	// otherPolicy is set if the policies differ in more than that.
	otherPolicy bool
}

func scopeOf(from, to Under) scope {
	s := scope{Touched: change.Touches(from.Root, to.Root)}
	before, after := max(from.Policy.MinimumApprovals, 1), max(to.Policy.MinimumApprovals, 1)
	s.least, s.most = min(before, after), max(before, after)
	equal := from.Policy
	equal.MinimumApprovals = to.Policy.MinimumApprovals
	s.otherPolicy = object.PolicyDigest(equal) != object.PolicyDigest(to.Policy)
	return s
}

// touches returns why the change can touch an object that was judged so; nothing if
// it cannot.
func (s *scope) touches(j *object.Judgement) (why []string) {
	switch j.Kind {
	case object.Bundle:
		return s.bundle(&j.Facts)
	case object.Logs, object.Case:
		if !s.Nothing() {
			why = append(why, "a walk uses the whole trust file")
		}
	}
	return why
}

func (s *scope) bundle(f *object.Facts) (why []string) {
	for _, k := range f.Keys {
		if s.Keys[change.Reference{Role: k.Role, ID: k.ID}] {
			why = append(why, string(k.Role)+" key "+k.ID)
		}
	}
	for _, g := range f.Generations {
		if s.Generations[g] {
			why = append(why, "registry "+strconv.FormatInt(g, 10))
		}
	}
	if s.Witnesses(f.Witnesses) && readable(f) {
		why = append(why, fmt.Sprintf("%d of %d or %d witnesses", f.Witnesses, s.Least, s.Most))
	}
	if s.least <= f.Approvals && f.Approvals < s.most {
		why = append(why, fmt.Sprintf("%d of %d or %d approvals", f.Approvals, s.least, s.most))
	}
	if s.otherPolicy && len(why) == 0 {
		why = append(why, "another policy")
	}
	return why
}

// readable reports whether the facts come from a bundle that could be read: each has
// signatures, so it names keys. Of another one the checks after the first do not run.
func readable(f *object.Facts) bool { return len(f.Keys) > 0 }
