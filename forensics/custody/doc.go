// Package custody is the journal of a case: the actions of commands, and notes of people (SPEC
// 21).
//
// Each entry commits to the one before, so that the digest of the newest one, the head, names
// the whole journal. Entries are not signed. Two things show that some were edited or removed:
// the head that a user's state remembers, and the results that the case still has.
//
// Notes are entries. They change no verdict.
package custody
