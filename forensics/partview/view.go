package partview

import (
	"context"
	"io"
	"slices"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/chain/event"
	"github.com/svc-edge/svc-verify/forensics/evidence"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/part"
	"github.com/svc-edge/svc-verify/forensics/read"
	"github.com/svc-edge/svc-verify/forensics/walk"
)

// Options define how a view reads lines that the parts do not hold.
type Options struct {
	Read read.Options // as the sources were read for the parts

	// Again reads a source once more: [ingest.Again]. It may be nil if the content has all
	// bodies.
	Again func(context.Context, io.Reader, read.Options, func(read.Place, *event.Line) error) error

	// Source opens a source that has no file of its own, and returns a function that closes
	// it. It returns nil for others. A nil function has none.
	Source func(sha256 chain.Hash) (octets io.ReaderAt, end func())

	// Judge judges the series of a content that no one judged, so many at once. Nil is for
	// one that was judged.
	Judge   *walk.Judge
	Workers int

	// Line returns the canonical line of a copy whose body the content has. A nil function
	// is for a content without bodies.
	Line func(ctx context.Context, log facts.Log, c *part.Copy) ([]byte, error)
}

// View is the records of parts as evidence. The caller closes it.
type View struct {
	content part.Content
	options Options
	logs    []facts.Log // by number, from 1
	numbers map[facts.Log]int32
	*sources

	hidden hidden
	chosen chosen
	again  again

	nearby  nearby
	windows windows
	runs    runs
	judged  judgedSeries

	// Bounds, which tests change.
	mostSubjects int
	sortRoom     int
	leastRun     uint64
}

var _ evidence.Reader = (*View)(nil)

// New returns a view of a content, which must stay open for as long as the view is
// used.
func New(ctx context.Context, content part.Content, options Options) (*View, error) {
	v := &View{content: content, options: options, logs: slices.Clone(content.Logs()), numbers: map[facts.Log]int32{},
		sources: sourcesOf(content.Shares()), mostSubjects: mostSubjects, sortRoom: sortRoom, leastRun: leastRun,
		nearby: nearby{most: mostNear}}
	slices.SortFunc(v.logs, facts.Log.Compare)
	for i, log := range v.logs {
		v.numbers[log] = int32(i) + 1
	}
	v.runs = runs{of: map[facts.Log][]run{}, left: mostRuns}
	return v, ctx.Err()
}

// Logs returns all logs that have events, ascending by tenant and log id.
func (v *View) Logs(ctx context.Context) ([]facts.Log, error) {
	return slices.Clone(v.logs), ctx.Err()
}

// Sources returns the sources by their digests.
func (v *View) Sources(ctx context.Context) ([]facts.Source, error) {
	return slices.Clone(v.all), ctx.Err()
}

// Containers returns all containers, by number.
func (v *View) Containers(ctx context.Context) ([]evidence.SourceContainer, error) {
	all := make([]evidence.SourceContainer, len(v.containers))
	for i, c := range v.containers {
		all[i] = evidence.SourceContainer{Container: int64(i) + 1, Source: c.source, Path: c.Path, Format: c.Format}
	}
	return all, ctx.Err()
}

// Paths returns where the sources were given, ascending by place and source.
func (v *View) Paths(ctx context.Context) ([]evidence.GivenPath, error) {
	return slices.Clone(v.paths), ctx.Err()
}

// Unread returns the paths that could not be read, ascending.
func (v *View) Unread(ctx context.Context) ([]facts.Unread, error) {
	return slices.Clone(v.content.Unread()), ctx.Err()
}

// maxSequence is the highest sequence of a log that [View.Last] knows.
const maxSequence = 1<<40 - 1

// Last returns the highest sequence of a log below 2^40, 0 if there is none.
func (v *View) Last(ctx context.Context, log facts.Log) (uint64, error) {
	low, high := uint64(0), uint64(maxSequence) // the answer is between the two
	for low < high {
		middle := low + (high-low+1)/2
		next, err := v.nextSequence(ctx, log, middle)
		switch {
		case err != nil:
			return 0, err
		case next < middle || next > high: // there is none
			high = middle - 1
		default:
			low = next
		}
	}
	return low, nil
}

// nextSequence returns the lowest sequence of a log from one on; 0 if there is none.
func (v *View) nextSequence(ctx context.Context, log facts.Log, from uint64) (uint64, error) {
	for c, err := range v.content.Copies(ctx, log, from) {
		if err != nil {
			return 0, err
		}
		return c.Sequence, nil
	}
	return 0, nil
}

// setEvent sets out to a copy, without its transaction id and its number of deliveries.
func (v *View) setEvent(out *facts.Event, log int32, c *part.Copy, at which) {
	*out = facts.Event{Header: c.Header, Ref: refOf(log, c.Sequence, at.variant), Fidelity: bestFidelity(c),
		Variant: at.variant, Copies: at.copies}
}

// refOf returns the reference of a copy.
func refOf(log int32, sequence uint64, variant int) facts.Ref {
	return facts.Ref{Log: log, Variant: int32(variant), Sequence: sequence} // #nosec G115 -- fewer fit on a disk
}
