package entry

import (
	"strconv"
	"strings"

	"github.com/cespare/xxhash/v2"
)

// names makes names unique. It keeps a hash of each, so that a million take some
// 20 MB. Two names of one hash are taken for one, which only costs the second one
// a number that it does not need.
//
// The name of a line is never kept: there can be any number of them. It is the name of its
// file or member with ":" and a number, so that it is enough to know that name.
type names struct {
	taken map[uint64]struct{}
	again map[uint64]int // the last number of a name that occurred again
}

func newNames() *names {
	return &names{taken: map[uint64]struct{}{}, again: map[uint64]int{}}
}

// unique reserves a name, or the first of name#2, name#3 and so on that is free.
func (n *names) unique(name string) string {
	key := xxhash.Sum64String(name)
	if !n.has(key, name) {
		n.taken[key] = struct{}{}
		return name
	}
	for {
		n.again[key] = max(n.again[key], 1) + 1
		other := name + "#" + strconv.Itoa(n.again[key])
		if otherKey := xxhash.Sum64String(other); !n.has(otherKey, other) {
			n.taken[otherKey] = struct{}{}
			return other
		}
	}
}

// line returns the name of a line in the content of that name.
func (n *names) line(of string, number int64) string {
	name := of + ":" + strconv.FormatInt(number, 10)
	if _, taken := n.taken[xxhash.Sum64String(name)]; taken { // a file, or a member
		return n.unique(name)
	}
	return name
}

// has reports whether a name is taken, or could be the name of a line.
func (n *names) has(key uint64, name string) bool {
	if _, taken := n.taken[key]; taken {
		return true
	}
	i := strings.LastIndexByte(name, ':')
	if i < 0 || i+1 == len(name) || strings.Trim(name[i+1:], "0123456789") != "" {
		return false
	}
	_, taken := n.taken[xxhash.Sum64String(name[:i])]
	return taken
}
