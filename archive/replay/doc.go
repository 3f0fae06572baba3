// Package replay rehearses a change of the trust file, or of the demands beyond it, on an
// archive: which objects lose, gain or change their verdict, and by which code.
//
// Only objects that the change can touch are verified again. The checks determine which:
// checks of a bundle ask a trust file for the public key of an id in a role, the pin of a
// registry generation and the number of witnesses, and the caller's policy for the number of
// approvals. So the change can touch
//
//   - a bundle that names a key or a registry generation for which the two files
//     have different answers. A key that is not pinned is an answer too, so that this
//     includes every bundle that was rejected for a key which is pinned now;
//   - a bundle whose witnesses, or approvals, are enough for one number and not for
//     the other. A bundle with a legacy checkpoint has no witnesses: it is enough for
//     0 only;
//   - logs and cases, by any difference between the files: a walk uses them all.
//
// A bundle that cannot be read as one, or an object without evidence, has the same verdict
// under all trust files. If the policies differ in more than the number of approvals, each
// bundle is touched.
//
// With a ledger nothing else is even read. Its rows are believed if they are of the old trust
// file, the old policy and this version of the rules; the caller gives no row of a ledger that
// is not under the user's key. Objects without such a row are read and verified under the old
// file too, which shows whether they are touched.
package replay
