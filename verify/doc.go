// Package verify decides whether a proof bundle is genuine: the check list of
// SPEC 8, run over one bundle against one trust file.
//
// [Verify] runs every check of the list and does not stop at the first that
// fails. The verdict is computed over the list, from what each check examined
// and what held: a check that did not run, or that examined nothing, is not a
// pass. What is wrong is data, a [Finding] with a stable code; nothing is
// returned as an error.
//
//	root, err := trust.Parse(trustFile)
//	…
//	report := verify.Verify(bundle.Open(evidence), root, verify.Policy{})
//	if report.Verdict == verify.Verified { … }
//
// The package and everything below it use no network, clock, file or
// environment: the same input gives the same report, byte for byte.
package verify
