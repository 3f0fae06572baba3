// Package query answers questions about the content of a case.
//
// Examples are the events of a case, the facts known about one of them, their export batches,
// the paths that an ingest left unread, and the findings of a walk about a transaction. Each
// answer is a value with its JSON form, or a sequence of values where it may be long. Nothing
// is verified here, and no answer depends on the order in which the evidence was read. Package
// report/text renders the values for people.
package query
