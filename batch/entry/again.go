package entry

import "errors"

// cursor is a walk through one file that waits for the next entry that is wanted,
// so that a file is gone through once if they are wanted in its order.
type cursor struct {
	path string
	at   int64 // of the next entry
	next func() (Entry, error, bool)
	end  func()
}

func (c *cursor) stop() {
	if c.end != nil {
		c.end()
	}
	*c = cursor{}
}

// errGone says that a file no longer has what it had.
var errGone = errors.New("it is no longer there")
