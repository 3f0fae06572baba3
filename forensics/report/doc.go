// Package report makes of a case what a responder hands on once the logs were
// walked: which answers there are, what was found and where, what was not looked
// at, and what all of it does not prove.
//
// # How it is made
//
// [Gather] reads the case once: a walk that the case holds, its findings, and
// the index of events, from which it draws how much of each log is there and
// when it was delivered. It verifies nothing again. What it returns is data; the
// writers of this package turn it into one HTML file, Markdown, CSV and a
// timeline, and it is itself the JSON form, [Schema].
//
// Text for a terminal is made by package text.
//
// A report depends on the content of the case, the walk and the version of the
// program, not on a clock, on the order of ingest or on where the case lies.
//
// # Bounds
//
// Pictures are drawn from at most [Columns] columns, which get coarser as a log
// gets longer; lists are cut, and say how much was left out and which command
// lists it all. So memory grows with the number of logs, sources and findings,
// which the walk bounds, and not with the length of a log.
//
// # Hostile text
//
// Every name, identifier and value in a report was written by whoever made the
// evidence. No writer shows one as it is: package safetext makes control
// characters, marks that reorder a line and other scripts visible, and then the
// form's own rules apply. The HTML holds no script, and its policy allows none.
package report
