package report

import (
	"fmt"

	"github.com/svc-edge/svc-verify/forensics/walk"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

// forkPicture is a fork: the common history, and the two that follow it.
type forkPicture struct {
	ID, Title, Desc string
	Common          uint64 // events that both histories have
	EndA, EndB      string
	Genuine         bool   // the anchors name the first branch alone
	Naming          string // which branch they name, in words
	Branches        []shownBranch
}

type shownBranch struct {
	Branch
	Name, Length  string
	UpTo          uint64
	LabelY, UpToY int
}

// The heights of the labels of the first branch, and how far those of the second
// are below them.
const (
	labelY = 18
	upToY  = 45
	laneDY = 56
)

// newForkPicture draws a fork. The branches look alike, unless the anchors name
// one of them: it is drawn as the log, and the other one as a departure from it.
func newForkPicture(log, index int, f Fork) *forkPicture {
	p := &forkPicture{ID: fmt.Sprintf("fork-%d-%d", log, index), Common: max(f.Sequence, 1) - 1,
		Genuine: f.Named == walk.NamesFirst, Naming: "Which is genuine: " + safetext.Line(f.Naming) + "."}
	p.Title = fmt.Sprintf("The log forks at event %s", number(f.Sequence))
	longest := max(f.Branches[0].Events, f.Branches[1].Events)
	for i, b := range f.Branches {
		s := shownBranch{Branch: b, Name: string(rune('A' + i)), Length: events(b.Events),
			UpTo: p.Common + b.Events, LabelY: labelY + laneDY*i, UpToY: upToY + laneDY*i}
		p.Branches = append(p.Branches, s)
	}
	p.EndA, p.EndB = laneEnd(f.Branches[0].Events, longest), laneEnd(f.Branches[1].Events, longest)
	p.Desc = fmt.Sprintf("From event %s on there are two signed histories: A of %s and B of %s. %s",
		number(f.Sequence), p.Branches[0].Length, p.Branches[1].Length, p.Naming)
	return p
}

// laneEnd is where the lane of a branch ends. The lanes begin at 36% and the
// longer one ends at 98%.
func laneEnd(events, longest uint64) string {
	return percent(40+58*float64(events)/float64(max(longest, 1)), 100)
}

// events writes how many events there are.
func events(n uint64) string {
	if n == 1 {
		return "1 event"
	}
	return number(n) + " events"
}
