// Package contradiction reports whether two proven bundles contradict each other (SPEC 14).
//
// A bundle that verifies commits to more than its own transaction: each link on its way proves
// the hash of an event. [Of] records all of this as [Facts]. [Compare] is the rule: it returns
// the most specific contradiction of two bundles, if there is one.
//
// [Facts.Claims] breaks facts into single claims, so that an index over many
// bundles finds the pairs that are worth comparing. [Facts.Append] and [Decode]
// are the form in which such an index keeps them.
//
// [Marshal] writes a contradiction as one file that holds both bundles, and
// [Verify] judges such a file. It believes nothing in it: both bundles are
// verified, and then the rule must give the code that the file names.
//
// Everything here is a pure function of its arguments. That no contradiction is
// found proves little: two histories show only at sequences that both ways share.
package contradiction
