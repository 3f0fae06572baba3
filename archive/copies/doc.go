// Package copies compares an archive with a second copy of it, and finds out which of
// the two has each object whole.
//
// An object is whole if it is as the ledger recorded it. If the ledger
// does not have it, it is whole if it verifies. Nothing is written: the result has the
// commands that copy whole objects to where they are missing or damaged.
package copies
