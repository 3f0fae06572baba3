package verify_test

import (
	"sync"
	"testing"

	"github.com/svc-edge/svc-verify/bundle"
	"github.com/svc-edge/svc-verify/fixtures"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/trust"
	"github.com/svc-edge/svc-verify/verify"
)

// judged is a conformance case and the report on it.
type judged struct {
	fixtures.Case
	in     *bundle.Input
	root   *trust.Root
	policy verify.Policy
	report *verify.Report
}

var judgeOnce = sync.OnceValues(func() (list []judged, err error) {
	cases, err := fixtures.Cases()
	for _, c := range cases {
		root, fault := trust.Parse(c.Trust)
		if fault != nil {
			continue // a case about a trust file that must be refused
		}
		j := judged{Case: c, in: bundle.Open(c.Bundle), root: root}
		if j.policy, err = c.Policy.Verify(); err != nil {
			return nil, err
		}
		j.report = verify.Verify(j.in, j.root, j.policy)
		list = append(list, j)
	}
	return list, err
})

// judgedCases returns all conformance cases about bundles, verified once for all tests.
func judgedCases(t testing.TB) []judged { return must.Get(judgeOnce())(t) }
