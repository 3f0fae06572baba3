package index

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math"

	"github.com/svc-edge/svc-verify/contradiction"
	"github.com/svc-edge/svc-verify/internal/spool"
)

// Options describes where an index works, and with how much memory.
type Options struct {
	Dir    string // for temporary files; "" for the system's directory
	Memory int    // bytes of the buffer that claims are sorted in; 0 for 8 MiB
}

const (
	usualMemory = 8 << 20
	cancelEvery = 4096 // how many records or entries pass between two looks at the context
)

// Index finds the contradictions between the bundles that are added to it. It is
// for one goroutine at a time: bundles are added, then [Index.Settle] is called
// once, then [Index.Contradictions] as often as wanted.
type Index struct {
	hash    *keyed
	mask    uint64 // the bits that count of the hash of a key: all, but for tests
	claims  *spool.Sorter
	facts   *spool.File // of the bundles, made with the first one
	dir     string
	bundles []kept
	scratch []byte
	settled bool
	err     error // after which there are no answers
	answers answers
	counts  Counts
	work    work
}

// kept is a bundle in memory.
type kept struct {
	sum      uint32 // of its facts, in the binary form
	entry    uint32 // the caller's number
	sequence uint64 // of the checkpoint
}

var (
	errOrder   = errors.New("index: entries must ascend")
	errSettled = errors.New("index: bundles are added before the index is settled, and read after")
	errClosed  = errors.New("index: it is closed")
	errChanged = fmt.Errorf("index: a temporary file: %w", spool.ErrChanged)
	errFull    = errors.New("index: more than 4,294,967,295 bundles")
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// New returns an empty index. It must be closed.
func New(o Options) *Index {
	if o.Memory <= 0 {
		o.Memory = usualMemory
	}
	x := &Index{hash: newKeyed(), mask: math.MaxUint64, dir: o.Dir}
	// In addition to its bytes, the sorter keeps the place of each record, and room to grow.
	x.claims = spool.NewSorter(o.Dir, o.Memory/2)
	return x
}

// Add adds the facts that a bundle proves. Entries are the caller's numbers for bundles, and
// must ascend; there can be gaps. After an error the index has no answers.
func (x *Index) Add(entry uint32, f *contradiction.Facts) error {
	if x.err == nil {
		x.err = x.add(entry, f)
	}
	return x.err
}

func (x *Index) add(entry uint32, f *contradiction.Facts) error {
	n := len(x.bundles)
	switch {
	case x.settled:
		return errSettled
	case n > 0 && entry <= x.bundles[n-1].entry:
		return errOrder
	case uint64(n) == math.MaxUint32:
		return errFull
	}
	if err := x.keepFacts(f); err != nil {
		return fmt.Errorf("index: %w", err)
	}
	x.bundles = append(x.bundles, kept{crc32.Checksum(x.scratch, castagnoli), entry, f.Sequence()})
	for c := range indexedClaims(f) {
		x.scratch = appendRecord(x.scratch[:0], x.record(c, uint32(n)))
		if err := x.claims.Add(x.scratch); err != nil {
			return fmt.Errorf("index: %w", err)
		}
	}
	return nil
}

// keepFacts writes facts to the file.
func (x *Index) keepFacts(f *contradiction.Facts) (err error) {
	if x.facts == nil {
		if x.facts, err = spool.New(x.dir); err != nil {
			return err
		}
	}
	x.scratch = f.Append(x.scratch[:0])
	return x.facts.Add(x.scratch)
}

// record returns the record of a claim.
func (x *Index) record(c contradiction.Claim, entry uint32) record {
	about := x.hash.sum(byte(c.Kind), c.Key) & x.mask
	r := record{key: uint64(c.Kind)<<kindShift | about>>(64-kindShift), entry: entry}
	if c.Kind == contradiction.KindStatus {
		r.value = uint64(c.Value[0])<<(valueBits-1) | binary.BigEndian.Uint64(c.Value[1:])
	} else {
		r.value = x.hash.sum(0, c.Value) >> (64 - valueBits)
	}
	return r
}

// read returns the facts of a bundle, as they were added.
func (x *Index) read(number uint32) (*contradiction.Facts, error) {
	k := x.bundles[number]
	facts, err := x.facts.At(int(number))
	if err != nil {
		return nil, fmt.Errorf("index: %w", err)
	}
	if crc32.Checksum(facts, castagnoli) != k.sum {
		return nil, errChanged
	}
	x.work.decoded++
	f, err := contradiction.Decode(facts)
	if err != nil {
		return nil, fmt.Errorf("index: entry %d: %w", k.entry, err)
	}
	return &f, nil
}

// Settle sorts the claims and finds the candidates. After an error there are no
// answers.
func (x *Index) Settle(ctx context.Context) (Counts, error) {
	if x.err == nil {
		x.err = x.settle(ctx)
	}
	return x.counts, x.err
}

func (x *Index) settle(ctx context.Context) error {
	if x.settled {
		return errSettled
	}
	x.settled = true
	x.answers.bundles = len(x.bundles)
	g := groups{answers: &x.answers, work: &x.work,
		checkpoint: func(number uint32) uint64 { return x.bundles[number].sequence }}
	n := 0
	for r, err := range x.claims.All() {
		if err != nil {
			return fmt.Errorf("index: %w", err)
		}
		if n%cancelEvery == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		n++
		g.add(readRecord(r))
	}
	g.end()
	x.counts = g.counts
	x.counts.Bundles = int64(len(x.bundles))
	x.work.disk = x.claims.Size()
	if x.facts != nil {
		x.work.disk += x.facts.Size()
	}
	err := x.claims.Close()
	x.claims = nil
	return err
}

// Close removes the content of the index, in memory and on the disk.
func (x *Index) Close() error {
	var err error
	if x.facts != nil {
		err = x.facts.Close()
	}
	if x.claims != nil {
		err = errors.Join(x.claims.Close(), err)
	}
	*x = Index{settled: true, err: errClosed}
	return err
}
