package verify_test

import (
	"testing"

	"github.com/svc-edge/svc-verify/bundle"
	"github.com/svc-edge/svc-verify/fixtures"
	"github.com/svc-edge/svc-verify/trust"
	"github.com/svc-edge/svc-verify/verify"
)

// TestNoCheckIsIdle: with any one check taken off the list, some conformance
// case gets another verdict. A check that none of them needs would be one that
// could be lost without anybody noticing.
func TestNoCheckIsIdle(t *testing.T) {
	cases, err := fixtures.Cases()
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range verify.CheckIDs() {
		if c, ok := changed(t, cases, id); ok {
			t.Logf("%s: %s", id, c.Name)
			continue
		}
		t.Errorf("%s: no case gets another verdict without it", id)
	}
}

// changed returns a case that only the check keeps from being verified.
func changed(t *testing.T, cases []fixtures.Case, id verify.CheckID) (fixtures.Case, bool) {
	t.Helper()
	for _, c := range cases {
		if c.Expect.Check != string(id) || !c.Expect.Only {
			continue
		}
		root, err := trust.Parse(c.Trust)
		if err != nil {
			t.Fatal(err)
		}
		policy, err := c.Policy.Verify()
		if err != nil {
			t.Fatal(err)
		}
		in := bundle.Open(c.Bundle)
		if verify.Verify(in, root, policy).Verdict != verify.VerifyWithout(in, root, policy, id).Verdict {
			return c, true
		}
	}
	return fixtures.Case{}, false
}
