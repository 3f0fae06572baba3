package crosscheck

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

// newOverlap counts what the containers of a case have in common. What tells
// events apart is log and sequence: an altered copy is a copy.
func newOverlap() *overlap {
	return &overlap{size: map[int64]int64{}, shared: map[int64]map[int64]int64{}, logs: map[int64]map[int64]int64{}}
}

// add takes in the containers of some sequences, each once.
func (o *overlap) add(log int64, containers []int64, sequences int64) {
	for i, a := range containers {
		if o.size[a] += sequences; o.logs[a] == nil {
			o.logs[a] = map[int64]int64{}
		}
		o.logs[a][log] += sequences
		if i >= mostTogether {
			continue
		}
		for _, b := range containers[:i] {
			o.count(a, b, sequences)
		}
	}
}

// count counts sequences that two containers hold.
func (o *overlap) count(a, b, sequences int64) {
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
		o.shared[p[0]][p[1]] += sequences
	}
}
