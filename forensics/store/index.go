package store

import (
	"cmp"
	"slices"

	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/part"
	"github.com/svc-edge/svc-verify/internal/sqlite"
)

// index describes which rows each run has.
type index struct {
	keeps bool                 // bodies and signatures, which a store that judges does not keep
	logs  map[int64]facts.Log  // by number
	runs  map[int64]*runIndex  // by number
	of    map[int64][]runRange // by the number of the log, in the order of the runs
}

// runIndex is the rows of a run.
type runIndex struct {
	frames map[int64][]part.RowFrame // by the number of the log; 0 is of no log
	octets int                       // of its blocks
}

// runRange is the sequences that a run has copies of.
type runRange struct {
	run         int64
	first, last uint64
}

// blockRow and statementRow are a row of blocks, or of statements, as the row of a frame.
func blockRow(n int64) int64     { return n << 1 }
func statementRow(n int64) int64 { return n<<1 | 1 }

func newIndex() *index {
	return &index{keeps: true, logs: map[int64]facts.Log{}, runs: map[int64]*runIndex{}, of: map[int64][]runRange{}}
}

// addFrame adds a frame of a run. Frames of one run and log come together, in their order.
func (x *index) addFrame(run, log int64, f part.RowFrame) {
	r := x.runs[run]
	if r == nil {
		r = &runIndex{frames: map[int64][]part.RowFrame{}}
		x.runs[run] = r
	}
	r.frames[log] = append(r.frames[log], f)
	r.octets += f.Size
	if f.Kind != part.Copies {
		return
	}
	if of := x.of[log]; len(of) > 0 && of[len(of)-1].run == run {
		of[len(of)-1].last = f.Last
	} else {
		x.of[log] = append(of, runRange{run, f.First, f.Last})
	}
}

// removeRun removes a run.
func (x *index) removeRun(run int64) {
	for log := range x.runs[run].frames {
		x.of[log] = slices.DeleteFunc(x.of[log], func(r runRange) bool { return r.run == run })
	}
	delete(x.runs, run)
}

// readIndex reads which rows there are.
func readIndex(c *sqlite.Conn) (*index, error) {
	x := newIndex()
	err := c.Each("SELECT log, tenant_id, log_id FROM logs", nil, func(s *sqlite.Stmt) error {
		if s.Int(0) < 1 {
			return alteredError("a log has the number %d", s.Int(0))
		}
		x.logs[s.Int(0)] = facts.Log{TenantID: s.Text(1), LogID: s.Text(2)}
		return nil
	})
	if err != nil {
		return nil, err
	}
	const blocks = "SELECT block, run, log, first, last, length(copies) FROM blocks ORDER BY block"
	err = c.Each(blocks, nil, func(s *sqlite.Stmt) error {
		if _, known := x.logs[s.Int(2)]; !known || s.Int(3) < 0 || s.Int(4) < s.Int(3) {
			return alteredError("a row of blocks is of no log, or of no sequences")
		}
		x.addFrame(s.Int(1), s.Int(2), part.RowFrame{Kind: part.Copies, Row: blockRow(s.Int(0)), First: uint64(s.Int(3)),
			Last: uint64(s.Int(4)), Size: int(s.Int(5))})
		return nil
	})
	if err != nil {
		return nil, err
	}
	return x, c.Each("SELECT statement, run, kind, log, first, length(octets) FROM statements ORDER BY statement", nil,
		func(s *sqlite.Stmt) error {
			kind := part.Kind(s.Int(2))
			_, known := x.logs[s.Int(3)]
			if s.Int(2) != int64(kind) || !(kind == part.Statements && known || kind == part.Batches && s.Int(3) == 0) {
				return alteredError("a row of statements is of another kind")
			}
			x.addFrame(s.Int(1), s.Int(3), part.RowFrame{Kind: kind, Row: statementRow(s.Int(0)), First: uint64(s.Int(4)),
				Size: int(s.Int(5))})
			return nil
		})
}

