package tamper

import (
	"fmt"
	"slices"
	"strings"

	"github.com/svc-edge/svc-verify/harness/fleet"
)

// Script is one way to tamper with the evidence.
type Script struct {
	Name    string
	Summary string
	play    func(*hand) Damage
}

// with makes a script of a function that accepts one more value.
func with[T any](play func(*hand, T) Damage, value T) func(*hand) Damage {
	return func(h *hand) Damage { return play(h, value) }
}

// Actor returns the actor who can play the script, given its damage: among actors with keys,
// it is the holder of the log's key. It is "" for accidents and near misses.
func (s Script) Actor(d Damage) Actor {
	if strings.HasPrefix(s.Name, "near-") {
		return ""
	}
	for actor, scripts := range map[Actor][]Script{
		OneStore: storeScripts(),
		AtNode:   slices.Concat(logScripts(), ownerScripts()),
		AuditKey: slices.Concat(anchorScripts(), cloudScripts(), recordScripts(), headScripts(), bundleScripts()),
	} {
		switch {
		case !slices.ContainsFunc(scripts, func(other Script) bool { return other.Name == s.Name }):
		case actor == AuditKey && strings.HasPrefix(d.LogID, "node/"):
			return AtNode
		default:
			return actor
		}
	}
	return ""
}

// Damage names the changes of a script: events of a log, and a file of the evidence. First and
// Last are 0 if it concerns no event. Only the file is set if it concerns no log.
type Damage struct {
	LogID       string
	First, Last uint64
	File        string
}

// String returns the damage and its place.
func (d Damage) String() string {
	switch {
	case d.LogID == "":
		return d.File
	case d.First == d.Last:
		return fmt.Sprintf("event %d of %s in %s", d.First, d.LogID, d.File)
	}
	return fmt.Sprintf("events %d to %d of %s in %s", d.First, d.Last, d.LogID, d.File)
}

// Scripts returns all scripts.
func Scripts() []Script {
	return slices.Concat(allAccidents(), fileNears(), storeScripts(), logScripts(), ownerScripts(), anchorScripts(),
		cloudScripts(), recordScripts(), headScripts(), bundleScripts())
}

// Lookup returns the script of a name.
func Lookup(name string) (Script, bool) {
	all := Scripts()
	i := slices.IndexFunc(all, func(s Script) bool { return s.Name == name })
	if i < 0 {
		return Script{}, false
	}
	return all[i], true
}

// Apply plays the script on a copy of the evidence, and returns the damage. It fails on
// evidence that is too small for it.
func (s Script) Apply(e *fleet.Evidence) (*fleet.Evidence, Damage, error) {
	h := newHand(e)
	var d Damage
	if h.Err == nil {
		d = s.play(h)
	}
	if h.Err != nil {
		return nil, Damage{}, fmt.Errorf("tamper %s: %w", s.Name, h.Err)
	}
	return h.Evidence, d, nil
}
