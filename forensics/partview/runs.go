package partview

import (
	"sync"

	"github.com/svc-edge/svc-verify/forensics/casefile"
)

const (
	leastRun     = 64      // sequences of a run that is worth while
	mostRuns     = 1 << 17 // that are remembered, some 400 octets each
	mostInARow   = 4       // arrivals of an event in a run
	wholeLogFrom = 1       // a pass over a whole log begins here at most
)

// run is events of a log that arrived as [evidence.Arrivals] says, and the arrivals of
// the first one and of the last one.
type run struct {
	first, last uint64
	begin, end  []casefile.Arrived
}

// runs are those of the logs that were passed over once: the next pass skips them.
type runs struct {
	mu   sync.Mutex
	of   map[int64][]run // by number of the log
	left int             // how many may still be remembered
}
