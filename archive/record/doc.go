// Package record makes and judges evidence records (RFC 4998, SPEC 17): time stamps that
// show for each object of a sealed archive, and for the seal, since when it exists.
//
// Algorithms fall and certificates end. So time stamps stand over time stamps: a renewal
// covers the tokens before it, and a new chain covers all objects and all chains before it
// under another hash. A token is judged at the time of the next one, the last at the time of
// the check. A renewal that came after the renewed evidence ended proves nothing, and is
// refused both when it is made and when it is verified.
//
// A record proves something about the content of one object, and nothing about names. The
// seal is one of the objects, and binds the others to their paths.
//
// The record of the seal is kept. The record of any other object has the same time stamps
// and another way to the root of each chain: [Grow] computes all of them from the lists of
// leaves, or from the data.
package record
