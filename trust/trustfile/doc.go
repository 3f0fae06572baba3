// Package trustfile prepares trust files for use. It is for the operator who
// collects keys; verifying evidence needs package trust only.
//
// [ReadKey] and [ReadPin] read keys and registry pins in the forms in
// which people keep them. [Assemble] writes a trust file from them. [Lint] and
// [LintBeside] report settings that are almost certainly mistakes, and
// [Explain] lists who could together forge a proof that the file accepts.
// [Fingerprints] are digests for people to compare.
package trustfile
