package chain

import "fmt"

// Anchor is a sequence of a log whose hash is known from another source, such as
// the head of a signed checkpoint.
type Anchor struct {
	Sequence uint64
	Hash     Hash
}

// PathStep is one link of an audit path. Disclosed reports whether the bundle discloses its
// event.
type PathStep struct {
	Link
	Disclosed bool
}

// PathDefect names a defect of a path.
type PathDefect uint8

// The defects that [Path.Check] names.
const (
	WrongStep    PathDefect = iota + 1 // not the next sequence of the way
	HashMismatch                       // the link does not hash to the proven value
	Conflict                           // two different hashes for one sequence
	EndsEarly                          // the path does not reach all disclosed events
	Trailing                           // links after the oldest disclosed event
)

// PathFault is one defect of a path, with the index of the step (the number of
// steps for EndsEarly), the sequence that it is about, and the wanted and found
// value, each a sequence or a hash.
type PathFault struct {
	Defect          PathDefect
	Index           int
	Sequence        uint64
	Expected, Found string
}

// Path is a hash-chain path (SPEC 6): steps from the head down to the newest
// disclosed event, and on to each older one.
type Path struct {
	Genesis Hash
	Head    Anchor
	Steps   []PathStep
}

// Check follows the path and returns its defects in order: none if every step follows the way
// and hashes to the value proven for it (SPEC 6.2). After a hash mismatch it continues with
// the values of the link, so that one altered link is one defect. After a wrong step it stops,
// since no later step has a place.
func (p Path) Check() []PathFault {
	c := pathCheck{proven: map[uint64]Hash{0: p.Genesis}, targets: p.targetSequences()}
	c.proveHash(0, p.Head.Sequence, p.Head.Hash)
	want := p.Head.Sequence
	for i, s := range p.Steps {
		if len(c.targets) == 0 {
			c.addFault(PathFault{Trailing, i, s.Sequence, "no further link", "sequence " + fmt.Sprint(s.Sequence)})
			return c.faults
		}
		if s.Sequence != want || want == 0 || want < c.targets[0] {
			c.addFault(wrongStep(i, s.Sequence, want, c.targets[0]))
			return c.faults
		}
		c.followLink(i, s.Link)
		if s.Disclosed {
			c.targets = c.targets[1:]
		}
		// The way only descends, so that an event cannot be disclosed twice.
		if want = 0; len(c.targets) > 0 && s.Sequence > c.targets[0] {
			want = Step(s.Sequence, c.targets[0])
		}
	}
	if len(c.targets) > 0 {
		c.addFault(PathFault{EndsEarly, len(p.Steps), want, "sequence " + fmt.Sprint(want), "no further link"})
	}
	return c.faults
}

// wrongStep returns the fault of a step, with the expected one: the next sequence of the way,
// or an event below the target if no way leads there.
func wrongStep(i int, got, want, target uint64) PathFault {
	expected := fmt.Sprint(want)
	if want == 0 || want < target {
		expected = "an event below " + fmt.Sprint(target)
	}
	return PathFault{WrongStep, i, got, expected, fmt.Sprint(got)}
}

// targetSequences lists the disclosed sequences in the order of the path. A path that
// discloses nothing has the target 0, which no step can reach.
func (p Path) targetSequences() []uint64 {
	var t []uint64
	for _, s := range p.Steps {
		if s.Disclosed {
			t = append(t, s.Sequence)
		}
	}
	if t == nil {
		return []uint64{0}
	}
	return t
}

// pathCheck is the state of one Check: the hash proven for each sequence, and
// the disclosed sequences still ahead.
type pathCheck struct {
	proven  map[uint64]Hash
	targets []uint64
	faults  []PathFault
}

// followLink checks that the computed hash of a link is the proven one, and records the two
// hashes in it as proven.
func (c *pathCheck) followLink(i int, l Link) {
	if want, got := c.proven[l.Sequence], l.Hash(); want != got {
		c.addFault(PathFault{HashMismatch, i, l.Sequence, want.String(), got.String()})
	}
	c.proveHash(i, l.Sequence-1, l.Previous)
	c.proveHash(i, Skip(l.Sequence), l.Skip)
}

// proveHash records the hash of a sequence. If another hash was recorded before, that
// is a conflict, and the first one remains.
func (c *pathCheck) proveHash(i int, sequence uint64, h Hash) {
	if known, ok := c.proven[sequence]; !ok {
		c.proven[sequence] = h
	} else if known != h {
		c.addFault(PathFault{Conflict, i, sequence, known.String(), h.String()})
	}
}

func (c *pathCheck) addFault(f PathFault) { c.faults = append(c.faults, f) }
