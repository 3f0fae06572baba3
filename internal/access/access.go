// Package access checks who besides its owner may use a file. It goes by the
// permissions of group and others, and on Windows by the access control list.
package access

// Others is what others than the service may do with a file.
type Others int

// What others may do.
const (
	Nothing Others = iota // not even read it
	Read                  // read and execute it
)
