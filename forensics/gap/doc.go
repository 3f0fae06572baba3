// Package gap finds the missing events of a case, with possible explanations.
//
// Sequences show missing events (SPEC 4.1): the events between two that are here, before the
// first one, or above the last one if a walk found an anchor which shows that more followed.
// The first two need no walk. Events that one source lacks and others have are found in the
// same way.
//
// # Hypotheses
//
// Absence alone does not show how events were lost. So for every gap the package
// goes through the usual causes, from deletion to a query with too small a limit,
// and lists the facts of the case for and against each. The facts come from the
// index: the files that have the neighbours, their form, batch ids and length, and
// the spans between them that could not be read. Causes are ordered by the number
// of facts for them. A cause without any is still listed, last.
package gap
