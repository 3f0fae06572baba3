package partview

import "sync"

// mostAgain bounds the octets of lines that are kept, as they may be needed next.
const mostAgain = 16 << 20

// again reads lines from their sources. One goroutine uses it at a time.
type again struct {
	mu     sync.Mutex
	paths  map[int64]string // of the sources that are what they were; "" for others
	source int64            // that lines are of
	lines  map[lineName][]byte
	kept   int
}

// lineName is where a line is in its source.
type lineName struct {
	container              string
	record, offset, length int64
}
