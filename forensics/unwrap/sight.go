package unwrap

// sight is what was seen of a text. Whoever asks again for the whole text, or a part of it
// that has nothing if the whole has nothing, gets the same answer without another look.
type sight struct {
	text        []byte
	traces, run answer
	listed      [len(lists)]int // where the first bytes begin that are written in a way
	known       [len(lists)]bool
}

// answer is whether something is in a text.
type answer uint8

const (
	unknown answer = iota
	no
	yes
)

// get returns an answer, for which is asked once.
func (a *answer) get(text []byte, is func([]byte) bool) bool {
	if *a == unknown {
		if *a = no; is(text) {
			*a = yes
		}
	}
	return *a == yes
}

// isWhole reports whether a text is the one that was seen.
func (s *sight) isWhole(text []byte) bool {
	return len(text) == len(s.text) && (len(text) == 0 || &text[0] == &s.text[0])
}

// hasTraces is [HasTraces] for a part of the text.
func (s *sight) hasTraces(part []byte) bool {
	return s.traces.get(s.text, HasTraces) && (s.isWhole(part) || HasTraces(part))
}

// hasRun reports whether digits stand in the text that are enough for an event.
func (s *sight) hasRun() bool {
	return s.run.get(s.text, func(b []byte) bool { return nextRun(b, 0, false, nil) != nil })
}

// firstListed returns where the first bytes begin in a part of the text that are written in
// a way, -1 if there are none.
func (s *sight) firstListed(part []byte, way int) int {
	if !s.isWhole(part) {
		return lists[way].find(part)
	}
	if !s.known[way] {
		s.listed[way], s.known[way] = lists[way].find(part), true
	}
	return s.listed[way]
}

// lookAt begins with a text at a depth, unless it was looked at there just now.
func (f *Finder) lookAt(depth int, text []byte) *sight {
	s := &f.levels[depth].sight
	if depth > 0 || s.text == nil || !s.isWhole(text) {
		f.Looked += int64(len(text))
		*s = sight{text: text}
	}
	return s
}

// MayHold reports whether a text may hold an event: it has traces of one, or digits for
// which only decoding shows what they are. If Find is called next, for the same text, it does
// not look for these again.
func (f *Finder) MayHold(text []byte) bool {
	f.Forget()
	s := f.lookAt(0, text)
	if f.Traces = s.hasTraces(text); f.Traces || startOf(text, false).name >= 0 {
		return true
	}
	for way := range lists {
		if len(text) >= leastRun && s.firstListed(text, way) >= 0 {
			return true
		}
	}
	return s.hasRun()
}

// Forget makes the finder one for another text.
func (f *Finder) Forget() { f.levels[0].sight, f.BetweenDigits, f.Traces = sight{}, false, false }

// MayHold reports whether a text may hold an event ([Finder.MayHold]).
func MayHold(text []byte) bool { return new(Finder).MayHold(text) }
