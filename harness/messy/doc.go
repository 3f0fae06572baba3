// Package messy makes collections of evidence as people hand it over.
//
// Nothing in such a collection is another event than was written, and nothing that was written
// is hidden: files are rotated and overlap, lines come again, someone searched in a journal
// and kept the answer, copied it out of a terminal, or mailed a proof; each file was copied at
// a time of its own, and the trust file is an old one. So no examination may blame anything
// for it. [Source.Make] draws one by its seed, and [Source.Only] makes one in which a single
// thing happened. [Source.Altered] makes a change to one that an examination must not let
// pass: [Alterations] lists the changes, and the answer to each.
package messy
