// Package ledger keeps the record of an archive: one SQLite file next to it, with every
// object, when it was read and verified, and every run.
//
// # Detected changes
//
// A ledger is hostile input like a case. Its schema must be the one that this package makes
// (package guard). Each row has a code, an HMAC under the user's key, over its whole content.
// The row state has a code over the sum of all rows, each as a number that only the key gives.
// Both change in the same transaction. So no row can be changed, added, taken away or put back
// alone. Opening a ledger reads all of it once and compares the sum; a mismatch is an
// [AlteredError].
//
// A key cannot show that the whole file was put back to an earlier state. The digest of the
// newest run, kept elsewhere, shows that: [Ledger.Expect].
//
// # Whose it is
//
// A ledger of another user is [Foreign]: its codes say nothing. Its objects
// have no context, so no verdict in it is used.
//
// # Writing
//
// One [Writer] works at a time. Rows are written in batches; one that was not
// committed is lost if the process is killed, and no other. A run that was interrupted
// left its rows, and no record: the next run has its number, and its record covers
// both.
package ledger
