// Package cause names what probably led to the findings of a case: few causes
// for many findings, each with the facts that speak for and against it.
//
// A cause is weighed by values: what a walk and a comparison of sources say and
// saw, the codes and ranges of findings, the trust file. No sentence is read. A
// cause hides no finding and changes no verdict: it stands before the findings
// that follow from it. The same facts give the same causes in the same order,
// the one that explains most first.
package cause
