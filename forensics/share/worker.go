package share

import (
	"context"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/forensics/casefile"
	"github.com/svc-edge/svc-verify/forensics/ingest"
	"github.com/svc-edge/svc-verify/forensics/part"
	"github.com/svc-edge/svc-verify/forensics/plan"
	"github.com/svc-edge/svc-verify/internal/spool"
	"github.com/svc-edge/svc-verify/trust"
)

// worker takes what an ingest reads.
type worker struct {
	options Options
	root    *trust.Root
	header  part.Header
	sources []*source // by number, from 1
	known   map[chain.Hash]int64
	sizes   map[int64]bool
	unread  map[part.Unread]bool
	judges  *judges
	run     *run      // in memory
	runs    []*onDisk // before it
	skips   *skips
	streams []*spool.Temporary // what came on the standard input
	ctx     context.Context
	planned *plan.Piece // that is read; nil without a plan
}

// source is a source as far as it was read.
type source struct {
	casefile.Progress
	planned    *plan.Piece      // that it is; nil without a plan
	stream     *spool.Temporary // its octets; nil if they are in files
	volumes    []string         // its files, if it has no path of its own
	whole      bool             // it was read to its end
	forgotten  bool             // nothing was read of it
	records    int64            // numbers up to that of the last skip: what is said of a source leaves numbers out
	paths      []part.Path
	containers []part.Container
	numbers    map[string]uint32 // of the containers; nil once the source was read
}

func newWorker(ctx context.Context, root *trust.Root, o Options) *worker {
	if o.Memory <= 0 {
		o.Memory = usualMemory
	}
	w := &worker{ctx: ctx, options: o, root: root, known: map[chain.Hash]int64{}, sizes: map[int64]bool{}, unread: map[part.Unread]bool{},
		judges: newJudges(root, o.Workers)}
	w.header = part.Header{Rules: Rules, Read: ingest.How(o.Read), TrustSHA256: chain.Hash(root.SHA256()), Plan: o.plan}
	w.run, w.skips = newRun(w.judges), newSkips(o.Dir)
	return w
}
