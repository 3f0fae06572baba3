package crosscheck

import (
	"github.com/svc-edge/svc-verify/forensics/delivery"
	"github.com/svc-edge/svc-verify/forensics/evidence"
	"github.com/svc-edge/svc-verify/forensics/facts"
)

// overlap counts the sequences that containers have in common.
type overlap struct {
	size   map[int64]int64           // sequences that a container holds
	shared map[int64]map[int64]int64 // sequences that two hold
	pairs  int
	logs   map[int64]map[facts.Log]int64 // sequences of each log that a container holds

	form    map[int64]string // of a container
	covered map[int64]int64  // sequences that another container of the same form holds as well
	differs map[int64]bool   // it has another copy of an event than others, so that it is no excerpt
	alike   map[string]int   // memory of cover
	reach   map[int64]*reach // of a container
}

const (
	// mostTogether bounds the containers of one event whose overlap is counted.
	mostTogether = 256

	// mostPairs bounds the pairs of containers that are counted.
	mostPairs = 1 << 20
)

// newOverlap counts the common events of the containers of a case. Log and sequence identify
// an event: an altered copy is a copy.
func newOverlap(containers []evidence.SourceContainer) *overlap {
	o := &overlap{size: map[int64]int64{}, shared: map[int64]map[int64]int64{}, logs: map[int64]map[facts.Log]int64{},
		form: map[int64]string{}, covered: map[int64]int64{}, differs: map[int64]bool{},
		alike: map[string]int{}, reach: map[int64]*reach{}}
	for _, c := range containers {
		o.form[c.Container] = c.Format
	}
	return o
}

// addContainers adds the containers of some sequences, each once.
func (o *overlap) addContainers(log facts.Log, containers []int64, sequences int64) {
	o.cover(containers, sequences)
	for i, a := range containers {
		if o.size[a] += sequences; o.logs[a] == nil {
			o.logs[a] = map[facts.Log]int64{}
		}
		o.logs[a][log] += sequences
		if i >= mostTogether {
			continue
		}
		for _, b := range containers[:i] {
			o.countShared(a, b, sequences)
		}
	}
}

// reach is how many sequences there are from the first to the last that a container holds
// of each log, and the last one of the log that was read last.
type reach struct {
	sequences int64
	log       facts.Log
	last      int64
}

// extendRun notes that containers hold some sequences of a log, ascending.
func (o *overlap) extendRun(log facts.Log, containers []int64, s span) {
	for _, c := range containers {
		r := o.reach[c]
		if r == nil {
			r = &reach{}
			o.reach[c] = r
		}
		if r.log != log {
			r.log, r.last = log, int64(s.first)-1
		}
		r.sequences += int64(s.last) - r.last
		r.last = int64(s.last)
	}
}

// sparse reports whether a container lacks at least half as many sequences, between the
// first and the last that it holds of each log, as it holds: a search leaves such a file.
func (o *overlap) sparse(c int64) bool {
	r := o.reach[c]
	return r != nil && 2*(r.sequences-o.size[c]) >= o.size[c]
}

// differ notes which containers have copies of some events that differ.
func (o *overlap) differ(p *makeup) {
	for _, k := range p.kinds {
		for _, c := range k.containers {
			o.differs[c] = o.differs[c] || k.state == Altered || k.state == Differs
		}
	}
}

// cover counts the sequences of containers that another one of their form holds.
func (o *overlap) cover(containers []int64, sequences int64) {
	if len(containers) < 2 {
		return
	}
	clear(o.alike)
	for _, c := range containers {
		o.alike[o.form[c]]++
	}
	for _, c := range containers {
		if o.alike[o.form[c]] > 1 {
			o.covered[c] += sequences
		}
	}
}

// isCovered reports whether files of its form elsewhere hold all that a container does.
func (o *overlap) isCovered(c int64) bool { return !o.differs[c] && o.covered[c] >= o.size[c] }

// excerptOf reports whether all that a container holds is in another one of its form,
// which holds more: at least twice as much or, of journals of one log, anything.
func (o *overlap) excerptOf(c, whole int64) bool {
	size, in := o.size[c], o.size[whole]
	if o.differs[c] || o.form[c] != o.form[whole] || o.shared[c][whole] != size || in <= size {
		return false
	}
	log, journal := delivery.JournalOf(o.form[c], o.logs[c])
	other, too := delivery.JournalOf(o.form[whole], o.logs[whole])
	return in >= 2*size || journal && too && log == other
}

// excerpts removes the files from parts that are excerpts of another file of their folder, and
// makes one cell for each folder. Files whose names differ in numbers alone are parts of one
// store.
func (o *overlap) excerpts(parts []part) (cells []*cell, others []part) {
	folders := map[int64]map[string]string{} // the name of a file in each folder
	for _, p := range parts {
		if folders[p.container] == nil {
			folders[p.container] = map[string]string{}
		}
		folders[p.container][folderOf(p.path)] = withoutNumbers(p.path)
	}
	of := map[string]*cell{}
	for _, p := range parts {
		folder, excerpt := folderOf(p.path), false
		for whole := range o.shared[p.container] {
			name, beside := folders[whole][folder]
			excerpt = excerpt || beside && name != withoutNumbers(p.path) && o.excerptOf(p.container, whole)
		}
		if !excerpt {
			others = append(others, p)
			continue
		}
		c := of[folder]
		if c == nil {
			c = &cell{name: p.path, rule: Excerpts}
			of[folder], cells = c, append(cells, c)
		}
		c.name = commonPattern(c.name, p.path)
		c.parts = append(c.parts, p)
	}
	return cells, others
}

// countShared counts sequences that two containers hold.
func (o *overlap) countShared(a, b, sequences int64) {
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
