package archive

import (
	"testing"

	"github.com/svc-edge/svc-verify/archive/object"
	"github.com/svc-edge/svc-verify/harness/chance"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/outcome"
)

// TestVerdict tries all combinations of reasons: the verdict is the worst of the verdicts that
// each of them gives a run by itself. With -short there is one combination of 37.
func TestVerdict(t *testing.T) {
	fine := became{class: Intact, kind: object.Bundle, verdict: outcome.Verified, read: true}
	reasons := []struct {
		name string
		add  func(*Counts, *State)
		want outcome.Class
	}{
		{"gone", func(_ *Counts, s *State) { s.Gone = true }, outcome.Rejected},
		{"edited", func(_ *Counts, s *State) { s.Edited = true }, outcome.Rejected},
		{"unexpected", func(_ *Counts, s *State) { s.Unexpected = true }, outcome.Inconclusive},
		{"missing", func(c *Counts, _ *State) { c.add(became{class: Missing}) }, outcome.Rejected},
		{"altered", func(c *Counts, _ *State) { c.add(became{class: Altered, read: true}) }, outcome.Rejected},
		{"rejected", func(c *Counts, _ *State) { c.add(became{class: Intact, verdict: outcome.Rejected}) }, outcome.Rejected},
		{"lost", func(c *Counts, _ *State) { c.add(became{class: VerdictChanged, lost: true}) }, outcome.Rejected},
		{"about something else", func(c *Counts, _ *State) { c.add(became{class: Replaced, unlike: true}) },
			outcome.Rejected},
		{"unreadable", func(c *Counts, _ *State) { c.add(became{class: Unreadable}) }, outcome.Unreadable},
		{"stale", func(c *Counts, _ *State) { c.add(became{class: Stale}) }, outcome.Inconclusive},
		{"inconclusive", func(c *Counts, _ *State) { c.add(became{class: Intact, verdict: outcome.Inconclusive}) },
			outcome.Inconclusive},
		{"other context", func(c *Counts, _ *State) { c.add(became{class: Unread, oldContext: true}) }, outcome.Inconclusive},
		{"foreign", func(_ *Counts, s *State) { s.Foreign = true }, outcome.Inconclusive},
		{"stopped", func(_ *Counts, s *State) { s.Stopped = true }, outcome.Inconclusive},
		{"accepted", func(c *Counts, _ *State) {
			c.add(became{class: Intact, verdict: outcome.Rejected, accepted: true})
		}, outcome.Verified},
		{"moved, grown, added, replaced", func(c *Counts, _ *State) {
			for _, class := range []Class{Moved, Grown, Added, Replaced, Unread, VerdictChanged} {
				c.add(became{class: class, verdict: outcome.Verified})
			}
		}, outcome.Verified},
		{"no evidence", func(c *Counts, _ *State) { c.add(became{class: Intact, kind: object.Other}) }, outcome.Verified},
	}
	step := chance.Sized(1, 37)
	for set := 0; set < 1<<len(reasons); set += step {
		c, s, want := newCounts(), State{}, []outcome.Class{}
		c.add(fine)
		for i, r := range reasons {
			if set>>i&1 == 1 {
				r.add(&c, &s)
				want = append(want, r.want)
			}
		}
		must.Equal(t, c.Verdict(s), outcome.Worst(want...), "%017b", set)
	}
}

// TestNothingRead: a run that read nothing is no success.
func TestNothingRead(t *testing.T) {
	c := newCounts()
	if got := c.Verdict(State{}); got != outcome.Inconclusive {
		t.Errorf("an empty run is %s", got)
	}
	c.add(became{class: Unread, verdict: outcome.Verified})
	if got := c.Verdict(State{}); got != outcome.Inconclusive {
		t.Errorf("a run that read nothing is %s", got)
	}
	c = newCounts()
	c.add(became{class: Intact, kind: object.Other, read: true})
	if got := c.Verdict(State{}); got != outcome.Inconclusive {
		t.Errorf("a run that read no evidence is %s", got)
	}
}
