package walk

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"iter"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/forensics/finding"
	"github.com/svc-edge/svc-verify/harness/seed"
	"github.com/svc-edge/svc-verify/harness/wire"
	"github.com/svc-edge/svc-verify/internal/event"
	"github.com/svc-edge/svc-verify/trust"
)

const tenant = "acme-corp"

var (
	tenantLog = Log{tenant, "tenant/" + tenant}
	berlin    = Log{tenant, "node/berlin"}
	oslo      = Log{tenant, "node/oslo"}
	noon      = time.Date(2026, time.March, 2, 12, 0, 0, 0, time.UTC)
)

// world is a tenant with two nodes that really signed everything.
type world struct {
	spines map[Log]*wire.Log
	keys   map[string]wire.Key // by key id
	root   *trust.Root
	stream *seed.Stream
	steps  int
	evidence
}

// evidence is what was collected: copies of events by log, and documents.
type evidence struct {
	copies map[Log][]copied
	docs   []wire.Object
	unread map[Log][]finding.Evidence
}

// copied is one copy of an event.
type copied struct {
	wire.Object
	lossy bool
}

func newWorld(t testing.TB, number uint64) *world {
	t.Helper()
	w := &world{spines: map[Log]*wire.Log{}, keys: map[string]wire.Key{}, stream: seed.New(number).Stream("world"),
		evidence: evidence{copies: map[Log][]copied{}}}
	for _, l := range []Log{tenantLog, berlin, oslo} {
		w.spines[l] = wire.NewLog(l.TenantID, l.LogID)
	}
	for _, id := range []string{"audit-1", "berlin", "oslo", "oslo/2", "signer-1", "stranger"} {
		w.keys[id] = wire.Key{ID: id, Private: w.stream.Ed25519()}
	}
	public := func(id string) string { return wire.Base64(w.keys[id].Public()) }
	root, err := trust.Parse(wire.Canonical(wire.Object{
		"audit_keys":            wire.Object{"audit-1": public("audit-1")},
		"nodes":                 wire.Object{"berlin": public("berlin"), "oslo": public("oslo"), "oslo/2": public("oslo/2")},
		"protected_signer_keys": wire.Object{"signer-1": public("signer-1")},
		"registries":            wire.Object{"1": wire.Base64(make([]byte, 32))},
	}))
	if err != nil {
		t.Fatal(err)
	}
	w.root = root
	return w
}

// key is the key that a log's events are signed with.
func (w *world) key(l Log) wire.Key {
	switch l {
	case tenantLog:
		return w.keys["audit-1"]
	case berlin:
		return w.keys["berlin"]
	}
	if w.spines[oslo].Sequence() > 20 {
		return w.keys["oslo/2"] // rotated on the way
	}
	return w.keys["oslo"]
}

// entry is the next entry of a log.
func (w *world) entry(kind string, data wire.Object) wire.Entry {
	w.steps++
	return wire.Entry{Type: kind, OccurredAt: noon.Add(time.Duration(w.steps) * time.Second), Salt: w.stream.Salt(), Data: data}
}

// append appends an event to a log and to the evidence.
func (w *world) append(l Log, kind string, data wire.Object) {
	w.copies[l] = append(w.copies[l], copied{Object: w.spines[l].Append(w.entry(kind, data), w.key(l))})
}

// fill appends n usual events.
func (w *world) fill(l Log, n int) {
	for range n {
		w.append(l, "policy.synced", wire.Object{"n": int64(w.steps)})
	}
}

// report reports the head of a journal in the tenant log.
func (w *world) report(l Log) {
	w.append(tenantLog, "node.reported", reportOf(w.copies[l][len(w.copies[l])-1].Object, l.LogID[len("node/"):]))
}

