package partview

import "errors"

// errStop ends an iteration whose caller needs no more.
var errStop = errors.New("enough")

// contextEvery is how many copies are read between two looks at the context.
const contextEvery = 1024

// mostTogether bounds the copies of one sequence that are held until it is known how
// many there are. Those of a larger crowd are counted first.
const mostTogether = 64
