package incident

import (
	"maps"
	"slices"
	"sort"
	"strings"

	"github.com/svc-edge/svc-verify/forensics/crosscheck"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/internal/form"
)

// findSides finds where the sides of an incident are: the branches of a fork, the states of
// stores at its first event, or else the sources of its findings.
func (x *finder) findSides(one *Incident) {
	if one.Kind == Fork && len(one.Ranges) > 0 {
		one.Sides = x.branchSides(one.Ranges[0])
	}
	if len(one.Sides) == 0 && len(one.Ranges) > 0 {
		one.Sides = x.storeSides(one.Ranges[0])
	}
	if len(one.Sides) == 0 {
		if places := x.sourcesOf(one); len(places) > 0 {
			one.Sides = []Side{{Places: places}}
		}
	}
}

// branchSides returns the two branches of the first fork in a range.
func (x *finder) branchSides(r Range) []Side {
	for _, f := range x.logs[r.Log()].Forks {
		if f.Sequence < r.First || f.Sequence > r.Last {
			continue
		}
		var sides []Side
		for i, b := range f.Branches {
			side := Side{Label: string(rune('A' + i)), Events: b.Events, NamedBy: b.NamedBy, Places: b.Stores}
			if len(b.Files) > 0 && slices.ContainsFunc(b.Stores, isPattern) {
				side.Places = b.Files
			}
			if side.Places == nil {
				side.Places = []string{}
			}
			sides = append(sides, side)
		}
		return sides
	}
	return []Side{}
}

// isPattern reports whether the name of a store is a pattern of several files.
func isPattern(store string) bool { return strings.Contains(store, "*") }

// storeSides returns which stores are in which state at the first event of a range, unless all
// that keep the log are in the same.
func (x *finder) storeSides(r Range) []Side {
	log, known := x.presence[r.Log()]
	if !known {
		return []Side{}
	}
	keeps := make([]bool, len(x.Compared.Stores))
	var at []crosscheck.State
	for _, s := range log.Stretches {
		for i, state := range s.Stores {
			keeps[i] = keeps[i] || state != crosscheck.Absent
		}
		if s.First <= r.First && r.First <= s.Last {
			at = s.Stores
		}
	}
	places := map[crosscheck.State][]string{}
	for i, state := range at {
		if keeps[i] {
			places[state] = append(places[state], x.Compared.Stores[i].Name)
		}
	}
	if len(places) < 2 {
		return []Side{}
	}
	var sides []Side
	for _, state := range []crosscheck.State{crosscheck.Altered, crosscheck.Differs, crosscheck.Absent, crosscheck.Lossy,
		crosscheck.Present} {
		if len(places[state]) > 0 {
			slices.Sort(places[state])
			sides = append(sides, Side{State: state, Places: places[state]})
		}
	}
	return sides
}

// sourcesOf returns the sources in which the findings of an incident are.
func (x *finder) sourcesOf(one *Incident) []string {
	set := map[string]bool{}
	if one.Store != "" {
		set[one.Store] = true
	}
	for _, i := range one.Findings {
		for _, e := range x.Findings[i].Evidence {
			if e.Source != "" {
				set[e.Source] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(set))
}

// findWitness names the last event before an incident that others vouch for.
func (x *finder) findWitness(one *Incident) {
	if len(one.Ranges) == 0 {
		return
	}
	r := one.Ranges[0]
	all := x.Saw.Logs[r.Log()].Witnesses
	n := sort.Search(len(all), func(i int) bool { return all[i].Sequence >= r.First })
	if n > 0 {
		w := all[n-1]
		one.When.After = &Bound{Sequence: w.Sequence, At: form.FormatMillis(w.At), By: w.By}
	}
	if w := x.words[r.Log()]; w.Sequence > 0 && w.Sequence < r.First &&
		(one.When.After == nil || w.Sequence > one.When.After.Sequence) {
		one.When.After = &Bound{Sequence: w.Sequence, At: w.At, By: facts.JournalWitness}
	}
}
