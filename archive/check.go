package archive

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"time"

	"github.com/svc-edge/svc-verify/archive/ledger"
	"github.com/svc-edge/svc-verify/archive/object"
	"github.com/svc-edge/svc-verify/archive/run"
	"github.com/svc-edge/svc-verify/internal/listing"
	"github.com/svc-edge/svc-verify/internal/safetext"
	"github.com/svc-edge/svc-verify/internal/spool"
	"github.com/svc-edge/svc-verify/outcome"
)

// How often results are committed to the ledger: a kill loses no more.
const (
	batchRows = 1000
	batchTime = time.Second
)

// check is a check in progress.
type check struct {
	o       *Options
	ledger  *ledger.Writer
	writes  bool  // the run is recorded
	number  int64 // of the run
	plan    *plan
	gone    *departed
	result  *Result
	pending int           // rows since the last commit
	at      time.Duration // when the object was begun that is being settled, since the run was
	since   time.Duration // the same at the last commit
	settled []bool        // objects that were read, or whose bytes a new path has
	done    int64
}

// Check checks an archive. A fault of an object is in the result; an error is of the run, such
// as a full disk. If ctx ends, the result covers the objects until then and records this. The
// caller closes the result.
//
// The folder may be absent if the ledger has objects: it is then gone.
func Check(ctx context.Context, l *ledger.Writer, o Options) (_ *Result, err error) {
	began := time.Now()
	if o.Elapsed == nil {
		o.Elapsed = func() time.Duration { return time.Since(began) }
	}
	records, err := spool.New(o.TempDir)
	if err != nil {
		return nil, err
	}
	c := &check{o: &o, ledger: l, result: newResult(l, &o, records)}
	defer func() {
		if err != nil {
			err = errors.Join(err, c.result.Close())
		}
	}()
	err = c.run(ctx)
	var altered *ledger.AlteredError
	if errors.As(err, &altered) {
		c.result.edited(altered)
		err = nil
	}
	if err != nil {
		return nil, err
	}
	return c.result, c.result.conclude()
}

func (c *check) run(ctx context.Context) (err error) {
	if goOn, err := c.result.believe(ctx, c.ledger, c.o); err != nil || !goOn {
		return err
	}
	c.writes = c.ledger.Standing() == ledger.Own
	if err := c.choosePatterns(); err != nil {
		return err
	}
	root, err := listing.Open(c.o.Dir)
	switch {
	case errors.Is(err, fs.ErrNotExist) && c.ledger.Len() > 0:
		c.result.nothingLeft(c.ledger.Len())
		return nil
	case err != nil:
		return fmt.Errorf("opening %s: %w", safetext.Quote(c.o.Dir), err)
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	if c.plan, err = newPlan(*c.o, c.ledger.Next(), root.All(ctx), c.rows(ctx)); err != nil {
		return c.stopped(ctx, err)
	}
	defer func() { err = errors.Join(err, c.plan.close()) }()
	c.result.Ignored, c.result.kept = c.plan.ignored, c.plan.kept
	c.gone, err = c.plan.departed(c.row)
	if err != nil {
		return err
	}
	if gone, err := c.plan.isGone(ctx, root, c.gone); err != nil || gone {
		if gone {
			c.result.nothingLeft(int64(c.plan.gone))
		}
		return c.stopped(ctx, err)
	}
	return c.examine(ctx, root)
}

// stopped turns an error into the end of a run, if it is the error of ctx.
func (c *check) stopped(ctx context.Context, err error) error {
	if err != nil && ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		c.result.state.Stopped = true
		return nil
	}
	return err
}

// rows yields the rows of the ledger that count. Another user's rows count only if they are
// the expected ones.
func (c *check) rows(ctx context.Context) iter.Seq2[*ledger.Object, error] {
	if c.ledger.Standing() != ledger.Own && !c.result.expected {
		return func(func(*ledger.Object, error) bool) {}
	}
	return c.ledger.Objects(ctx)
}

