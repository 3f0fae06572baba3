package chain

import "strconv"

// Anchor is a sequence of a log whose hash is known from elsewhere: a signed
// checkpoint's head, say.
type Anchor struct {
	Sequence uint64
	Hash     Hash
}

// PathStep is one link of an audit path, and whether it is that of an event
// that the bundle discloses.
type PathStep struct {
	Link
	Disclosed bool
}

// PathDefect names what is wrong with a step of a path.
type PathDefect string

// The defects that [Path.Check] names.
const (
	WrongStep    PathDefect = "wrong-step"    // another sequence than the way's next one
	HashMismatch PathDefect = "hash-mismatch" // the link does not hash to the proven value
	Conflict     PathDefect = "conflict"      // two different hashes for one sequence
	EndsEarly    PathDefect = "ends-early"    // no way to (all of) the disclosed events
	Trailing     PathDefect = "trailing"      // links after the oldest disclosed event
)

// PathFault is one defect of a path: the index of the step (the number of
// steps for EndsEarly), the sequence that it is about, and the two values that
// differ, a sequence or a hash each.
type PathFault struct {
	Defect    PathDefect
	Index     int
	Sequence  uint64
	Want, Got string
}

// Path is a hash-chain path (SPEC 6): steps from the head down to the newest
// disclosed event, and on to each older one.
type Path struct {
	Genesis Hash
	Head    Anchor
	Steps   []PathStep
}

// Check follows the path and returns everything that is wrong with it, in
// order; nothing when every step is the way's and hashes to the value proven
// for it (SPEC 6.2). After a hash mismatch it goes on with what the link says,
// so that one altered link is named once; after a wrong step it stops, since
// no later step has a place.
func (p Path) Check() []PathFault {
	c := pathCheck{proven: map[uint64]Hash{0: p.Genesis}, targets: p.targets()}
	c.prove(0, p.Head.Sequence, p.Head.Hash)
	want := p.Head.Sequence
	for i, s := range p.Steps {
		if len(c.targets) == 0 {
			c.fault(PathFault{Trailing, i, s.Sequence, "no further link", strconv.FormatUint(s.Sequence, 10)})
			return c.faults
		}
		if s.Sequence != want || want == 0 || want < c.targets[0] {
			c.fault(wrongStep(i, s.Sequence, want, c.targets[0]))
			return c.faults
		}
		c.follow(i, s.Link)
		if s.Disclosed {
			c.targets = c.targets[1:]
		}
		if len(c.targets) > 0 {
			want = next(want, c.targets[0])
		}
	}
	if len(c.targets) > 0 || len(p.Steps) == 0 {
		c.fault(PathFault{EndsEarly, len(p.Steps), want, strconv.FormatUint(want, 10), "no further link"})
	}
	return c.faults
}

// next is the sequence after n on the way to target, 0 where there is none: the
// way only descends, so that an event cannot be disclosed twice.
func next(n, target uint64) uint64 {
	if n <= target {
		return 0
	}
	return Step(n, target)
}

// wrongStep says what a step should have been: the way's next sequence, or
// nothing at all where no way leads from there to the target.
func wrongStep(i int, got, want, target uint64) PathFault {
	expected := strconv.FormatUint(want, 10)
	if want == 0 || want < target {
		expected = "an event below " + strconv.FormatUint(target, 10)
	}
	return PathFault{WrongStep, i, got, expected, strconv.FormatUint(got, 10)}
}

// targets lists the disclosed sequences in the order in which they stand. A
// path that discloses nothing has sequence 0 as its target, which no step
// can reach.
func (p Path) targets() []uint64 {
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

// follow checks that the link's computed hash is the proven one, and takes its
// two links as proven.
func (c *pathCheck) follow(i int, l Link) {
	if want, got := c.proven[l.Sequence], l.Hash(); want != got {
		c.fault(PathFault{HashMismatch, i, l.Sequence, want.String(), got.String()})
	}
	c.prove(i, l.Sequence-1, l.Previous)
	c.prove(i, Skip(l.Sequence), l.Skip)
}

// prove records the hash of a sequence; another one than recorded before is a
// conflict, and the first stands.
func (c *pathCheck) prove(i int, sequence uint64, h Hash) {
	known, ok := c.proven[sequence]
	if !ok {
		c.proven[sequence] = h
		return
	}
	if known != h {
		c.fault(PathFault{Conflict, i, sequence, known.String(), h.String()})
	}
}

func (c *pathCheck) fault(f PathFault) { c.faults = append(c.faults, f) }
