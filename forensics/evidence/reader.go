package evidence

import (
	"context"
	"iter"

	"github.com/svc-edge/svc-verify/forensics/facts"
)

// Reader reads evidence. Its methods may be called by several goroutines at once. An
// error means that the evidence could not be read; faults in it are no errors. When the
// context is done, the last error of an iterator is the context's.
//
// Numbers of logs, sources and containers, and refs, mean something to one Reader only. A ref
// is never 0. Package partview documents the rest, at its methods of the same names.
type Reader interface {
	Logs(context.Context) ([]facts.Log, error)
	Last(context.Context, facts.Log) (uint64, error)

	Sources(context.Context) ([]facts.Source, error)
	Containers(context.Context) ([]SourceContainer, error)
	Paths(context.Context) ([]GivenPath, error)
	Unread(context.Context) ([]facts.Unread, error)
	Skips(context.Context) iter.Seq2[facts.Skip, error]
	HiddenBetween(ctx context.Context, source, before, after int64) iter.Seq2[facts.Skip, error]
	Documents(context.Context) iter.Seq2[facts.Document, error]

	// Events yields the copies of the events of a log, by sequence and digest. An event is
	// valid until the next one, has neither transaction id nor deliveries, and is nil with an
	// error.
	Events(ctx context.Context, log facts.Log, from, to uint64) iter.Seq2[*facts.Event, error]

	Placed(ctx context.Context, log facts.Log, from, to uint64) iter.Seq2[facts.Stretch, error]

	// Stretches yields the same as Placed from a sequence on, with as many events in series as
	// it can. The first series may begin below the sequence.
	Stretches(ctx context.Context, log facts.Log, from uint64) iter.Seq2[facts.Stretch, error]

	// Copy returns one copy, as Events yields it.
	Copy(context.Context, facts.Ref) (facts.Event, error)

	// Chosen yields the copies of events of a log that match a choice, in the order of
	// Events, each with its transaction id. The pointer is valid until the next one; the
	// value may be kept. The types are among [StatementTypes] of the log.
	Chosen(context.Context, facts.Log, Choice) iter.Seq2[*Typed, error]

	// Said calls f with the data of each event, as a [Said]. The types of the events close
	// their data, and their owners signed them. The calls come in any order; the argument of f
	// is valid during the call.
	Said(ctx context.Context, log facts.Log, events []Typed, f func(i int, s *Said) error) error

	// Explains reports whether the losses of a transport explain every difference between a
	// genuine copy and another one (see package loss). An [UnreachableError] means that the
	// bytes of one are not in the evidence and could not be read again.
	Explains(ctx context.Context, genuine, copied facts.Ref) (bool, error)

	Repeated(ctx context.Context, log facts.Log, eventType string) iter.Seq2[string, error]
	Late(ctx context.Context, log facts.Log, lastType string, types []string) iter.Seq2[string, error]

	Arrivals(context.Context, facts.Log) iter.Seq2[[]Arrived, error] // of each sequence together

	// ArrivalRuns yields the same as Arrivals, with as many sequences in runs as it can.
	ArrivalRuns(context.Context, facts.Log) iter.Seq2[Arrivals, error]

	Deliveries(context.Context, facts.Ref) ([]facts.Delivery, error)
	Batches(context.Context) iter.Seq2[facts.Batch, error]
	Unbatched(ctx context.Context, journal string) (int64, error)
}
