package facts

import "github.com/svc-edge/svc-verify/chain"

// Stretch is the next piece of a log: a series, or one copy of an event. Event is nil for a
// series. Containers are the containers of the copy, ascending without repeats, if they were
// requested.
type Stretch struct {
	*Event
	Containers []int64
	Series     *Series
}

// Series is neighbouring events of a log, one copy of each, that differ in nothing that has to
// be examined one by one. The hash of each matches its content, its signature holds for that
// content, and all are under one key id. Each names the one before it, and skip links that
// name one of them name its hash. They are in the same containers. It is valid until the next
// stretch.
type Series struct {
	First, Last Event
	Containers  []int64 // ascending
	Back        int64   // how far a time is before the one ahead of it at most, in milliseconds
	Links       chain.Series

	At    func(sequence uint64) Event
	Typed func(eventType string) []uint64 // the sequences of the events of a type, ascending
}