// reportOf is the data of a report of an event.
func reportOf(head wire.Object, node string) wire.Object {
	return wire.Object{"node_id": node, "audit_sequence": wire.Integer(wire.Member(head, "body"), "sequence"), "audit_head": head["hash"],
		"previous_hash": head["previous_hash"], "skip_hash": head["skip_hash"],
		"body_sha256": wire.Digest(wire.Member(head, "body")), "key_id": head["key_id"], "signature": head["signature"]}
}

// checkpoint signs a checkpoint of the tenant log's head.
func (w *world) checkpoint() {
	w.docs = append(w.docs, w.checkpointOf(w.spines[tenantLog].Sequence(), w.spines[tenantLog].Head(), w.keys["audit-1"]))
}

func (w *world) checkpointOf(sequence uint64, head wire.Hash, key wire.Key) wire.Object {
	w.steps++
	return wire.Seal(wire.Object{"protocol": "svc.audit-checkpoint.v1", "tenant_id": tenant, "log_id": tenantLog.LogID, "sequence": int64(sequence),
		"head_hash": head.String(), "required_witnesses": int64(1), "created_at": wire.Time(noon.Add(time.Duration(w.steps) * time.Second))}, key)
}

// cursor signs an export cursor at the head of a journal.
func (w *world) cursor(l Log) {
	w.docs = append(w.docs, w.cursorOf(l, w.spines[l].Sequence(), w.spines[l].Head(), w.key(l)))
}

func (w *world) cursorOf(l Log, sequence uint64, head wire.Hash, key wire.Key) wire.Object {
	return wire.Seal(wire.Object{"protocol": "svc.export-cursor.v1", "tenant_id": tenant, "node_id": l.LogID[len("node/"):], "exporter_id": "archive",
		"sequence": int64(sequence), "event_hash": head.String(), "batch_id": wire.SHA256(nil), "committed_at": wire.Time(noon)}, key)
}

// history is a world with so many rounds of events, reports and checkpoints.
func history(t testing.TB, number uint64, rounds int) *world {
	w := newWorld(t, number)
	for range rounds {
		w.fill(tenantLog, 1+w.stream.Below(4))
		w.fill(berlin, 1+w.stream.Below(4))
		w.fill(oslo, 1+w.stream.Below(4))
		switch w.stream.Below(4) {
		case 0:
			w.report(berlin)
		case 1:
			w.report(oslo)
		case 2:
			w.checkpoint()
		case 3:
			w.cursor(berlin)
		}
	}
	w.report(berlin)
	w.report(oslo)
	w.checkpoint()
	return w
}

// clone copies the evidence, so that it can be damaged alone.
func (e evidence) clone() evidence {
	c := evidence{copies: map[Log][]copied{}, docs: slices.Clone(e.docs), unread: maps.Clone(e.unread)}
	for l, list := range e.copies {
		c.copies[l] = slices.Clone(list)
	}
	return c
}

// memory is evidence as a source.
type memory struct {
	rows   map[Log][]row
	docs   []Document
	unread map[Log][]finding.Evidence
	err    error  // of every Events, after the first row
	yields func() // called before every row
}

type row struct {
	Event
	bytes  []byte
	places []finding.Evidence
}

// source puts the copies into the log that they name themselves.
func (e evidence) source() *memory {
	m := &memory{rows: map[Log][]row{}, unread: e.unread}
	for _, l := range slices.SortedFunc(maps.Keys(e.copies), compareLogs) {
		for i, c := range e.copies[l] {
			r := rowOf(c)
			body := wire.Member(c.Object, "body")
			r.places = []finding.Evidence{{Source: l.LogID + ".jsonl", Offset: int64(i), Length: int64(len(r.bytes))}}
			own := Log{wire.Text(body, "tenant_id"), wire.Text(body, "log_id")}
			m.insert(own, r)
		}
	}
	for i, d := range e.docs {
		m.docs = append(m.docs, Document{wire.Canonical(d), finding.Evidence{Source: "documents", Offset: int64(i)}})
	}
	return m
}

