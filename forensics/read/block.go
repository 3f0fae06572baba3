package read

import "fmt"

// leastBlock is how often a byte is repeated at least to be a block.
const leastBlock = 256

// Block describes the longest run of one byte in a span that could not be read, "" if
// none is long. A crash or a fault of the storage leaves such blocks where records were.
func Block(b []byte) string {
	var r run
	r.add(b)
	return r.asText()
}

// run finds the longest run of one byte.
type run struct {
	octet, longest byte
	n, most        int64
}

func (r *run) add(b []byte) {
	for _, c := range b {
		if c != r.octet {
			r.octet, r.n = c, 0
		}
		if r.n++; r.n > r.most {
			r.longest, r.most = c, r.n
		}
	}
}

// nameOf names a repeated byte.
func nameOf(c byte) string {
	switch c {
	case 0:
		return "zero octets"
	case ' ':
		return "spaces"
	}
	return fmt.Sprintf("octets 0x%02x", c)
}

func (r *run) asText() string {
	if r.most < leastBlock {
		return ""
	}
	return fmt.Sprintf("a block of %d %s, as a crash or a fault of the storage leaves", r.most, nameOf(r.longest))
}
