// Package matrix tests the answer on a case over every ordinary layout of clean
// evidence. It does so for every manipulation, too.
//
// It has only tests. Layouts come from package harness/layout, manipulations from
// package harness/tamper: its scripts, and what it generates for each actor from
// a seed. Each is written to files, ingested and examined. Clean evidence must
// be verified, and a manipulation never: the answer names the log or the source,
// the events and the cause. docs/manipulations.md is written by
//
//	go test ./forensics/matrix -update
package matrix
