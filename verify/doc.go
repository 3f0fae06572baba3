// Package verify decides whether a proof bundle is genuine. It runs the check
// list of SPEC 8 on one bundle, against one trust file.
//
// [Verify] runs every check of the list and does not stop at the first failure.
// The verdict is computed from the list: a check that did not run, or that had
// nothing to examine, is not a pass. Defects are data, each a [Finding] with a
// stable code. Verify never returns an error.
//
//	root, err := trust.Parse(trustFile)
//	…
//	report := verify.Verify(bundle.Open(evidence), root, verify.Policy{})
//	if report.Verdict == verify.Verified { … }
//
// A genuine bundle can be old, and older than a revocation. [Policy.At] and [Policy.MaxAge]
// demand that its status is fresh. [Report.Proven] reports that a bundle is genuine, fresh or
// not.
//
// The package and everything that it imports use no network, clock, file or
// environment variable. The same input gives the same report, byte for byte.
package verify
