// Package messy makes collections of evidence as people hand it over.
//
// Nothing in such a collection is another event than was written, and nothing that was
// written is hidden: files are rotated and overlap, lines come again, someone searched in
// a journal and kept the answer, copied it out of a terminal, or mailed a proof. So no
// examination may blame anything for it. [Make] draws one by its seed, and [Only] makes
// one in which a single thing happened. [Alter] does to a collection what an examination
// must not let pass.
package messy
