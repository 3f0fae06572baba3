package store

import (
	"maps"
	"slices"

	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/part"
	"github.com/svc-edge/svc-verify/internal/sqlite"
)

// index says which rows each run has.
type index struct {
	logs map[int64]facts.Log // by number
	runs map[int64]*runIndex // by number
}

// runIndex is the rows of a run.
type runIndex struct {
	frames map[int64][]part.RowFrame // by the number of the log; 0 is of no log
}

// A row of blocks or of statements as the row of a frame.
func blockRow(n int64) int64     { return n << 1 }
func statementRow(n int64) int64 { return n<<1 | 1 }

func (x *index) add(run, log int64, f part.RowFrame) {
	r := x.runs[run]
	if r == nil {
		r = &runIndex{frames: map[int64][]part.RowFrame{}}
		x.runs[run] = r
	}
	r.frames[log] = append(r.frames[log], f)
}

// readIndex reads which rows there are.
func readIndex(c *sqlite.Conn) (*index, error) {
	x := &index{logs: map[int64]facts.Log{}, runs: map[int64]*runIndex{}}
	err := c.Each("SELECT log, tenant_id, log_id FROM logs", nil, func(s *sqlite.Stmt) error {
		x.logs[s.Int(0)] = facts.Log{TenantID: s.Text(1), LogID: s.Text(2)}
		return nil
	})
	if err != nil {
		return nil, err
	}
	err = c.Each("SELECT block, run, log, first, last FROM blocks ORDER BY block", nil, func(s *sqlite.Stmt) error {
		x.add(s.Int(1), s.Int(2), part.RowFrame{Kind: part.Copies, Row: blockRow(s.Int(0)), First: uint64(s.Int(3)),
			Last: uint64(s.Int(4))})
		return nil
	})
	if err != nil {
		return nil, err
	}
	return x, c.Each("SELECT statement, run, kind, log, first FROM statements ORDER BY statement", nil,
		func(s *sqlite.Stmt) error {
			x.add(s.Int(1), s.Int(3), part.RowFrame{Kind: part.Kind(s.Int(2)), Row: statementRow(s.Int(0)),
				First: uint64(s.Int(4))})
			return nil
		})
}

// overlaps reports whether a run has copies of a log within sequences.
func (x *index) overlaps(log int64, first, last uint64) bool {
	for _, r := range x.runs {
		for _, f := range r.frames[log] {
			if f.Kind == part.Copies && f.First <= last && first <= f.Last {
				return true
			}
		}
	}
	return false
}

// contents returns the runs, each as a content of shares.
func (x *index) contents(rows part.Rows, shares []part.Share) (all []part.Content) {
	for _, number := range slices.Sorted(maps.Keys(x.runs)) {
		r := x.runs[number]
		numbers := slices.DeleteFunc(slices.Collect(maps.Keys(r.frames)), func(n int64) bool { return n == 0 })
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
		all = append(all, part.InRows(rows, shares, logs, frames, true))
	}
	return all
}

// union returns the runs together, with provisional shares.
func (x *index) union(rows part.Rows, shares []part.Share) (part.Content, error) {
	same := make([]int, len(shares))
	for i := range same {
		same[i] = i
	}
	var runs []part.Run
	for _, c := range x.contents(rows, shares) {
		runs = append(runs, part.Run{Content: c, Index: same})
	}
	return part.Union(part.Header{}, shares, nil, runs...)
}
