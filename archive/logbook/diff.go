package logbook

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/svc-edge/svc-verify/archive/ledger"
	"github.com/svc-edge/svc-verify/archive/object"
	"github.com/svc-edge/svc-verify/archive/run"
	"github.com/svc-edge/svc-verify/internal/form"
	"github.com/svc-edge/svc-verify/outcome"
)

// DiffSchema names the JSON form of a [Diff].
const DiffSchema = "svc-verify/archive-diff/v1"

// Diff lists the differences between two runs.
type Diff struct {
	Schema  string        `json:"schema"`
	Verdict outcome.Class `json:"verdict"` // on the ledger
	Ledger  About         `json:"ledger"`
	From    *RunName      `json:"from,omitempty"` // the earlier run; nil if the ledger is not believed
	To      *RunName      `json:"to,omitempty"`

	Objects []Difference `json:"objects"` // the first ones, in the order of their paths
	More    int64        `json:"more_objects"`
}

// mostObjects is how many objects a difference lists.
const mostObjects = 100_000

// RunName names a run.
type RunName struct {
	Number  int64  `json:"number"`
	SHA256  string `json:"sha256"`
	EndedAt string `json:"ended_at"`
}

// Difference is an object that changed after the earlier run. One that was
// changed back is the same before and after.
type Difference struct {
	Path     string     `json:"path"` // now, as [object.PathText] writes it
	From     string     `json:"from"` // the path in the earlier run, if it moved; else ""
	First    RunName    `json:"first_run"`
	Class    string     `json:"class"`            // its class in that run
	Before   *run.State `json:"before,omitempty"` // nil if it was not there
	After    *run.State `json:"after,omitempty"`
	Later    []Step     `json:"later"`    // its changes after that run
	Returned bool       `json:"returned"` // it is as it was
}

// Step is the change of an object in a run.
type Step struct {
	Run   int64  `json:"run"`
	Class string `json:"class"`
}

// Span names two runs by their numbers or digests: the answer is about later runs than the first one,
// and up to the later one. "" is where the ledger begins or ends.
type Span struct{ Since, Until string }

// findRuns finds the runs of a span. One that is not named has the number 0.
func (s Span) findRuns(ctx context.Context, l *ledger.Ledger) (since, until RunName, err error) {
	names, found := []string{s.Since, s.Until}, make([]RunName, 2)
	for r, err := range l.Runs(ctx) {
		if err != nil {
			return since, until, err
		}
		is := nameOf(r)
		for i, name := range names {
			if name == fmt.Sprint(is.Number) || name == is.SHA256 {
				found[i] = is
			}
		}
	}
	for i, name := range names {
		if name != "" && found[i].Number == 0 {
			return since, until, fmt.Errorf("there is no run %s", name)
		}
	}
	if s.Until != "" && found[1].Number < found[0].Number {
		err = fmt.Errorf("run %d is not after run %d", found[1].Number, found[0].Number)
	}
	return found[0], found[1], err
}

// ReadDiff returns the differences in a span. Without an earlier run these are the changes
// after the first one.
func ReadDiff(ctx context.Context, l *ledger.Ledger, about About, s Span) (*Diff, error) {
	d := &Diff{Schema: DiffSchema, Verdict: about.Verdict(), Ledger: about, Objects: []Difference{}}
	if !about.Believed() {
		return d, nil
	}
	altered, err := d.Ledger.fault(d.read(ctx, l, s))
	if altered {
		d.Verdict, d.From, d.To = outcome.Rejected, nil, nil
	}
	return d, err
}

func (d *Diff) read(ctx context.Context, l *ledger.Ledger, s Span) error {
	newest, _ := l.Newest()
	since, until, err := Span{cmp.Or(s.Since, "1"), cmp.Or(s.Until, fmt.Sprint(newest))}.findRuns(ctx, l)
	if err != nil {
		return err
	}
	d.From, d.To = &since, &until
	all := differences{}
	for n := since.Number + 1; n <= until.Number; n++ {
		r, err := l.Run(n)
		if err == nil {
			err = all.run(ctx, l, nameOf(r))
		}
		if err != nil {
			return err
		}
	}
	paths := slices.Sorted(maps.Keys(all))
	d.More = int64(max(len(paths)-mostObjects, 0))
	for _, path := range paths[:min(len(paths), mostObjects)] {
		x := all[path]
		x.Path, x.Returned = object.PathText(path), same(x.Before, x.After) &&
			(x.From == "" || x.From == object.PathText(path))
		d.Objects = append(d.Objects, *x)
	}
	return nil
}

func nameOf(r ledger.Run) RunName {
	return RunName{r.Number, fmt.Sprintf("%x", r.Digest), form.MomentText(r.Ended)}
}

// differences are the objects that changed, by the paths that they have now.
type differences map[string]*Difference

// run adds the changes of a run. Objects that moved leave their paths before others take
// these.
func (all differences) run(ctx context.Context, l *ledger.Ledger, r RunName) error {
	moved := map[string]*Difference{} // by the new path
	for pass, moving := range []bool{true, false} {
		for c, err := range l.Changes(ctx, r.Number) {
			if err != nil {
				return err
			}
			isMove := c.From != ""
			switch {
			case moving && isMove:
				moved[c.Path] = all.leave(&c, r)
			case pass == 1 && isMove:
				all.step(moved[c.Path], &c, r)
				all[c.Path] = moved[c.Path]
			case pass == 1:
				all.change(&c, r)
			}
		}
	}
	return nil
}

// leave removes an object from the path that it had.
func (all differences) leave(c *run.Change, r RunName) *Difference {
	x := all[c.From]
	if x == nil {
		x = begin(c, r)
		x.From = object.PathText(c.From)
	}
	delete(all, c.From)
	return x
}

// change adds a change of an object that stayed at its path.
func (all differences) change(c *run.Change, r RunName) {
	x := all[c.Path]
	if x == nil {
		x = begin(c, r)
		all[c.Path] = x
	}
	all.step(x, c, r)
}

// begin returns an object that changes for the first time.
func begin(c *run.Change, r RunName) *Difference {
	return &Difference{First: r, Class: c.Class, Before: c.Before, Later: []Step{}}
}

func (differences) step(x *Difference, c *run.Change, r RunName) {
	x.After = c.After
	if x.First.Number != r.Number {
		x.Later = append(x.Later, Step{r.Number, c.Class})
	}
}

// same reports whether two states are equal.
func same(a, b *run.State) bool { return a == b || a != nil && b != nil && *a == *b }
