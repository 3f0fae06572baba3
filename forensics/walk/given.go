package walk

import (
	"context"
	"iter"

	"github.com/svc-edge/svc-verify/chain"
)

// Stretch is what comes next in a log: a series, or one copy of an event. Event is nil
// for a series.
type Stretch struct {
	*Event
	Series *Series
}

// Series is neighbouring events of a log, one copy of each. The hash of each is that of
// its content, over which its signature holds, all under one key id. Each names the one
// before it, and skip links that name one of them name its hash.
type Series struct {
	First, Last Event
	Back        int64 // how far a time is before the one ahead of it at most, in milliseconds
	Links       chain.Series

	At    func(sequence uint64) (Event, error)
	Typed func(eventType string) []uint64 // the sequences of the events of a type, ascending
}

// Stretched is a [Reader] that knows which events are a series.
type Stretched interface {
	Reader

	// Stretches yields what Events does, with as many events in series as it can. A
	// stretch is valid until the next one. The first series may begin below the events.
	Stretches(ctx context.Context, log Log, after uint64) iter.Seq2[Stretch, error]
}
