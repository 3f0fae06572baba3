// Package index finds the bundles that contradict each other. It works on millions of
// proven bundles in bounded memory.
//
// # Results
//
// A bundle makes claims of several kinds ([contradiction.Claim]); the head of its checkpoint
// is a kind of its own here. Two entries clash in a kind if they have claims of that kind with
// one key and values that clash. For each entry and each kind, the answer is the first other
// entry of the set, before or after it, that clashes with it in that kind. So every entry that
// another contradicts has at least one answer and at most one for each kind, whatever the
// order of the set, and there are never more answers than five times the entries. The pair
// shows the most specific contradiction of the two ([contradiction.Compare]).
//
// It also finds which entries are superseded (SPEC 14.2).
//
// # How
//
// Comparing all pairs would take the square of the entries. Instead each claim becomes a
// record of fixed size: a keyed hash of its key, a keyed hash of its value, and its entry.
// Records are sorted outside of memory, so that the claims about one thing come together, and
// one pass over them gives the candidates. The facts of the bundles are in a second temporary
// file; the facts of each candidate are read again, and the exact rule decides. The work is n
// log n in the claims, even if all of them are about one thing.
//
// The hashes are keyed with a secret of the run, so that no one can make bundles
// whose claims collide. By chance, two keys collide with a probability of 2^-61. That
// costs time and no contradiction: the rule refuses the candidate, and the entry is
// then compared with all others. The counts can be one too low. Two values of one key
// collide with 2^-56, and then do not clash at this key.
//
// # Memory and disk
//
// In memory are a few numbers for each bundle, and buffers of fixed size. On disk are
// claims, and what [contradiction.Facts.Append] makes of facts. The files are private
// to the user, and their names are removed as soon as the system allows it. Few bundles never reach the disk. A
// file that was changed is an error, and never a wrong answer.
package index
