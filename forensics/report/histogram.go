package report

import "slices"

// tally counts what falls into one cell.
type tally struct{ first, again int64 }

// histogram counts values in at most so many cells of equal width, a power of
// two. The cells begin at multiples of their width and get as wide as the range
// of values asks for, so that the order in which values come has no bearing on
// the result. There are at least two, as no cell reaches over 0.
type histogram struct {
	most   int64
	shift  uint
	lo, hi int64 // the lowest and highest cell
	cells  map[int64]tally
}

func newHistogram(most int64) *histogram { return &histogram{most: most, cells: map[int64]tally{}} }

// add counts a value.
func (h *histogram) add(value int64, t tally) {
	cell := value >> h.shift
	if len(h.cells) == 0 {
		h.lo, h.hi = cell, cell
	}
	for h.hi, h.lo = max(h.hi, cell), min(h.lo, cell); h.tooFine(); cell >>= 1 {
		h.widen()
	}
	old := h.cells[cell]
	h.cells[cell] = tally{old.first + t.first, old.again + t.again}
}

// tooFine compares as unsigned, as the difference of two times can be larger
// than an int64.
func (h *histogram) tooFine() bool { return uint64(h.hi)-uint64(h.lo) >= uint64(h.most) }

// widen makes each cell twice as wide.
func (h *histogram) widen() {
	wide := make(map[int64]tally, len(h.cells))
	for cell, t := range h.cells {
		old := wide[cell>>1]
		wide[cell>>1] = tally{old.first + t.first, old.again + t.again}
	}
	h.cells, h.lo, h.hi, h.shift = wide, h.lo>>1, h.hi>>1, h.shift+1
}

// width is how many values a cell takes.
func (h *histogram) width() int64 { return 1 << h.shift }

// order returns the cells that are not empty, ascending.
func (h *histogram) order() []int64 {
	all := make([]int64, 0, len(h.cells))
	for cell := range h.cells {
		all = append(all, cell)
	}
	slices.Sort(all)
	return all
}

func (h *histogram) total() (t tally) {
	for _, c := range h.cells {
		t.first, t.again = t.first+c.first, t.again+c.again
	}
	return t
}

// What may be left out of a picture at either end: one of farOff values, or one
// alone if there are at least enough.
const (
	farOff = 200
	enough = 20
)

// near returns the histogram in as many cells as a picture has bars, and how
// many values it leaves out: the few at either end, if all others then take less
// than an eighth of the range. One event with a time of its own would otherwise
// make one bar of all the rest.
func (h *histogram) near() (*histogram, int64) {
	t := h.total()
	few := (t.first + t.again) / farOff
	if t.first+t.again >= enough {
		few = max(few, 1)
	}
	all := h.order()
	inner := h.trim(all, few)
	if n := len(inner); n == 0 || 8*(inner[n-1]-inner[0]+1) > h.hi-h.lo+1 {
		inner = all
	}
	out := newHistogram(mostBars)
	out.shift = h.shift
	kept := int64(0)
	for _, cell := range inner {
		out.add(cell<<h.shift, h.cells[cell])
		kept += h.cells[cell].first + h.cells[cell].again
	}
	return out, t.first + t.again - kept
}

// trim leaves out so many values at either end.
func (h *histogram) trim(cells []int64, few int64) []int64 {
	size := func(cell int64) int64 { return h.cells[cell].first + h.cells[cell].again }
	for left := few; len(cells) > 0 && size(cells[0]) <= left; cells = cells[1:] {
		left -= size(cells[0])
	}
	for left := few; len(cells) > 0 && size(cells[len(cells)-1]) <= left; cells = cells[:len(cells)-1] {
		left -= size(cells[len(cells)-1])
	}
	return cells
}
