package store

import (
	"errors"
	"runtime"
	"slices"
	"sync"

	"github.com/svc-edge/svc-verify/forensics/evidence"
	"github.com/svc-edge/svc-verify/forensics/part"
	"github.com/svc-edge/svc-verify/internal/sqlite"
)

// scan finds the wanted events of a log whose bodies must be read, on all cores. It goes no
// further than it is asked to. A log that is read in several selections keeps its scan.
type scan struct {
	begun  bool
	pieces []evidence.Stretch // that are not scanned yet, each about a block
	found  []uint64           // sequences with a wanted copy, ascending
}

// needsScan reports whether bodies must be read to tell which copies are wanted, and no index helps.
func (s *selection) needsScan() bool { return s.scan != nil && (s.about == "" || !s.q.f.indexed) }

// countScanned counts the sequences of the stretch that have a wanted copy.
func (s *selection) countScanned() (n int, err error) {
	err = s.scan.divideAtBlocks(s)
	for err == nil && len(s.scan.pieces) > 0 {
		err = s.scan.scanNext(s)
		n, s.scan.found = n+len(s.scan.found), nil
	}
	return n, err
}

// eachScanned calls f with each sequence of the stretch that has a wanted copy, ascending.
func (s *selection) eachScanned(f func(uint64) error) error {
	x := s.scan
	if !x.begun {
		if err := x.divideAtBlocks(s); err != nil {
			return err
		}
	}
	done, _ := slices.BinarySearch(x.found, s.in.First)
	x.found = x.found[done:]
	for i := 0; ; i++ {
		for i == len(x.found) {
			if len(x.pieces) == 0 {
				return nil
			}
			if err := x.scanNext(s); err != nil {
				return err
			}
		}
		if err := f(x.found[i]); err != nil {
			return err
		}
	}
}

// divideAtBlocks divides the stretch of a selection where blocks begin.
func (x *scan) divideAtBlocks(s *selection) error {
	x.begun = true
	next := evidence.Stretch{First: s.in.First}
	err := s.q.f.withConn(func(c *sqlite.Conn) error {
		return c.Each("SELECT first FROM blocks WHERE log = ? ORDER BY first", []any{s.q.f.numbers[s.log]},
			func(row *sqlite.Stmt) error {
				if first := uint64(row.Int(0)); first > next.First && first <= s.in.Last {
					next.Last = first - 1
					x.pieces = append(x.pieces, next)
					next.First = first
				}
				return nil
			})
	})
	next.Last = s.in.Last
	x.pieces = append(x.pieces, next)
	return err
}

// scanNext scans the next pieces, one on each core.
func (x *scan) scanNext(s *selection) error {
	next := x.pieces[:min(len(x.pieces), runtime.GOMAXPROCS(0))]
	x.pieces = x.pieces[len(next):]
	found, errs := make([][]uint64, len(next)), make([]error, len(next))
	var scans sync.WaitGroup
	for i, in := range next {
		scans.Go(func() {
			one := s.q.selectionOf(s.ctx, s.log, s.filter)
			errs[i] = one.eachHeaderIn(in, func(c *part.Copy) error {
				found[i] = append(found[i], c.Sequence)
				return nil
			})
		})
	}
	scans.Wait()
	x.found = append(x.found, slices.Concat(found...)...)
	return errors.Join(errs...)
}
