package archive

import (
	"context"
	"encoding/json"
	"time"

	"github.com/svc-edge/svc-verify/archive/ledger"
	"github.com/svc-edge/svc-verify/archive/run"
	"github.com/svc-edge/svc-verify/outcome"
)

// How often what was read is committed to the ledger: a kill costs no more.
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
	moved   map[uint32]bool
	done    int64
}

// begin makes room for so many rows, which are then committed together, and commits
// what was written before now and then.
func (c *check) begin(rows int) error {
	if c.pending+rows > batchRows || c.at-c.since >= batchTime {
		if err := c.commit(); err != nil {
			return err
		}
	}
	c.pending += rows
	return nil
}

// commit commits what was written.
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
	done, err := c.ledger.AppendRun(ctx, run.Record{
		Began: c.o.At.UnixMilli(), Ended: c.now(c.o.Elapsed()), Tool: c.o.Tool, ToolSHA256: c.o.ToolSHA256,
		Trust: context.Trust, Policy: c.o.Judge.Policy(), Rules: context.Rules,
		Seed: c.o.Seed, Sample: c.o.Sample, Whole: r.whole, Continued: r.interrupted != 0,
		Adopted: r.adopted, Exit: Exit(r.Counts.Verdict(r.state)), Counts: r.Counts.named(),
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

// worthTelling reports whether an object is worth telling by itself: it is not as it
// should be.
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
	line, err := json.Marshal(r)
	if err == nil {
		err = c.result.keep(index, rankOf(r), b.worthTelling(), line)
	}
	return err
}
