// Package status reports from a whole tenant log whether certificates are issued or revoked.
//
// A bundle proves the status of one transaction at one checkpoint. A tenant log that
// is complete up to an event by others' word (SPEC 13.7) proves more: every issuance up
// to there, and that no other transaction was issued or revoked.
//
// # When an answer is definite
//
// issued: the log has one issuance of the transaction, signed by a pinned audit key,
// at or below the event up to which others vouch for the log, and no revocation up to
// its last event. The walk must have verified the log, and nothing that could not be
// read may hide an event of it.
//
// revoked: the log has a revocation that a pinned audit key signed, as an event of its
// history, or a verified bundle of the case states revoked. A revocation is final. So a gap, a
// span that could not be read, or a tail that no one vouches for changes nothing.
//
// Everything else is unknown, or, where the complete log has no issuance, not-issued. Both are
// inconclusive. A [Reason] explains why. Where the log itself is bad, the answer is rejected,
// also with the status revoked. Missing events alone reject nothing here: they make the status
// unknown.
//
// # Trusted results
//
// The package verifies no log. It uses the result of an examination under the same trust file,
// as package examine returns it: made in this process, or kept in the case under the user's
// key. The events come from the case, whose columns follow from the bytes that their hashes
// cover. Their signatures are verified again. An event above the last one that was examined
// counts for nothing.
//
// # Cost
//
// One pass over the issuances and revocations of a log, with 24 bytes of memory for an
// issuance and 48 for a revocation, and about 200 for a bundle.
package status
