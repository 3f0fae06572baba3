// Package record keeps a seal believable: it makes and judges the chain of
// time-stamp tokens over a seal (SPEC 17).
//
// Algorithms fall and certificates end. So each step of a chain has a token over
// everything before it: the seal, all earlier tokens, and what shows that the last
// of them was good. A step with another hash also hashes the data again.
//
// A token is judged at the time of the next one, the last at the time of the check.
// A renewal that came after the end of what it renews proves nothing, and is refused
// both when it is made and when it is verified.
//
// A chain is a folder beside the seal, with a folder for each step. Nothing in it is
// ever written again, so it can lie on storage that keeps what it has.
package record
