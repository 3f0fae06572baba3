// Package cause finds the probable causes of the findings of a case.
//
// A few causes explain many findings. Each comes with the facts for and against it.
//
// Causes are weighed by values only: the results and facts of a walk and of a
// comparison of sources, the codes and ranges of findings, and the trust file. A
// cause hides no finding and changes no verdict; it is shown before the findings
// that follow from it. The same facts give the same causes in the same order: the
// cause of the gravest finding first, and last of all files that are no evidence.
package cause
