// Package share makes the records of a part out of a share of the evidence.
//
// It reads evidence as an ingest does, through package ingest, and keeps no body. Each
// event is judged by itself as it comes: the hash that its content gives, and for which
// hash its signature holds. What remains is a [part.Content].
//
// # Memory
//
// The records of one run are in memory. A run that is full is sorted and written to a
// temporary file, and all runs are merged at the end. Neither the records nor their
// order depend on where a run ended, or on the number of workers.
//
// # Signatures
//
// Signatures under one key are verified together, however many logs there are between
// them: they wait until there are enough of one key, or too many in all.
package share
