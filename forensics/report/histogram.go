package report

import "slices"

// tally counts the values in one cell.
type tally struct{ first, again int64 }

// histogram counts values in at most so many cells of equal width, a power of
// two, those that are empty left out. The cells begin at multiples of their width
// and are as narrow as the number of them allows, so that the order in which
// values come has no bearing on the result, nor has one value far from the others
// on how finely these are counted. There are at least two cells, as none reaches
// over 0.
type histogram struct {
	most  int
	shift uint
	cells map[int64]tally
}

func newHistogram(most int) *histogram { return &histogram{most: most, cells: map[int64]tally{}} }

// countValue counts a value.
func (h *histogram) countValue(value int64, t tally) {
	old := h.cells[value>>h.shift]
	h.cells[value>>h.shift] = tally{old.first + t.first, old.again + t.again}
	for len(h.cells) > h.most {
		h.widenCells()
	}
}

// widenCells makes each cell twice as wide.
func (h *histogram) widenCells() {
	wide := make(map[int64]tally, len(h.cells))
	for cell, t := range h.cells {
		old := wide[cell>>1]
		wide[cell>>1] = tally{old.first + t.first, old.again + t.again}
	}
	h.cells, h.shift = wide, h.shift+1
}

// cellWidth is how many values a cell has.
func (h *histogram) cellWidth() int64 { return 1 << h.shift }

// filledCells returns the cells that are not empty, ascending.
func (h *histogram) filledCells() []int64 {
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

// The values that may be left out of a picture at either end: one of farOff values, or one
// alone if there are at least enough.
const (
	farOff = 200
	enough = 20
)

// nearPicture returns the histogram with at most as many cells as a picture has bars,
// the empty ones counted, and how many values it leaves out: the few at either
// end, if all others then take less than an eighth of the range. One event with a
// time of its own would otherwise make one bar of all the rest.
func (h *histogram) nearPicture() (*histogram, int64) {
	t := h.total()
	few := (t.first + t.again) / farOff
	if t.first+t.again >= enough {
		few = max(few, 1)
	}
	all := h.filledCells()
	inner := h.trimEnds(all, few)
	if len(inner) == 0 || cellExtent(inner) > cellExtent(all)/8 {
		inner = all
	}
	out := &histogram{most: h.most, shift: h.shift, cells: map[int64]tally{}}
	kept := int64(0)
	for _, cell := range inner {
		out.cells[cell] = h.cells[cell]
		kept += h.cells[cell].first + h.cells[cell].again
	}
	for cellExtent(out.filledCells()) >= mostBars {
		out.widenCells()
	}
	return out, t.first + t.again - kept
}

// cellExtent is how many cells the last is after the first. The difference of two
// times can be larger than an int64.
func cellExtent(cells []int64) uint64 {
	if len(cells) == 0 {
		return 0
	}
	return uint64(cells[len(cells)-1]) - uint64(cells[0])
}

// trimEnds leaves out so many values at either end.
func (h *histogram) trimEnds(cells []int64, few int64) []int64 {
	size := func(cell int64) int64 { return h.cells[cell].first + h.cells[cell].again }
	for left := few; len(cells) > 0 && size(cells[0]) <= left; cells = cells[1:] {
		left -= size(cells[0])
	}
	for left := few; len(cells) > 0 && size(cells[len(cells)-1]) <= left; cells = cells[:len(cells)-1] {
		left -= size(cells[len(cells)-1])
	}
	return cells
}
