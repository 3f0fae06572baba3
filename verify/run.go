package verify

import (
	"github.com/svc-edge/svc-verify/bundle"
	"github.com/svc-edge/svc-verify/trust"
)

// run is one pass over the check list.
type run struct {
	in     *bundle.Input
	root   *trust.Root
	policy Policy
	trial  trial
	report *Report
}

// trial is what only tests ask for, to show that nothing could be lost without
// being noticed.
type trial struct {
	without CheckID                    // its findings do not count
	told    func(f Finding, held bool) // is told of every requirement that is examined
}

func newRun(in *bundle.Input, root *trust.Root, policy Policy, trial trial) *run {
	r := &run{in: in, root: root, policy: policy, trial: trial, report: &Report{Schema: ReportSchema}}
	for _, c := range checkList {
		r.report.Checks = append(r.report.Checks, Check{ID: c.id, Spec: c.spec, Title: c.title, Status: Skipped, Findings: []Finding{}})
	}
	return r
}

// proved is a value that a check handed on. A check whose input is not proved
// does not run. The fields are set in this file only.
type proved[T any] struct {
	value T
	ok    bool
}

// pair is what a check gets that needs two inputs.
type pair[A, B any] struct {
	a A
	b B
}

// given is the input of the first check.
func given[T any](v T) proved[T] { return proved[T]{v, true} }

// both is proved when a and b are.
func both[A, B any](a proved[A], b proved[B]) proved[pair[A, B]] {
	return proved[pair[A, B]]{pair[A, B]{a.value, b.value}, a.ok && b.ok}
}

// notes is what one check writes down while it runs.
type notes struct {
	examined, failed int
	findings         []Finding
	withheld         bool
	told             func(f Finding, held bool) // nil but in tests
}

// expect examines one thing. Where it does not hold, it is written down as a
// finding at the path, with what was expected and what was found.
func (n *notes) expect(holds bool, code Code, path, expected, found string) bool {
	n.examined++
	f := newFinding(code, path, expected, found)
	if n.told != nil {
		n.told(f, holds)
	}
	if !holds {
		n.failed++
		n.findings = append(n.findings, f)
	}
	return holds
}

// withhold keeps the check from handing on its result.
func (n *notes) withhold() { n.withheld = true }

// check runs one check of the list, unless its input was not established, and
// records what it examined.
func check[In, Out any](r *run, id CheckID, in proved[In], f func(*notes, In) Out) proved[Out] {
	if !in.ok {
		return proved[Out]{}
	}
	n := notes{told: r.trial.told}
	out := f(&n, in.value)
	if id == r.trial.without {
		n = notes{examined: max(n.examined, 1), withheld: n.withheld}
	}
	c := r.report.check(id)
	c.Examined, c.Held = n.examined, n.examined-n.failed
	c.Findings = append(c.Findings, n.findings...)
	c.Status = n.status()
	return proved[Out]{out, !n.withheld}
}

// status is passed only where something was examined and all of it held.
func (n *notes) status() Status {
	switch {
	case n.failed > 0:
		return Failed
	case n.examined == 0:
		return Empty
	}
	return Passed
}
