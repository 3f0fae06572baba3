// Package logbook answers from the ledger of an archive alone: the results of its runs, the
// present failures, and the differences between two runs. No object is read.
//
// Each answer states first how far the ledger can be believed. One that was changed by
// something else gives no other answer.
package logbook