func rowOf(c copied) row {
	b := wire.Canonical(c.Object)
	var l event.Line
	if !event.Scan(b, &l) {
		panic("not an event: " + string(b))
	}
	return row{bytes: b, Event: Event{Event: chain.Event{Link: l.Link, Recorded: l.Recorded}, KeyID: string(l.KeyID), Signature: l.Signature,
		Type: string(l.Type), OccurredAt: l.OccurredAt, Faithful: !c.lossy, Digest: sha256.Sum256(b)}}
}

func compareRows(a, b row) int {
	return cmp.Or(cmp.Compare(a.Sequence, b.Sequence), bytes.Compare(a.Digest[:], b.Digest[:]))
}

// insert puts a copy where it belongs; the same bytes again are one more place.
func (m *memory) insert(l Log, r row) {
	i, found := slices.BinarySearchFunc(m.rows[l], r, compareRows)
	if found {
		m.rows[l][i].places = append(m.rows[l][i].places, r.places...)
		return
	}
	m.rows[l] = slices.Insert(m.rows[l], i, r)
}

func (m *memory) Logs(context.Context) ([]Log, error) { return slices.Collect(maps.Keys(m.rows)), nil }

func (m *memory) Events(ctx context.Context, l Log, after uint64) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		for i, r := range m.rows[l] {
			if m.yields != nil {
				m.yields()
			}
			if err := cmp.Or(ctx.Err(), m.err); err != nil && i > 0 {
				yield(Event{}, err)
				return
			}
			if r.Sequence > after && !yield(r.Event, nil) {
				return
			}
		}
	}
}

func (m *memory) find(l Log, e Event) *row {
	i, ok := slices.BinarySearchFunc(m.rows[l], row{Event: e}, compareRows)
	if !ok {
		panic(fmt.Sprintf("asked for event %d, %s, which was never yielded", e.Sequence, e.Digest))
	}
	return &m.rows[l][i]
}

func (m *memory) Bytes(_ context.Context, l Log, e Event) ([]byte, error) {
	return m.find(l, e).bytes, nil
}

func (m *memory) Places(_ context.Context, l Log, e Event) ([]finding.Evidence, error) {
	return m.find(l, e).places, nil
}

// Unread takes the length of a span for the sequence after which it stands.
func (m *memory) Unread(_ context.Context, l Log, before, after Event) ([]finding.Evidence, error) {
	var spans []finding.Evidence
	for _, s := range m.unread[l] {
		if uint64(s.Length) >= before.Sequence && uint64(s.Length) < after.Sequence {
			spans = append(spans, s)
		}
	}
	return spans, nil
}

func (m *memory) Documents(context.Context) iter.Seq2[Document, error] {
	return func(yield func(Document, error) bool) {
		for _, d := range m.docs {
			if !yield(d, nil) {
				return
			}
		}
	}
}

func (m *memory) Inventory(context.Context) (Inventory, error) { return Inventory{}, nil }

// walkWith walks with so many workers and stretches of so many events.
func walkWith(t testing.TB, source Source, root *trust.Root, workers, stretch int) (*Result, *State) {
	t.Helper()
	w := newWalker(source, root, Options{Workers: workers})
	w.stretch = stretch
	if err := w.run(context.Background()); err != nil {
		t.Fatal(err)
	}
	return w.result(Inventory{}), &w.state
}

// said is the findings of a result as short words: log, code and range.
func said(findings []finding.Finding) []string {
	var all []string
	for _, f := range findings {
		if f.Code != finding.TailUnanchored {
			all = append(all, word(f.LogID, f.Code, f.Sequence, f.LastSequence))
		}
	}
	slices.Sort(all)
	return slices.Compact(all) // two copies of one event can have the same defect
}

func word(log string, code finding.Code, first, last uint64) string {
	return fmt.Sprintf("%s %s %d-%d", log, code, first, last)
}
