// Package archives makes folders of evidence as tenants keep them. A [Pool] has the evidence
// of one tenant: bundles, journals at several ages, and files that are no evidence.
// [Pool.Archive] arranges a random choice of it below names as people and programs give them.
//
// An archive is a [Tree] in memory. The effect of a test on it is the difference of two trees,
// so that the test can derive the right answer without the code that it tests.
package archives
