package unwrap

// sight keeps the results of looking through a text. The same question about the whole text
// is answered from it.
type sight struct {
	text  []byte
	first [len(lists) + 2]int // the places of the answers, -1 for none
	known [len(lists) + 2]bool
}

// Further questions than the lists have.
const (
	forTraces = len(lists) + iota
	forRun
)

// findIn returns the place of the answer in a part of the text, -1 if there is none.
func (s *sight) findIn(part []byte, what int) int {
	if !s.isWhole(part) {
		return findFirst(part, what)
	}
	if !s.known[what] {
		s.first[what], s.known[what] = findFirst(part, what), true
	}
	return s.first[what]
}

func findFirst(text []byte, what int) int {
	switch what {
	case forTraces:
		if HasTraces(text) {
			return 0
		}
	case forRun:
		if lines := nextRun(text, 0, false, nil); lines != nil {
			return lines[0].from
		}
	default:
		return lists[what].find(text)
	}
	return -1
}

// isWhole reports whether a part is the whole text.
func (s *sight) isWhole(text []byte) bool {
	return len(text) == len(s.text) && (len(text) == 0 || &text[0] == &s.text[0])
}

// hasTraces is [HasTraces] for a part of the text.
func (s *sight) hasTraces(part []byte) bool {
	return s.findIn(s.text, forTraces) >= 0 && s.findIn(part, forTraces) >= 0
}

// lookAt begins with a text at a depth, unless MayHold has begun with it.
func (f *Finder) lookAt(depth int, text []byte) *sight {
	s := &f.levels[depth].sight
	if depth > 0 || s.text == nil || !s.isWhole(text) {
		f.Looked += int64(len(text))
		*s = sight{text: text}
	}
	return s
}

// MayHold reports whether a text may hold an event: it has traces of one, or digits that
// only decoding explains. If Find is called next, for the same text, it uses the results.
func (f *Finder) MayHold(text []byte) bool {
	f.Forget()
	if f.quoted = findQuoted(f, text); f.quoted {
		f.levels[0].sight.text, f.Traces = text, true
		return true
	}
	return mayHold(f, &view{text: text})
}

// mayHold is [Finder.MayHold] for a view.
func mayHold(f *Finder, v *view) bool {
	text := v.text
	s := f.lookAt(v.depth, text)
	traces := s.hasTraces(text)
	if v.depth == 0 {
		f.Traces = traces
	}
	if traces || startOf(text, false).name >= 0 {
		return true
	}
	for way := range lists {
		if len(text) >= leastRun && s.findIn(text, way) >= 0 {
			return true
		}
	}
	return s.findIn(text, forRun) >= 0
}

// Forget makes the finder one for another text.
func (f *Finder) Forget() {
	f.levels[0].sight, f.BetweenDigits, f.Traces, f.quoted = sight{}, false, false, false
}

// MayHold reports whether a text may hold an event ([Finder.MayHold]).
func MayHold(text []byte) bool { return new(Finder).MayHold(text) }
