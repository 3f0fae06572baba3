// Package verdict makes the one answer on a case under one trust file.
//
// There are two examinations: package walk verifies the logs, and package crosscheck compares
// the sources with each other. [Make] combines their findings. A finding counts for the log
// that it blames, and every finding counts for the case. If anything was not examined, the
// result lists it first, and the case is never verified.
//
// The result is kept in the case. Every command and every report reads it from
// there; none of them computes it again.
package verdict
