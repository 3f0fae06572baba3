// Package change reports the differences between two trust files: keys, nodes, quorum and
// registries, and their meaning for those who could together forge a proof.
//
// [Between] compares two files and returns a [Difference]. [Touched] is the part
// of it on which the verdict about one piece of evidence can depend.
package change
