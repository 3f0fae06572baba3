package tamper

import (
	"cmp"
	"slices"

	"github.com/svc-edge/svc-verify/harness/chance"
	"github.com/svc-edge/svc-verify/harness/fleet"
)

// Actor is a person who manipulates evidence, and so determines which evidence is in reach.
type Actor string

// The actors.
const (
	OneStore  Actor = "insider at one store"
	AllStores Actor = "insider at all stores"
	AtNode    Actor = "insider at the node"
	NodeThief Actor = "thief of a node key"
	Outsider  Actor = "attacker without any key"
	AuditKey  Actor = "holder of the audit key"
)

// Blame is the culprit that an answer must name.
type Blame string

// The blames.
const (
	TheLog    Blame = "log"
	TheSource Blame = "source" // the genuine events are elsewhere, and the log is none the worse
	Nothing   Blame = "nothing"
)

// Manipulation is something that an actor does to the evidence, and the evidence that an
// investigator is then given. Blame is Nothing if the manipulation neither changes nor loses a
// statement, an event or a link of the given evidence.
type Manipulation struct {
	Name  string
	Actor Actor
	What  string
	Given []string // paths of the evidence
	Blame Blame
	play  func(*hand) Damage
}

// Apply makes the manipulation on a copy of the evidence, and returns the damage. The damage
// is about the log and the events that an answer must name, and the file that was touched, or
// of several the first one.
func (m Manipulation) Apply(e *fleet.Evidence) (*fleet.Evidence, Damage, error) {
	return Script{Name: m.Name, play: m.play}.Apply(e)
}

// Manipulations returns manipulations of the evidence that follow from a seed:
// everything that each actor can do, in places that are drawn.
func Manipulations(number uint64) []Manipulation {
	source := chance.New(number)
	var all []Manipulation
	for _, r := range reaches {
		for _, a := range r.actsWithin() {
			blame := r.blame
			switch {
			case a.harmless, a.edge && len(r.stores) == 1: // retention does the same
				blame = Nothing
			case a.invents:
				blame = TheLog
			}
			name := string(r.actor) + ": " + a.name
			play := func(h *hand) Damage { return h.actWithin(r, a, source.Stream(name)) }
			all = append(all, Manipulation{name, r.actor, summaries["acts"][a.name], r.given, blame, play})
		}
	}
	return all
}

// reach describes where an actor can write, and the evidence that an investigator is given.
type reach struct {
	actor   Actor
	blame   Blame
	journal bool    // can write to the journal
	stores  []store // can write to these
	added   string  // writes into a file of its own instead
	signs   bool    // does nothing but sign
	given   []string
	more    []act // acts of this actor alone
}

// actsWithin returns the acts of the actor. In a separate file, an actor does not omit events
// and does not write them again.
func (r reach) actsWithin() []act {
	if r.signs {
		return r.more
	}
	return slices.DeleteFunc(slices.Concat(keyless, r.more), func(a act) bool { return a.inPlace && r.added != "" })
}

// store is the dump of a store, and its format.
type store struct{ file, format string }

// The stores that are tampered with: two that keep bodies as text, and one that
// keeps them as structures.
var (
	loki    = store{fleet.Store("loki/query.jsonl"), "loki-jsonl"}
	otel    = store{fleet.Store("elasticsearch/otel.jsonl"), "elastic-otel"}
	bodymap = store{fleet.Store("elasticsearch/bodymap.jsonl"), "elastic-bodymap"}
)

// The evidence that an investigator is given, and the file of actors who have nothing to write
// to.
var (
	anchors  = []string{fleet.TenantLog, fleet.Checkpoints, "cursors", "bundles"}
	journals = append(slices.Clone(anchors), "journals")
	received = "received/records.ndjson"
)

// Collected returns the paths given to an investigator who collects logs, anchors and the dump
// of a store, and other paths.
func Collected(more ...string) []string {
	return slices.Concat(journals, []string{loki.file}, more)
}

// Given returns the paths given to an investigator after a script: logs, anchors, the dump of
// a store, the file that was touched, and every file that was not there before.
func Given(before, after *fleet.Evidence, d Damage) []string {
	paths := Collected(d.File)
	for _, name := range after.Names() {
		if _, ok := before.Files[name]; !ok {
			paths = append(paths, name)
		}
	}
	return paths
}

var reaches = []reach{
	{actor: OneStore, blame: TheSource, stores: []store{loki}, given: Collected(), more: atStores},
	{actor: AllStores, blame: TheLog, stores: []store{loki, otel}, more: atStores,
		given: append(slices.Clone(anchors), loki.file, otel.file)},
	{actor: AtNode, blame: TheLog, journal: true, given: journals, more: ownKey},
	{actor: NodeThief, blame: TheLog, added: received, signs: true, more: stolenKey,
		given: append(slices.Clone(journals), received)},
	{actor: Outsider, blame: TheSource, added: received, given: append(slices.Clone(journals), received)},
}

