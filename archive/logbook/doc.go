// Package logbook answers from the ledger of an archive alone: what its runs found,
// what is wrong now, and what became different between two runs. No object is read.
//
// Each answer says first how far the ledger can be believed. One that was changed by
// something else gives no other answer.
package logbook
