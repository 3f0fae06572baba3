package tamper

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"github.com/svc-edge/svc-verify/harness/fleet"
)

// Script is one way to tamper with the evidence.
type Script struct {
	Name    string
	Summary string
	group   string
	play    play
}

// play makes the change of a script.
type play func(*hand) Damage

// groups are the groups of scripts.txt, with what plays each script.
var groups = map[string]map[string]play{
	"accidents": accidentsPlays, "files": filesPlays, "stores": storesPlays, "logs": logsPlays, "owners": ownersPlays,
	"anchors": anchorsPlays, "cloud": cloudPlays, "records": recordsPlays, "heads": headsPlays, "bundles": bundlesPlays,
}

// actors are the actors who can play the scripts of a group.
var actors = map[string]Actor{
	"stores": OneStore, "logs": AtNode, "owners": AtNode, "anchors": AuditKey, "cloud": AuditKey, "records": AuditKey,
	"heads": AuditKey, "bundles": AuditKey,
}

//go:embed scripts.txt
var text string

// scripts are all scripts in the order of scripts.txt, summaries its lines by group and name.
var scripts, summaries = readScripts(text)

func readScripts(text string) (all []Script, lines map[string]map[string]string) {
	lines, group := map[string]map[string]string{}, ""
	for line := range strings.Lines(text) {
		name, summary, found := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
		switch {
		case line[0] == '[':
			group = strings.Trim(name, "[]")
			lines[group] = map[string]string{}
		case found && group != "":
			lines[group][name] = summary
			if plays := groups[group]; plays != nil {
				all = append(all, Script{name, summary, group, plays[name]})
			}
		}
	}
	return all, lines
}

// with makes a script of a function that accepts one more value.
func with[T any](play func(*hand, T) Damage, value T) func(*hand) Damage {
	return func(h *hand) Damage { return play(h, value) }
}

// Actor returns the actor who can play the script, given its damage: among actors with keys,
// it is the holder of the log's key. It is "" for accidents and near misses.
func (s Script) Actor(d Damage) Actor {
	actor := actors[s.group]
	switch {
	case strings.HasPrefix(s.Name, "near-"):
		return ""
	case actor == AuditKey && strings.HasPrefix(d.LogID, "node/"):
		return AtNode
	}
	return actor
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
func Scripts() []Script { return slices.Clone(scripts) }

// Lookup returns the script of a name.
func Lookup(name string) (Script, bool) {
	for _, s := range scripts {
		if s.Name == name {
			return s, true
		}
	}
	return Script{}, false
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
