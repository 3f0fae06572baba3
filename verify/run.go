package verify

import (
	"fmt"

	"github.com/svc-edge/svc-verify/bundle"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/trust"
)

// run is one pass over the check list: its input, the facts that two of the checks establish
// for later ones, and the recorder of the check that is running.
type run struct {
	in     *bundle.Input
	root   *trust.Root
	policy Policy

	// The receipts and the keys whose signatures hold (8.3). A quorum counts
	// these and no others.
	witnesses []receipt
	approvers []trust.Key
	// The disclosed events by type (8.6). An honest bundle has one issuance and
	// at most one revocation.
	issuances, revocations []*trust.Sealed[bundle.Event]

	// The keys that the trust file lacks, and whether they are presumed to be pinned and
	// signatures under them to hold, which proves nothing (SPEC 8.3).
	keys     KeyTally
	presumes bool

	recorder
}

// recorder records the items that a check examines.
type recorder interface {
	// expect examines one requirement and returns whether it holds. If not, it is a finding at
	// the path, with the expected and the found value.
	expect(holds bool, code Code, path, expected, found string) bool
	// noteHeld counts n further things that were examined and hold.
	noteHeld(n int)
	// noteAbsent adds a finding that there is nothing to examine.
	noteAbsent(code Code, path, expected, found string)
}

// notes is the recorder of [Verify].
type notes struct {
	examined, failed int
	findings         []Finding
}

func (n *notes) expect(holds bool, code Code, path, expected, found string) bool {
	n.examined++
	if !holds {
		n.failed++
		n.findings = append(n.findings, finding.At(code, path, expected, found))
	}
	return holds
}

func (n *notes) noteHeld(count int) { n.examined += count }

func (n *notes) noteAbsent(code Code, path, expected, found string) {
	n.findings = append(n.findings, finding.At(code, path, expected, found))
}

// status is Passed only if something was examined and all of it held.
func (n *notes) status() Status {
	switch {
	case n.failed > 0:
		return Failed
	case n.examined == 0:
		return Empty
	}
	return Passed
}

// runCheck runs one check and enters the outcome in its part of the report.
func (r *run) runCheck(c check, outcome *Check) {
	n := &notes{}
	r.recorder = n
	c.examine(r, r.in.Bundle)
	outcome.Status = n.status()
	outcome.Examined, outcome.Held = n.examined, n.examined-n.failed
	outcome.Findings = append(outcome.Findings, n.findings...)
}

// equal expects that a value of the bundle is the wanted one.
func equal[T comparable](r *run, code Code, path string, want, got T) {
	var expected, found string
	if want != got {
		expected, found = fmt.Sprint(want), fmt.Sprint(got)
	}
	r.expect(want == got, code, path, expected, found)
}
