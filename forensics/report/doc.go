// Package report renders a case as a report, once its logs were walked.
//
// The report has the answers, the findings with their places, the parts that were not
// examined, and the limits of its proof.
//
// # How it is made
//
// [Gather] reads the case once: the result of a walk, its findings, and the index
// of events, which shows how much of each log is in the case and when it was
// delivered. It verifies nothing again. It returns data, which is also the JSON
// form ([Schema]). The writers of this package turn it into one HTML file,
// Markdown, CSV or a timeline.
//
// Text for a terminal is made by package text.
//
// A report depends on the content of the case, on the walk and on the version of
// the program. It does not depend on a clock or the order of ingest. The path of the
// case is only in its commands.
//
// # Bounds
//
// A report has a limited number of marks of a log, which get coarser as it gets longer, and
// pictures have a limited number of rows. Lists are cut; they say how many entries were omitted and which command lists
// them all. So memory grows with the number of logs, sources and findings, which
// the walk limits, and not with the length of a log.
//
// # Hostile text
//
// Every name, identifier and value in a report comes from the evidence and may be
// hostile. No writer shows one unchanged: package safetext makes control
// characters, marks that reorder a line and other scripts visible, and then the
// form's own escaping applies. The HTML contains no script, and its policy allows
// none.
package report