// runsWithin returns the runs that have copies of a log within sequences.
func (x *index) runsWithin(log int64, first, last uint64) (runs []int64) {
	for _, r := range x.of[log] {
		if r.first <= last && first <= r.last {
			runs = append(runs, r.run)
		}
	}
	return runs
}

// allRuns returns the runs, in their order.
func (x *index) allRuns() (runs []int64) {
	for number := range x.runs {
		runs = append(runs, number)
	}
	slices.Sort(runs)
	return runs
}

// overlapping returns the runs that have copies of sequences of a log among which another
// run has some too.
func (x *index) overlapping() (runs []int64) {
	for _, of := range x.of {
		of = slices.Clone(of)
		slices.SortFunc(of, func(a, b runRange) int { return cmp.Compare(a.first, b.first) })
		through := 0 // the earlier one that reaches farthest
		for i := 1; i < len(of); i++ {
			if of[i].first <= of[through].last {
				runs = append(runs, of[through].run, of[i].run)
			}
			if of[i].last > of[through].last {
				through = i
			}
		}
	}
	slices.Sort(runs)
	return slices.Compact(runs)
}

const (
	// muchLarger is how many times the size of others a run may have that is merged with them.
	muchLarger = 8

	// manyAlike is how many runs of like size are merged, whether they overlap or not.
	manyAlike = 8

	// smallRun and largeRun bound the bytes of runs that are merged for their number: those
	// below the one are alike, and those above the other are few.
	smallRun, largeRun = 32 << 10, 8 << 20
)

// alike returns many small runs of like size; nil if there are not so many.
func (x *index) alike() []int64 {
	sizes := map[int][]int64{}
	for _, run := range x.allRuns() {
		size, class := x.runs[run].octets, 0
		for bound := smallRun; size >= bound; bound *= muchLarger {
			class++
		}
		if size < largeRun {
			sizes[class] = append(sizes[class], run)
		}
	}
	for _, runs := range sizes {
		if len(runs) >= manyAlike {
			return runs[:min(len(runs), mostMerged)]
		}
	}
	return nil
}

// upToMuchLarger returns the smallest of some runs, up to one that is much larger than all
// before it.
func (x *index) upToMuchLarger(runs []int64) []int64 {
	slices.SortFunc(runs, func(a, b int64) int {
		return cmp.Or(cmp.Compare(x.runs[a].octets, x.runs[b].octets), cmp.Compare(a, b))
	})
	sum := smallRun
	for i, run := range runs {
		octets := x.runs[run].octets
		if i == mostMerged || i > 0 && octets > muchLarger*sum {
			return runs[:i]
		}
		sum += octets
	}
	return runs
}

// batched reports whether a run has batches.
func (x *index) batched(runs []int64) bool {
	return slices.ContainsFunc(runs, func(n int64) bool { return len(x.runs[n].frames[0]) > 0 })
}

// contentOf returns a run as a content of shares.
func (x *index) contentOf(run int64, rows part.Rows, shares []part.Share) *part.File {
	r := x.runs[run]
	var numbers []int64
	for n := range r.frames {
		if n != 0 {
			numbers = append(numbers, n)
		}
	}
	slices.SortFunc(numbers, func(a, b int64) int { return x.logs[a].Compare(x.logs[b]) })
	var logs []facts.Log
	var frames []part.RowFrame
	for i, n := range numbers {
		logs = append(logs, x.logs[n])
		for _, f := range r.frames[n] {
			f.Log = i
			frames = append(frames, f)
		}
	}
	frames = append(frames, r.frames[0]...)
	return part.InRows(rows, shares, logs, frames, x.keeps)
}

// union returns runs together, with provisional shares. Nothing of a source that is gone is
// there.
func (x *index) union(runs []int64, rows part.Rows, shares []part.Share, gone []int64) (part.Logged, error) {
	same := make([]int, len(shares))
	for i := range same {
		same[i] = i
	}
	for _, source := range gone {
		same[source-1] = part.Dropped
	}
	var all []part.Run
	for _, n := range runs {
		all = append(all, part.Run{File: x.contentOf(n, rows, shares), Index: same})
	}
	return part.Union(part.Header{}, shares, nil, nil, all...)
}
