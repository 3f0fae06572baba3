package crosscheck

import (
	"context"
	"slices"

	"github.com/svc-edge/svc-verify/forensics/store"
)

// overlap is what containers have in common.
type overlap struct {
	size   map[int64]int64           // sequences that a container holds
	shared map[int64]map[int64]int64 // sequences that two hold
	pairs  int
	logs   map[int64]map[int64]int64 // sequences of each log that a container holds
}

const (
	// mostTogether bounds the containers of one event whose overlap is counted.
	mostTogether = 32

	// mostPairs bounds the pairs of containers that are counted.
	mostPairs = 1 << 20
)

// overlapOf counts what the containers of a case have in common. What tells
// events apart is log and sequence: an altered copy is a copy.
func overlapOf(ctx context.Context, c *store.Case) (*overlap, error) {
	o := &overlap{size: map[int64]int64{}, shared: map[int64]map[int64]int64{}, logs: map[int64]map[int64]int64{}}
	logs, err := c.Logs(ctx)
	if err != nil {
		return nil, err
	}
	for _, log := range logs {
		var sequence uint64
		var here []int64
		for p, err := range c.Presence(ctx, log) {
			if err != nil {
				return nil, err
			}
			if p.Sequence != sequence {
				o.add(log.Number, here)
				sequence, here = p.Sequence, here[:0]
			}
			here = append(here, p.Container)
		}
		o.add(log.Number, here)
	}
	return o, nil
}

// add takes in the containers of one sequence.
func (o *overlap) add(log int64, containers []int64) {
	slices.Sort(containers)
	containers = slices.Compact(containers)
	for i, a := range containers {
		if o.size[a]++; o.logs[a] == nil {
			o.logs[a] = map[int64]int64{}
		}
		o.logs[a][log]++
		if i >= mostTogether {
			continue
		}
		for _, b := range containers[:i] {
			o.count(a, b)
		}
	}
}

// count counts a sequence that two containers hold.
func (o *overlap) count(a, b int64) {
	if o.shared[a][b] == 0 {
		if o.pairs == mostPairs {
			return
		}
		o.pairs++
	}
	for _, p := range [][2]int64{{a, b}, {b, a}} {
		if o.shared[p[0]] == nil {
			o.shared[p[0]] = map[int64]int64{}
		}
		o.shared[p[0]][p[1]]++
	}
}
