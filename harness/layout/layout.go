// Package layout lays out the evidence of a fleet as people keep it: one
// collector or several, partitions, a folder a day, rotated files, retries,
// records of other services, copies of different ages, archives. No layout
// tampers with anything.
//
// A layout has one choice of each axis. Together the layouts have every pair of
// choices, so that combinations of two habits are tried as well.
package layout

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/svc-edge/svc-verify/harness"
	"github.com/svc-edge/svc-verify/harness/chance"
	"github.com/svc-edge/svc-verify/harness/fleet"
	"github.com/svc-edge/svc-verify/harness/seal"
)

// Layout is evidence in one layout. It has the trust file of the evidence that it was made
// from.
type Layout struct {
	Name  string
	Files map[string]fleet.File

	// Lacking are the nodes with an anchored event that is nowhere, as the logs were
	// copied before the anchors or while they were written. Such evidence really
	// is incomplete.
	Lacking []string

	// HalfWritten reports whether some file ends within a record.
	HalfWritten bool
}

// longest is how many events a batch has at most: few, so that there are batches
// for many files.
const longest = 3

// All returns all layouts of the evidence. The same evidence gives the same
// layouts.
func All(e *fleet.Evidence) ([]Layout, error) {
	batches := fleet.Export(e.Scene, longest)
	var all []Layout
	for i, p := range pairwisePlans() {
		l := &laying{plan: p, scene: e.Scene, chance: chance.New(uint64(i)).Stream("layout"),
			files: map[string]fleet.File{}, held: map[place]bool{}}
		l.setTimes(batches)
		for _, b := range batches {
			l.batches = append(l.batches, &b)
		}
		l.layOut()
		if l.err != nil {
			return nil, fmt.Errorf("layout %s: %w", p, l.err)
		}
		all = append(all, Layout{Name: p.String(), Files: l.files, Lacking: l.lackingNodes(), HalfWritten: l.half})
	}
	return all, nil
}

// place is where an event is in the journals.
type place struct {
	node     string
	sequence uint64
}

// laying is one layout while it is laid.
type laying struct {
	plan    plan
	scene   *harness.Scene
	chance  *chance.Stream
	batches []*fleet.Batch // of all nodes, in the order in which they were sent
	files   map[string]fleet.File

	middle, end   time.Time // of the scene
	logs, anchors time.Time // when they were copied
	held          map[place]bool
	half          bool
	err           error
}

// setTimes sets when the logs and the anchors were copied.
func (l *laying) setTimes(batches []fleet.Batch) {
	l.middle = batches[len(batches)*2/3].Sent
	l.end = batches[len(batches)-1].Sent.Add(time.Hour)
	l.logs, l.anchors = l.end, l.end
	switch l.plan[order] {
	case anchorsFirst:
		l.anchors = l.middle
	case logsFirst:
		l.logs = l.middle
	}
}

func (l *laying) layOut() {
	l.layAnchors()
	if l.plan[journals] != noJournals {
		l.layJournals("journals", l.logs)
	}
	switch l.plan[journals] {
	case olderJournals:
		l.layJournals("journals-before", l.middle.Add(-20*time.Minute))
	case halfJournals:
		l.halveLines()
	}
	l.layCollected("collected", l.sentBatches(l.logs))
	l.laySecond()
	l.packCollected()
}

// layAnchors lays the tenant log, the checkpoints, the cursors and the bundles.
func (l *laying) layAnchors() {
	l.putFile(fleet.TenantLog, seal.Lines(l.documentsUntil(l.scene.Tenant, l.anchors, "body", "occurred_at")))
	l.putFile(fleet.Checkpoints, seal.Lines(l.documentsUntil(l.scene.Checkpoints, l.anchors, "statement", "created_at")))
	cursors := map[string][]seal.Object{}
	for _, b := range l.batches {
		cursors[b.Node] = append(cursors[b.Node], b.Cursor)
	}
	for node, all := range cursors {
		l.putFile(fleet.Cursors(node), seal.Lines(l.documentsUntil(all, l.anchors, "statement", "committed_at")))
	}
	for _, x := range l.scene.Exports {
		checkpoint := seal.Member(x.Bundle, "checkpoint")
		if len(l.documentsUntil([]seal.Object{checkpoint}, l.anchors, "statement", "created_at")) > 0 {
			l.putFile(fleet.Bundle(x.TransactionID), seal.Line(x.Bundle))
		}
	}
}

