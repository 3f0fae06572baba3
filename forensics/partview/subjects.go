package partview

import (
	"sync"

	"github.com/svc-edge/svc-verify/forensics/casefile"
	"github.com/svc-edge/svc-verify/forensics/part"
)

// mostSubjects bounds the statements that are held by their transactions at once. If
// there are more, those of the lowest transactions are held, and the statements are
// read once more for the next ones.
const mostSubjects = 1 << 18

// subjects are statements of a log by their transactions, for the lowest of those from
// one on.
type subjects struct {
	from, end string              // end, and all above it, have no room; "" if there is room for all
	sequences map[string][]uint64 // ascending; with the mark of each in the lowest bit
	held      int
	most      int
}

// choosing selects statements of types, and gives them a mark of 0 or 1.
type choosing struct {
	types []string
	by    func(*part.Statement) (mark uint64, ok bool)
}

// chosen is the statements that [View.Chosen] was asked for last.
type chosen struct {
	mu    sync.Mutex
	log   casefile.Log
	types []string
	*subjects
}
