// Package change tells what differs between two trust files: keys, nodes, quorum
// and registries, and what that means for those who could together forge a proof.
//
// [Between] compares two files and returns a [Difference]. [Touched] is the part
// of it on which the verdict about one piece of evidence can depend.
package change
