// Package query answers questions about the content of a case.
//
// Which events does it have, what is known of one of them, which export batches
// did they come in, what did an ingest leave unread, which findings of a walk are
// about a transaction: each answer is a value with its JSON form, or a sequence
// of values where it may be long. Nothing is verified here, and no answer depends
// on the order in which the evidence was read. Package report/text renders the
// values for people.
package query
