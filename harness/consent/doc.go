// Package consent has the checks that every actor of the service makes before it
// signs (SPEC 7, 8). A statement is by a known key of its role, approvals and
// decisions agree on the same terms, and nothing has expired.
//
// These are the issuers' own rules. The verifier has its own code for the same
// sentences of the specification.
package consent
