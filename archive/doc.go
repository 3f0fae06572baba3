// Package archive checks a folder of evidence against the ledger next to it: which objects are
// there and unchanged, which are not, and their verdicts under a trust file.
//
// Two facts are kept apart. An object was read: these bytes were hashed, and when. An object
// was verified: its bytes got a verdict in a context. A verdict can be used again as long as
// bytes and context are the same. A reading cannot: size and time of a file show nothing about
// its bytes.
//
// [Check] lists the folder, joins the list with the rows of the ledger, and reads the objects
// in the order of a queue: new and failed ones first, then those whose last reading is oldest.
// [Classify] decides the class of an object, and [Counts.Verdict] the verdict of the run: both
// are tables.
package archive
