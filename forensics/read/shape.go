package read

// shape follows the brackets and quotes of a JSON value through its bytes, in
// pieces of any size, to find where it ends.
type shape struct {
	depth           int
	begun           bool
	quoted, escaped bool
}

type scanState int

const (
	scanMore   scanState = iota // the value continues
	scanDone                    // it ended
	scanBroken                  // it is none: it does not begin as one, or a line ends within a string
)

// scanPiece reads the next piece, and returns how much of it belongs to the value.
func (p *shape) scanPiece(b []byte) (int, scanState) {
	for i, c := range b {
		step := p.scanPlain
		if p.quoted {
			step = p.scanString
		}
		if state := step(c); state != scanMore {
			return i + 1, state
		}
	}
	return len(b), scanMore
}

// scanString reads a byte within a string.
func (p *shape) scanString(c byte) scanState {
	switch {
	case p.escaped:
		p.escaped = false
	case c == '\\':
		p.escaped = true
	case c == '"':
		if p.quoted = false; p.depth == 0 {
			return scanDone
		}
	case c == '\n':
		return scanBroken
	}
	return scanMore
}

// scanPlain reads a byte that is not within a string.
func (p *shape) scanPlain(c byte) scanState {
	switch c {
	case '"':
		p.quoted, p.begun = true, true
	case '{', '[':
		p.depth++
		p.begun = true
	case '}', ']':
		if p.depth--; p.depth == 0 {
			return scanDone
		}
	}
	if !p.begun || p.depth < 0 {
		return scanBroken
	}
	return scanMore
}
