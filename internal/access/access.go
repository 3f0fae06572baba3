// Package access opens files, and says who besides the owner may use one. It opens no
// pipe, device or directory in the place of a file. Who may use a file is told from the
// permissions of group and others, and on Windows from the access control list.
package access

// Others is what others than the service may do with a file.
type Others int

// What others may do.
const (
	Nothing Others = iota // not even read it
	Read                  // read and execute it
)