// documentsUntil returns the documents that were made by a time.
func (l *laying) documentsUntil(all []seal.Object, at time.Time, part, member string) []seal.Object {
	var kept []seal.Object
	for _, o := range all {
		made, err := seal.ParseTime(seal.Text(seal.Member(o, part), member))
		l.err = cmp.Or(l.err, err)
		if !made.After(at) {
			kept = append(kept, o)
		}
	}
	return kept
}

func (l *laying) putFile(name string, content []byte) {
	if len(content) > 0 {
		l.files[name] = fleet.Bytes(content)
	}
}

// layJournals lays copies of the journals as they were at a time.
func (l *laying) layJournals(folder string, at time.Time) {
	for node, events := range l.scene.Journals {
		kept := l.documentsUntil(events, at, "body", "occurred_at")
		l.putFile(folder+"/"+node+".ndjson", seal.Lines(kept))
		for n := range kept {
			l.held[place{node, uint64(n + 1)}] = true
		}
	}
}

// halveLines removes the second half of the last line of every journal.
func (l *laying) halveLines() {
	l.half = true
	for node := range l.scene.Journals {
		content := l.contentOf(fleet.Journal(node))
		line := content[strings.LastIndexByte(strings.TrimSuffix(string(content), "\n"), '\n')+1:]
		l.putFile(fleet.Journal(node), content[:len(content)-len(line)/2])
		delete(l.held, place{node, uint64(strings.Count(string(content), "\n"))})
	}
}

func (l *laying) contentOf(name string) []byte {
	content, err := l.files[name].Bytes()
	l.err = cmp.Or(l.err, err)
	return content
}

// sentBatches are the batches that were sent by a time.
func (l *laying) sentBatches(at time.Time) []*fleet.Batch {
	return slices.DeleteFunc(slices.Clone(l.batches), func(b *fleet.Batch) bool { return b.Sent.After(at) })
}

// holdBatch notes that the events of a batch are in some file.
func (l *laying) holdBatch(batches []*fleet.Batch) {
	for _, b := range batches {
		for n := b.First; b.ID != "" && n <= b.Last; n++ {
			l.held[place{b.Node, n}] = true
		}
	}
}

// lackingNodes are the nodes with an event that is nowhere although a cursor or report
// names or that is before such a one.
func (l *laying) lackingNodes() []string {
	named := map[string]uint64{}
	name := func(node string, sequence int64) { named[node] = max(named[node], uint64(sequence)) }
	for _, b := range l.batches {
		if len(l.documentsUntil([]seal.Object{b.Cursor}, l.anchors, "statement", "committed_at")) > 0 {
			name(b.Node, int64(b.Last))
		}
	}
	for _, event := range l.documentsUntil(l.scene.Tenant, l.anchors, "body", "occurred_at") {
		body := seal.Member(event, "body")
		if data := seal.Member(body, "data"); seal.Text(body, "type") == "node.reported" {
			name(seal.Text(data, "node_id"), seal.Integer(data, "audit_sequence"))
		}
	}
	for node, last := range named {
		for n := uint64(1); n <= last && named[node] > 0; n++ {
			if !l.held[place{node, n}] {
				named[node] = 0
			}
		}
	}
	maps.DeleteFunc(named, func(_ string, last uint64) bool { return last > 0 })
	return slices.Sorted(maps.Keys(named))
}
