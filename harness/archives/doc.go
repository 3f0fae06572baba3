// Package archives makes folders of evidence as tenants keep them, and damages
// them. A [Pool] has the evidence of one tenant: bundles, journals at several
// ages, and files that are no evidence. [Pool.Archive] arranges a random choice of
// it below names as people and programs give them. [Damages] are the ways in which
// an archive changes: by accident, by an attacker, or as it should.
//
// An archive is a [Tree] in memory. What damage did is the difference of two trees,
// so that a test can derive the right answer without the code that it tests.
package archives
