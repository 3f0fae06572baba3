package report

import (
	"fmt"

	"github.com/svc-edge/svc-verify/forensics/walk"
	"github.com/svc-edge/svc-verify/internal/english"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

// forkPicture is a fork: the common history, and the two that follow it.
type forkPicture struct {
	ID, Title, Desc         string
	Trunk, LengthA, LengthB string
	EndA, EndB              string
	Genuine                 bool   // the anchors name the first branch alone
	Naming                  string // which branch they name, in words
	Branches                []shownBranch
}

type shownBranch struct {
	Branch
	Name, Length string
	More         int // sources
}

// newForkPicture draws a fork. The branches look alike, unless the anchors name
// one of them: it is drawn as the log, and the other one as a departure from it.
func newForkPicture(log, index int, f Fork) *forkPicture {
	p := &forkPicture{ID: fmt.Sprintf("fork-%d-%d", log, index), Trunk: "from the beginning",
		Genuine: f.Named == walk.NamesFirst, Naming: "Which is genuine: " + safetext.Line(f.Naming) + "."}
	p.Title = fmt.Sprintf("The log forks at event %d", f.Sequence)
	if f.Sequence > 1 {
		p.Trunk = fmt.Sprintf("one up to %s", number(f.Sequence-1))
	}
	longest := max(f.Branches[0].Events, f.Branches[1].Events)
	for i, b := range f.Branches {
		s := shownBranch{Branch: b, Name: string(rune('A' + i)), Length: english.Count(b.Events, "event")}
		s.More = max(0, len(b.Sources)-mostPlaces)
		s.Sources = b.Sources[:len(b.Sources)-s.More]
		p.Branches = append(p.Branches, s)
	}
	p.LengthA, p.LengthB = p.Branches[0].label(f), p.Branches[1].label(f)
	p.EndA, p.EndB = laneEnd(f.Branches[0].Events, longest), laneEnd(f.Branches[1].Events, longest)
	p.Desc = fmt.Sprintf("After event %d there are two signed histories: A of %s and B of %s. %s",
		f.Sequence-1, p.Branches[0].Length, p.Branches[1].Length, p.Naming)
	return p
}

func (b shownBranch) label(f Fork) string {
	return fmt.Sprintf("%s, up to %s", b.Length, number(f.Sequence+b.Events-1))
}

// laneEnd is where the lane of a branch ends. The lanes begin at 36% and the
// longer one ends at 98%.
func laneEnd(events, longest uint64) string {
	return percent(40+58*float64(events)/float64(max(longest, 1)), 100)
}