// act is something that can be done to the events of a node where they are kept. play returns
// the events after the act, and the first and the last one that must be named; do is for acts
// that need more than that.
type act struct {
	name     string
	harmless bool   // it changes nothing
	invents  bool   // it makes events without genuine counterparts
	inPlace  bool   // it needs the existing events
	edge     bool   // it is done to the ends
	as       string // the log that it is about then, if another one
	play     playing
	do       func(h *hand, r reach, d draw) Damage
}

// playing does something to the events of a node.
type playing func(h *hand, d draw, all []entry) (changed []entry, first, last uint64)

// draw is where something is done: on which node, from which event on, to how
// many.
type draw struct {
	node       string
	at, n      uint64
	last       uint64
	head, tail uint64 // how many events at the beginning and at the end
}

// entry is an event where it is kept.
type entry struct {
	batch    int // of the store's batches; 0 in a journal
	sequence uint64
	line     []byte
}

// actWithin does something within the reach of an actor.
func (h *hand) actWithin(r reach, a act, chance *chance.Stream) Damage {
	nodes := h.nodes()
	d := draw{node: nodes[chance.Below(len(nodes))]}
	d.last = uint64(len(h.Scene.Journals[d.node]))
	d.n = 1 + uint64(chance.Below(3))
	d.at = 3 + uint64(chance.Below(int(d.last)-8)) // with some events before and behind
	d.head, d.tail = d.n, d.n
	h.node, h.middle = d.node, d.at
	if len(r.stores) == 1 { // in whole batches
		d.head, d.tail = h.outermostSizes()
	}
	if a.do != nil {
		return a.do(h, r, d)
	}
	changed, first, last := a.play(h, d, h.journalEntries())
	done := Damage{LogID: cmp.Or(a.as, "node/"+d.node), First: first, Last: last}
	switch {
	case r.added != "":
		done.File = r.added
		h.addRecords(r.added, changed)
	case r.journal:
		done.File = fleet.Journal(d.node)
		h.Put(done.File, linesOf(changed))
	default:
		done.File = r.stores[0].file
		for _, s := range r.stores {
			h.playInStore(s, d, a.play)
		}
	}
	return done
}

// inJournal makes a script that plays in the journal: on n events in its middle, or on n at
// one of its ends.
func inJournal(n uint64, play playing) func(*hand) Damage {
	return func(h *hand) Damage {
		changed, first, last := play(h, h.placeOf(n), h.journalEntries())
		h.Put(fleet.Journal(h.node), linesOf(changed))
		return h.damageOf(first, last)
	}
}

// inStore makes a script that plays on the event in the middle, in a store.
func inStore(s store, play playing) func(*hand) Damage {
	return func(h *hand) Damage {
		h.playInStore(s, h.placeOf(1), play)
		return h.inStore(s.file, h.middle, h.middle)
	}
}

// placeOf is the place of a script, which is not drawn.
func (h *hand) placeOf(n uint64) draw {
	return draw{node: h.node, at: h.middle, n: n, last: h.lastSequence(), head: n, tail: n}
}

func linesOf(all []entry) []byte {
	var b []byte
	for _, e := range all {
		b = append(append(b, e.line...), '\n')
	}
	return b
}

// addRecords writes the changed records, and nothing else, into a separate file.
func (h *hand) addRecords(name string, changed []entry) {
	genuine := map[string]bool{}
	for _, e := range h.journalEntries() {
		genuine[string(e.line)] = true
	}
	only := slices.DeleteFunc(slices.Clone(changed), func(e entry) bool { return genuine[string(e.line)] })
	h.Put(name, linesOf(only))
}

// playInStore changes the events of the node in a store.
func (h *hand) playInStore(s store, d draw, play playing) {
	all, _ := h.copyBatches()
	var held []entry
	for i, b := range all {
		if b.Node != h.node {
			continue
		}
		for k, body := range b.Bodies {
			held = append(held, entry{i, b.First + uint64(k), slices.Clone(body)})
		}
		b.Bodies = nil
	}
	changed, _, _ := play(h, d, held)
	for _, e := range changed {
		all[e.batch].Bodies = append(all[e.batch].Bodies, e.line)
	}
	all = slices.DeleteFunc(all, func(b *fleet.Batch) bool { return len(b.Bodies) == 0 })
	h.Files[s.file] = fleet.Dump(s.format, all...)
}
