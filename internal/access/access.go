// Package access opens files, and reports who besides the owner may use one. It opens no pipe,
// device or directory in the place of a file. The permissions of group and others, and on
// Windows the access control list, show who may use a file.
package access

// Others is the access to a file that others than the service may have.
type Others int

// The access that others may have.
const (
	Nothing Others = iota // not even read it
	Read                  // read and execute it
)
