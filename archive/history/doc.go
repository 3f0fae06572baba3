// Package history keeps the versions of a trust file in a folder next to it: since when each
// was in force, who put it in force and why, signed (SPEC 18). The question that it answers is
// which keys were pinned at a time, and who changed that.
//
// The folder has the file [EntriesFile], with one signed entry on each line, and the
// trust files themselves, named after their digests. Each entry commits to the one
// before it.
//
// The signatures show who vouches for a version. Times are the signer's claims. A history that
// was cut off at its end is whole by itself: keep the digest of the newest entry to detect
// this. Everything that an entry rests on is verified before it is shown; nothing after the
// first entry that does not hold is shown.
package history
