package block

import "encoding/binary"

// leastRun is how many equal numbers in a row are written as a run.
const leastRun = 4

// appendColumn appends a column of numbers (SPEC 19.3): groups of a header and its numbers. An
// odd header begins a run of header/2 times the number that follows, an even one header/2
// numbers that are no run.
func appendColumn(b []byte, column []uint64) []byte {
	plain := 0 // where numbers begin that are not written
	for i := 0; i < len(column); {
		end := i + 1
		for end < len(column) && column[end] == column[i] {
			end++
		}
		if end-i >= leastRun {
			b = appendPlain(b, column[plain:i])
			b = binary.AppendUvarint(b, uint64(end-i)<<1|1)
			b = binary.AppendUvarint(b, column[i])
			plain = end
		}
		i = end
	}
	return appendPlain(b, column[plain:])
}

func appendPlain(b []byte, column []uint64) []byte {
	if len(column) == 0 {
		return b
	}
	b = binary.AppendUvarint(b, uint64(len(column))<<1)
	for _, v := range column {
		if v < 0x80 {
			b = append(b, byte(v))
		} else {
			b = binary.AppendUvarint(b, v)
		}
	}
	return b
}

// column reads a column. It notices what [appendColumn] does not write; numbers are 0
// from there on.
type column struct {
	b     []byte
	left  uint64 // in the group
	last  uint64 // the number before
	equal int    // how many equal numbers came in a row, outside of a run; 0 at the beginning
	run   bool   // the group is a run
	bad   bool
}

func (c *column) next() uint64 {
	if c.left > 0 && c.run {
		c.left--
		return c.last
	}
	return c.read()
}

// repeats reports whether the next numbers are so many times the same one.
func (c *column) repeats(n int, v uint64) bool {
	for n > 0 {
		if c.next() != v || c.bad {
			return false
		}
		if n--; c.run {
			skip := min(c.left, uint64(n))
			c.left, n = c.left-skip, n-int(skip)
		}
	}
	return true
}

// appendAll appends the next numbers, so many.
func (c *column) appendAll(to []uint64, n int) []uint64 {
	for n > 0 {
		v := c.next()
		to = append(to, v)
		if n--; c.run {
			skip := min(c.left, uint64(n))
			c.left, n = c.left-skip, n-int(skip)
			for range skip {
				to = append(to, v)
			}
		}
	}
	return to
}

func (c *column) read() uint64 {
	if c.left == 0 && !c.group() {
		return 0
	}
	c.left--
	if c.run {
		return c.last
	}
	v := uint64(0)
	if len(c.b) > 0 && c.b[0] < 0x80 {
		v, c.b = uint64(c.b[0]), c.b[1:]
	} else {
		v = c.uvarint()
	}
	if v != c.last || c.equal == 0 {
		c.last, c.equal = v, 1
	} else if c.equal++; c.equal >= leastRun {
		return c.fail()
	}
	return v
}

// group begins a group.
func (c *column) group() bool {
	h := c.uvarint()
	before, began := c.run, c.equal > 0
	c.left, c.run = h>>1, h&1 == 1
	if c.bad || c.left == 0 || !c.run && began && !before {
		c.fail()
		return false
	}
	if !c.run {
		if before {
			c.equal = leastRun - 1 // the number of the run may not follow on it
		}
		return true
	}
	v := c.uvarint()
	if c.bad || c.left < leastRun || began && v == c.last {
		c.fail()
		return false
	}
	c.last, c.equal = v, leastRun
	return true
}

func (c *column) uvarint() uint64 {
	v, n := binary.Uvarint(c.b)
	if n <= 0 || n > 1 && c.b[n-1] == 0 {
		return c.fail()
	}
	c.b = c.b[n:]
	return v
}

// fail has the column yield 0 from now on.
func (c *column) fail() uint64 {
	c.b, c.left, c.run, c.last, c.equal, c.bad = nil, 0, false, 0, 0, true
	return 0
}

// done reports whether the column was as it is written, and ends here.
func (c *column) done() bool { return !c.bad && len(c.b) == 0 && c.left == 0 }

// zigzag turns small numbers of either sign into small numbers.
func zigzag(v int64) uint64 { return uint64(v)<<1 ^ uint64(v>>63) }

func unzigzag(u uint64) int64 { return int64(u>>1) ^ -int64(u&1) }
