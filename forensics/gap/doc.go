// Package gap says which events of a case are missing, and what may have become
// of them.
//
// Missing is a matter of sequences (SPEC 4.1): what lies between two events that
// are here, before the first one, or above the last one where a walk found an
// anchor that shows that more followed. No walk is needed for the first two. What
// one source lacks and others have is told in the same way.
//
// # Hypotheses
//
// How events got lost cannot be read off their absence. For every gap the package
// therefore goes through the usual causes, from deletion to a query that asked for
// too little, and says which facts of the case speak for each and which against
// it. A fact is what stands in the index: which files hold the neighbours, in what
// form, under which batch ids, how long they are, what could not be read between
// them. Nothing is weighed beyond that: a cause with more facts for it comes first,
// and one for which there is none comes last, not never.
package gap
