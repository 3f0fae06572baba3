// Package verdict gives the one answer on a case: that of everything in it, as
// far as it was examined, under one trust file.
//
// Two examinations find things: package walk goes along the logs, and package
// crosscheck holds the pieces of evidence against each other. [Make] brings what
// they found together. A finding counts for the log that it blames, and every
// finding counts for the case. What was not examined is said first, and then the
// answer is never a success.
//
// The result is kept in the case and read from there by every command and every
// report: none of them answers anew.
package verdict
