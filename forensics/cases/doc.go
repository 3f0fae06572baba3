// Package cases tests the forensic half on evidence that was really tampered with.
// For every code of package finding there is a script of package tamper that makes
// it, and a near miss that must not.
//
// It has tests, the table of their fixtures, and functions that bring a fleet's evidence into
// a case for the tests of other packages. Each test plays one script on the evidence of a
// fleet, writes the files that an investigator would be given into a folder, ingests them into
// a case and has it examined. The findings must be the code, at the events and in the log that
// the script reports as damaged, and nothing else. Shapes hand out a genuine journal in every
// form in which products do.
//
// Layouts of package harness/layout and manipulations of package harness/tamper, which has
// scripts and generates more for each actor from a seed, are examined too. Clean evidence
// must be verified in every ordinary layout, and a manipulation never: the answer names the
// log or the source, the events and the cause.
//
// docs/findings-coverage.md, docs/formats.md and docs/manipulations.md are written by
//
//	go test ./forensics/cases -update
package cases
