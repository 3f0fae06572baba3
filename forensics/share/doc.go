// Package share makes the records of a part out of a share of the evidence.
//
// It reads evidence as an ingest does, through package ingest, into a temporary store that
// judges each event by itself as it comes, and keeps no body: the hash that its content gives,
// and for which hash its signature holds. The result is a [part.Content]. It does not depend
// on the number of workers, nor on how much memory there is.
package share
