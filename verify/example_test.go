package verify_test

import (
	"fmt"

	"github.com/svc-edge/svc-verify/bundle"
	"github.com/svc-edge/svc-verify/harness"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/trust"
	"github.com/svc-edge/svc-verify/verify"
)

// evidence plays a scene and returns its first bundle and its trust file, as a
// service would hand out the one and a customer collect the other.
func evidence(scene string) (bundleFile, trustFile []byte) {
	s, err := harness.Build(scene, 1, harness.Options{})
	if err != nil {
		panic(err)
	}
	return seal.Canonical(s.Exports[0].Bundle), seal.Canonical(s.Trust)
}

// A proof is verified against the keys of the trust file, and nothing else.
func ExampleVerify() {
	bundleFile, trustFile := evidence("issued")

	root, err := trust.Parse(trustFile)
	if err != nil {
		fmt.Println(err)
		return
	}
	report := verify.Verify(bundle.Open(bundleFile), root, verify.Policy{MinimumApprovals: 2})

	fmt.Println(report.Verdict)
	fmt.Println(report.Result.Status, "to", report.Result.TenantID, "in", report.Result.TransactionID)
	fmt.Println("approved by", report.Result.ApproverNodeIDs)
	fmt.Println("witnessed by", report.Result.AuditWitnessNodeIDs)
	// Output:
	// verified
	// issued to acme-corp in tx-2026-0001
	// approved by [mesh-berlin-1 mesh-oslo-1]
	// witnessed by [mesh-berlin-1 mesh-lisbon-1]
}

// What is wrong comes back as findings: data with a stable code and a place.
func ExampleReport_Findings() {
	bundleFile, trustFile := evidence("issued")
	root, err := trust.Parse(trustFile)
	if err != nil {
		fmt.Println(err)
		return
	}

	report := verify.Verify(bundle.Open(bundleFile), root, verify.Policy{MinimumApprovals: 3})
	fmt.Println(report.Verdict)
	for _, f := range report.Findings() {
		fmt.Println(f.Code, "at", f.Path)
		fmt.Println(f.Sentence())
	}
	// Output:
	// rejected
	// approval.under-quorum at /approvals
	// /approvals: expected at least 3 distinct approving nodes, found 2
}
