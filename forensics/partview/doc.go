// Package partview reads the records of parts as the evidence of a verdict.
//
// A [View] answers every question that a walk, a comparison and an examination of
// deliveries ask, as a case of the same evidence would answer it. So a verdict over
// parts is that over a case.
//
// # Numbers
//
// A case numbers sources and containers as they come. A view numbers them in the order in
// which a case answers: sources by digest, containers by source and as the readers met them.
// Shares of one source are one source: the records of a range come after the records of
// earlier ranges.
//
// # Memory
//
// Memory grows with the shares, the containers and the logs, but not with the events: a
// reference to a copy of an event has the place of the copy in its log.
package partview
