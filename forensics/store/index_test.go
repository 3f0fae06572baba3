package store

import (
	"errors"
	"fmt"
	"testing"

	"github.com/svc-edge/svc-verify/chain/event"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/part"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/fault"
)

// TestAlike: however many small runs come, there are few in the end, and what is in them was
// written again a few times: where each goes on behind the one before, and where each overlaps
// it. Runs that are large already are left alone.
func TestAlike(t *testing.T) {
	const octets, many = 10 << 10, 3000
	for name, overlap := range map[string]uint64{"behind each other": 0, "overlapping": 5} {
		t.Run(name, func(t *testing.T) {
			x, again := newIndex(), 0
			x.logs[1] = facts.Log{LogID: "node/a"}
			put := func(run int64, first, last uint64, size int) {
				x.add(run, 1, part.RowFrame{Kind: part.Copies, First: first, Last: last, Size: size})
			}
			next := int64(1)
			for i := range uint64(many) {
				put(next, i*10+1-min(overlap, i), i*10+10, octets)
				next++
				for runs := x.alike(); len(runs) > 1; runs = x.alike() {
					size, first, last := 0, ^uint64(0), uint64(0)
					for _, run := range runs {
						f := x.runs[run].frames[1][0]
						size, first, last = size+x.runs[run].octets, min(first, f.First), max(last, f.Last)
						x.remove(run)
					}
					put(next, first, last, size)
					next, again = next+1, again+size
				}
			}
			if n := len(x.runs); n > 40 || again > 8*many*octets {
				t.Errorf("%d runs, %s", n, fmt.Sprintf("each octet was written again %d times", again/(many*octets)))
			}
		})
	}
}

// TestUpToMuchLarger: of runs that overlap those are merged that are of like size. A small one
// does not have a large one written again.
func TestUpToMuchLarger(t *testing.T) {
	for _, tt := range []struct {
		octets []int
		want   int
	}{
		{nil, 0},
		{[]int{5 << 20}, 1},
		{[]int{5 << 20, 5 << 20}, 2},
		{[]int{1 << 20, 5 << 20, 9 << 20}, 3},
		{[]int{1 << 10, 5 << 20}, 1},
		{[]int{1 << 10, 1 << 10, 5 << 20, 6 << 20}, 2},
	} {
		x := newIndex()
		x.logs[1] = facts.Log{LogID: "node/a"}
		for i, octets := range tt.octets {
			x.add(int64(i+1), 1, part.RowFrame{Kind: part.Copies, First: 1, Last: 9, Size: octets})
		}
		got := x.upToMuchLarger(x.all())
		check.That(t, len(got) == tt.want, "%v: %v, want %d", tt.octets, got, tt.want)
	}
}

// A fault of the program while events are judged is an error of the store, and every
// worker goes on until it is told to end.
func TestFaultOfJudges(t *testing.T) {
	j := newJudges(nil, 2) // there is a trust file
	for range 5 * enough {
		j.add(facts.Log{LogID: "node/a"}, &event.Header{}, nil)
	}
	err := j.settle()
	check.That(t, errors.As(err, new(*fault.Error)), "%v", err)
	j.close()
}
