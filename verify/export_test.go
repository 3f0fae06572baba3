package verify

import (
	"github.com/svc-edge/svc-verify/bundle"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/trust"
)

// VerdictOf is the verdict of these checks.
func VerdictOf(checks []Check) Verdict { return verdictOf(checks) }

// Trace runs the check list and calls tell with every requirement that a check
// examines, from within the call that examines it.
func Trace(in *bundle.Input, root *trust.Root, policy Policy, tell func(f Finding, held bool)) {
	r := &run{in: in, root: root, policy: policy, recorder: tracer{&notes{}, tell}}
	for i, c := range policy.checks() {
		if i > 0 && in.Bundle == nil || c.id.ofProven() && !Verify(in, root, policy).Proven() {
			continue
		}
		c.examine(r, in.Bundle)
	}
}

type tracer struct {
	recorder
	tell func(f Finding, held bool)
}

func (t tracer) expect(holds bool, code Code, path, expected, found string) bool {
	t.tell(finding.At(code, path, expected, found), holds)
	return holds
}

func (t tracer) noteAbsent(code Code, path, expected, found string) {
	t.tell(finding.At(code, path, expected, found), false)
}

// Update reports whether golden files are to be written again.
func Update() bool { return *update }
