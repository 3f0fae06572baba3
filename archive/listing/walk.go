package listing

import (
	"bytes"
	"cmp"
	"errors"
	"io/fs"
	"slices"
)

// facts is what is known of a name without opening it.
type facts struct {
	size, modified int64
	mode           fs.FileMode // its type alone, 32 bits
}

// errStop ends a walk whose caller wants no more.
var errStop = errors.New("enough")

// names are the names of one folder. Their texts are kept together, which takes
// half the memory of so many strings.
type names struct {
	texts  []byte
	all    []name
	faults []error // of those that could not be looked at
}

// name is one of them, in 32 octets.
type name struct {
	facts
	at     uint32 // of its text
	fault  int32  // the number of its fault, from 1; 0 for none
	length uint16 // of its text
}

// octets are those of a name.
func (n *names) octets(one *name) []byte { return n.texts[one.at:][:one.length] }

// sort brings the names into the order of the whole paths that begin with them: a
// folder stands where its name and a slash do.
func (n *names) sort() {
	slices.SortFunc(n.all, func(a, b name) int {
		x, y := n.octets(&a), n.octets(&b)
		common := min(len(x), len(y))
		if c := bytes.Compare(x[:common], y[:common]); c != 0 {
			return c
		}
		return cmp.Compare(after(x, common, a.mode), after(y, common, b.mode))
	})
}

// after is the octet that follows the first n of a path that begins with a name; -1
// if the path ends there.
func after(name []byte, n int, mode fs.FileMode) int {
	switch {
	case n < len(name):
		return int(name[n])
	case mode == fs.ModeDir:
		return '/'
	}
	return -1
}
