package walk

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

// Word is up to where one party's word shows that a log is complete (SPEC 13.7): the highest
// sequence whose event a statement names, with no event missing, changed or replaced up to it.
// By lists the kinds of these statements, Name is the first of them for people, and At when
// the newest was made. Sequence is 0 if nothing shows it.
type Word struct {
	Sequence uint64             `json:"sequence"`
	By       []facts.AnchorKind `json:"by"`
	At       string             `json:"at,omitempty"`
	Name     string             `json:"name,omitempty"`
	Nodes    []string           `json:"nodes,omitempty"` // whose journals witness the event, or a later one
}

// highestWord returns the word of the highest of some anchors, or the word of an earlier walk
// if that is higher, and no anchor that came in later contradicts it: the log is whole up to
// an event.
func (a anchors) highestWord(earlier Word, whole uint64) Word {
	if earlier.Sequence > whole {
		earlier = Word{}
	}
	top := a.highest()
	if len(top) == 0 || top[0].Sequence < earlier.Sequence {
		earlier.By = append([]facts.AnchorKind{}, earlier.By...)
		return earlier
	}
	newest := slices.MaxFunc(top, func(x, y Anchor) int { return cmp.Compare(x.At, y.At) })
	return Word{Sequence: top[0].Sequence, By: top.kinds(), At: formatTime(newest.At), Name: top[0].Name}
}

// Says describes for people up to where the log is complete, and by whose word.
func (w Word) Says() string {
	if w.Sequence == 0 {
		return "nothing shows it"
	}
	text := fmt.Sprintf("event %d, by %s", w.Sequence, JoinKinds(w.By, ", "))
	if n := len(w.Nodes); n > 0 {
		text += fmt.Sprintf(" of %d nodes (%s)", n, strings.Join(quoteAll(w.Nodes[:min(n, mostNodes)]), ", "))
	}
	if w.At != "" {
		text += " of " + safetext.Line(w.At)
	}
	return text
}

func quoteAll(all []string) []string {
	out := make([]string, len(all))
	for i, s := range all {
		out[i] = safetext.Quote(s)
	}
	return out
}

// mostNodes bounds the nodes that a text names.
const mostNodes = 8

// wholeUpTo returns up to where a history is whole: no event is missing, changed or
// replaced up to there.
func (s *standing) wholeUpTo(b *branch) uint64 {
	last := b.counts.Last
	for _, x := range s.contrary[:min(1, len(s.contrary))] { // the lowest
		last = min(last, x.Sequence-1)
	}
	if b.parted > 0 {
		last = min(last, b.parted-1)
	}
	return last
}