// examine reads the objects, and then settles the unread ones.
func (c *check) examine(ctx context.Context, root *listing.Root) error {
	if c.writes {
		if err := c.ledger.Begin(c.o.At.UnixMilli()); err != nil {
			return err
		}
		c.number = c.ledger.Next()
	}
	c.plan.order(c.o, c.result)
	c.settled = make([]bool, c.plan.items.Len())
	w := &workers{o: c.o, root: root, plan: c.plan, reuse: c.ledger.Standing() == ledger.Own}
	taken, err := w.run(ctx, c.take, c.commit)
	if err != nil {
		return err
	}
	c.result.state.Stopped = ctx.Err() != nil
	if err := c.rest(); err != nil {
		return err
	}
	c.result.whole = taken == c.plan.readable && c.result.Counts.Classes[Unreadable] == 0
	return c.record(context.WithoutCancel(ctx))
}

// rest settles the unread objects: each was not reached, could not be read, or is not there.
func (c *check) rest() error {
	index := uint32(0)
	for b, err := range c.plan.items.All() {
		var it item
		if err == nil {
			err = it.parse(b)
		}
		if err == nil && !c.settled[index] {
			err = c.settleUnread(index, &it)
		}
		if err != nil {
			return err
		}
		index++
	}
	return nil
}

// take settles an object that was examined.
func (c *check) take(x *examined) error {
	c.at, c.settled[x.index] = x.at, true
	if err := c.settleRead(x); err != nil {
		return err
	}
	c.done++
	if c.o.Progress != nil {
		c.o.Progress(Progress{object.PathText(x.item.path), c.done, int64(len(c.plan.queue))})
	}
	return nil
}

// begin makes room for so many rows, which are then committed together. Now and then it
// commits the earlier rows first.
func (c *check) begin(rows int) error {
	if c.pending+rows > batchRows || c.at-c.since >= batchTime {
		if err := c.commit(); err != nil {
			return err
		}
	}
	c.pending += rows
	return nil
}

// commit commits the pending rows.
func (c *check) commit() error {
	if c.pending == 0 {
		return nil
	}
	c.pending, c.since = 0, c.at
	return c.ledger.Commit()
}

// record ends the run with its record.
func (c *check) record(ctx context.Context) error {
	r := c.result
	if !c.writes {
		return nil
	}
	context := c.o.Judge.Context()
	var ignored *run.Ignored
	if len(r.Ignored.Patterns) > 0 {
		ignored = &r.Ignored
	}
	done, err := c.ledger.AppendRun(ctx, run.Record{
		Began: c.o.At.UnixMilli(), Ended: c.now(c.o.Elapsed()), Tool: c.o.Tool, ToolSHA256: c.o.ToolSHA256,
		Trust: context.Trust, Policy: c.o.Judge.Policy(), Rules: context.Rules,
		Seed: c.o.Seed, Sample: c.o.Sample, Whole: r.whole, Continued: r.interrupted != 0,
		Adopted: r.adopted, Exit: r.Counts.Verdict(r.state).Exit(), Counts: r.Counts.named(),
		Ignored: ignored,
	})
	if err == nil {
		r.Run = runOf(&done)
	}
	return err
}

// now is the time after the run has gone on for a while, in milliseconds since 1970.
func (c *check) now(since time.Duration) int64 {
	if c.o.Fixed {
		since = 0
	}
	return c.o.At.Add(since).UnixMilli()
}

// keeps reports whether the result keeps the record of an object.
func (c *check) keeps(b *became) bool { return c.o.Records || b.worthTelling() }

// worthTelling reports whether an object is to be listed: it is not as it should be.
func (b *became) worthTelling() bool {
	usual := b.class == Intact || b.class == Unread || b.class == Added
	return !usual || b.verdict == outcome.Rejected || b.verdict == outcome.Inconclusive
}

// tell keeps the record of an object, if the result keeps it.
func (c *check) tell(index uint32, b *became, record func() *Record) error {
	if !c.keeps(b) {
		return nil
	}
	r := record()
	line, err := safetext.Marshal(r)
	if err == nil {
		err = c.result.keep(index, rankOf(r), b.worthTelling(), line)
	}
	return err
}
