package batch

import (
	"context"
	"crypto/sha256"
	"errors"
	"iter"

	"golang.org/x/sync/semaphore"

	"github.com/svc-edge/svc-verify/batch/entry"
	"github.com/svc-edge/svc-verify/bundle"
	"github.com/svc-edge/svc-verify/contradiction"
	"github.com/svc-edge/svc-verify/contradiction/index"
	"github.com/svc-edge/svc-verify/internal/spool"
	"github.com/svc-edge/svc-verify/internal/tasks"
	"github.com/svc-edge/svc-verify/trust"
	"github.com/svc-edge/svc-verify/verify"
)

// Options configure a batch.
type Options struct {
	Root     *trust.Root
	Policy   verify.Policy
	Workers  int            // how many entries are examined at once, at least 1
	Expected Expected       // the expected entries
	TempDir  string         // for temporary files; "" is where they usually are
	Progress func(Progress) // called after each entry; may be nil

	// OwnTrust returns how often the trust file was left out of the evidence, since it lies
	// within; nil means never.
	OwnTrust func() int64
}

// Progress is how far a batch is.
type Progress struct {
	Name    string // of the entry that was done last
	Entries int64  // that are done
}

// task is one entry, with the room that it needs until it is examined.
type task struct {
	entry entry.Entry
	room  int64
}

// examined is a worker's result for an entry. Facts is nil unless the bundle is proven.
type examined struct {
	record Record
	ref    entry.Ref
	sum    [sha256.Size]byte // of the bytes that were read
	facts  *contradiction.Facts
	limits []verify.Limitation // of a proven bundle

	judged  bool                // it is a bundle, which was verified
	unknown *verify.UnknownKeys // that it names
}

// Run verifies every entry of the source. A fault of an entry is in its record; an error is of
// the run, such as a full disk. If ctx ends, the result covers the entries until then and
// records this. The caller closes the result.
func Run(ctx context.Context, set *entry.Set, o Options) (_ *Result, err error) {
	r, err := newRun(o)
	if err != nil {
		return nil, err
	}
	defer func() {
		err = errors.Join(err, r.index.Close())
		if err != nil {
			err = errors.Join(err, r.result.Close())
		}
	}()
	if err := r.examineAll(ctx, set); err != nil {
		return nil, err
	}
	if err := r.contradictions(ctx); err != nil {
		return nil, err
	}
	if err := r.supersede(ctx); err != nil {
		return nil, err
	}
	return r.result, r.result.makeSummary(ctx.Err() != nil, set.Counts(), o)
}

// run is the state of a batch in progress.
type run struct {
	o         Options
	session   *trust.Session
	trust     string // SHA-256 of the trust file
	room      *semaphore.Weighted
	index     *index.Index
	originals originals
	result    *Result
}

func newRun(o Options) (*run, error) {
	records, err := spool.New(o.TempDir)
	if err != nil {
		return nil, err
	}
	found, err := spool.New(o.TempDir)
	if err != nil {
		return nil, errors.Join(err, records.Close())
	}
	return &run{o: o, session: trust.NewSession(o.Root, trust.SessionMemory),
		trust: bundle.Hash(o.Root.SHA256()).String(), room: newRoom(),
		index: index.New(index.Options{Dir: o.TempDir}), originals: newOriginals(),
		result: &Result{records: records, found: found, named: map[uint32]uint32{}, copies: map[uint32]uint32{},
			newer: map[uint32]uint32{}, tempDir: o.TempDir}}, nil
}

// examineAll has the workers examine every entry, and collects their results in the order of
// the entries.
func (r *run) examineAll(ctx context.Context, set *entry.Set) error {
	examine := func(_ context.Context, t task) (examined, error) {
		defer r.room.Release(t.room)
		return r.examineEntry(t.entry), nil
	}
	w := tasks.Work[task, examined]{Workers: r.o.Workers, Take: r.enterResult,
		Start: func() (func(context.Context, task) (examined, error), func()) { return examine, func() {} }}
	return errors.Join(w.Run(ctx, r.tasks(ctx, set)), r.session.Err())
}

// tasks yields the entries of a set, until ctx ends.
func (r *run) tasks(ctx context.Context, set *entry.Set) iter.Seq2[task, error] {
	return func(yield func(task, error) bool) {
		err := set.Walk(ctx, func(e entry.Entry) error {
			size := roomOf(&e)
			if err := r.room.Acquire(ctx, size); err != nil {
				return err
			}
			if !yield(task{e, size}, nil) {
				return context.Canceled
			}
			return nil
		})
		if err != nil && !errors.Is(err, context.Canceled) {
			yield(task{}, err)
		}
	}
}

// examineEntry reads and verifies one entry. If the program has a fault, the entry could
// not be read.
func (r *run) examineEntry(e entry.Entry) examined {
	begun := examined{ref: e.Ref, record: Record{Schema: RecordSchema, Name: e.Name, File: e.Place.File,
		Entry: e.Place.Entry, Line: e.Place.Line, CertificateNames: []string{}, TrustSHA256: r.trust}}
	x := begun
	if err := tasks.Guard(func() error { x = r.verifyEntry(e, begun); return nil }); err != nil {
		x = begun
		x.record.unreadable(err)
	}
	return x
}

func (r *run) verifyEntry(e entry.Entry, x examined) examined {
	doc, err := e.Read()
	if err != nil {
		x.record.unreadable(err)
		return x
	}
	x.record.Size = int64(len(doc))
	in := bundle.OpenClaimed(doc)
	if x.sum = in.SHA256; in.Foreign {
		x.record.foreign(in)
		return x
	}
	report := verify.Verify(in, r.session.Root(), r.o.Policy)
	x.record.setVerdict(in, report)
	x.judged, x.unknown = true, report.UnknownKeys
	if facts, ok := contradiction.Of(in, report); ok {
		x.facts, x.limits = &facts, report.Limitations
	}
	return x
}

// enterResult enters the result on the next entry.
func (r *run) enterResult(x examined) error {
	i := uint32(r.result.records.Len()) // #nosec G115 -- a record takes more than a byte on disk
	if x.sum == r.o.Root.SHA256() {
		r.result.Summary.TrustWithin = true // a copy of it
	}
	if x.record.SHA256 != "" {
		x.record.Unexpected = !r.o.Expected.takes(&x.record, x.sum)
		if err := r.markDouble(i, &x.record, x.sum); err != nil {
			return err
		}
	}
	if x.facts != nil && x.record.SameAs == "" { // a copy adds nothing
		if err := r.index.Add(i, x.facts); err != nil {
			return err
		}
	}
	r.result.limit(x.limits)
	if x.judged {
		r.result.keys.Proof(x.unknown.Names(), x.unknown != nil && x.unknown.MayBeGood)
	}
	r.result.Summary.Entries.countRecord(&x.record)
	packed, err := packRecord(kept{x.record, x.ref}, x.sum)
	if err != nil {
		return err
	}
	if err := r.result.records.Add(packed); err != nil {
		return err
	}
	if r.o.Progress != nil {
		r.o.Progress(Progress{x.record.Name, int64(i) + 1})
	}
	return nil
}
