package walktest

import (
	"strconv"
	"time"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/harness/chance"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/trust"
)

// Tenant is whose logs they are.
const Tenant = "acme-corp"

// The logs of a world.
var (
	TenantLog = facts.Log{TenantID: Tenant, LogID: "tenant/" + Tenant}
	Berlin    = facts.Log{TenantID: Tenant, LogID: "node/berlin"}
	Oslo      = facts.Log{TenantID: Tenant, LogID: "node/oslo"}
)

// noon is when a world begins.
var noon = time.Date(2026, time.March, 2, 12, 0, 0, 0, time.UTC)

// World is a tenant with two nodes that really signed everything, and the evidence collected
// of it. Steps is how many seconds it is old.
type World struct {
	Spines map[facts.Log]*seal.Log
	Keys   map[string]seal.Key // by key id
	Root   *trust.Root
	Steps  int
	stream *chance.Stream
	Evidence
}

// Evidence is the collected evidence: copies of events, by the log that they were put with,
// documents, and spans that could not be read. The length of a span is the sequence after
// which it comes. Places has the places of copies, by their canonical text; a copy that is not
// in it is once in the file of its log.
type Evidence struct {
	Copies map[facts.Log][]Copy
	Docs   []seal.Object
	Unread map[facts.Log][]finding.Evidence
	Places map[string][]finding.Evidence
}

// Copy is one copy of an event. Lossy means that a transport did not keep all of it, as far as
// anyone can tell, and Apart that one took it apart.
type Copy struct {
	seal.Object
	Lossy bool
	Apart bool
}

// NewWorld returns a world without events. Worlds of one number have the same
// keys and salts.
func NewWorld(number uint64) *World {
	seal.MakeInBulk()
	w := &World{Spines: map[facts.Log]*seal.Log{}, Keys: map[string]seal.Key{}, stream: chance.New(number).Stream("world"),
		Evidence: Evidence{Copies: map[facts.Log][]Copy{}}}
	for _, l := range []facts.Log{TenantLog, Berlin, Oslo} {
		w.Spines[l] = seal.NewLog(l.TenantID, l.LogID)
	}
	for _, id := range []string{"audit-1", "berlin", "oslo", "oslo/2", "signer-1", "stranger"} {
		w.Keys[id] = seal.Key{ID: id, Private: w.stream.Ed25519()}
	}
	public := func(id string) string { return seal.Base64(w.Keys[id].Public()) }
	root, err := trust.Parse(seal.Canonical(seal.Object{
		"audit_keys":            seal.Object{"audit-1": public("audit-1")},
		"nodes":                 seal.Object{"berlin": public("berlin"), "oslo": public("oslo"), "oslo/2": public("oslo/2")},
		"protected_signer_keys": seal.Object{"signer-1": public("signer-1")},
		"registries":            seal.Object{"1": seal.Base64(make([]byte, 32))},
	}))
	if err != nil {
		panic(err) // the trust file is ours
	}
	w.Root = root
	return w
}

// Key is the key that a log's events are signed with.
func (w *World) Key(l facts.Log) seal.Key {
	switch l {
	case TenantLog:
		return w.Keys["audit-1"]
	case Berlin:
		return w.Keys["berlin"]
	}
	if w.Spines[Oslo].Sequence() > 20 {
		return w.Keys["oslo/2"] // rotated on the way
	}
	return w.Keys["oslo"]
}

// Entry is the next entry of a log.
func (w *World) Entry(kind string, data seal.Object) seal.Entry {
	w.Steps++
	return seal.Entry{Type: kind, OccurredAt: noon.Add(time.Duration(w.Steps) * time.Second), Salt: w.stream.Salt(),
		Data: data}
}

// Append appends an event to a log and to the evidence.
func (w *World) Append(l facts.Log, kind string, data seal.Object) {
	w.Copies[l] = append(w.Copies[l], Copy{Object: w.Spines[l].Append(w.Entry(kind, data), w.Key(l))})
}

// Fill appends n usual events.
func (w *World) Fill(l facts.Log, n int) {
	for range n {
		w.Append(l, "policy.synced", seal.Object{"n": int64(w.Steps), "text": "entry " + strconv.Itoa(w.Steps)})
	}
}

// Report reports the head of a journal in the tenant log.
func (w *World) Report(l facts.Log) {
	w.Append(TenantLog, "node.reported", ReportOf(w.Copies[l][len(w.Copies[l])-1].Object, l.LogID[len("node/"):]))
}

// ReportOf is the data of a report of an event.
func ReportOf(head seal.Object, node string) seal.Object {
	return seal.Object{"node_id": node, "audit_sequence": seal.Integer(seal.Member(head, "body"), "sequence"),
		"audit_head": head["hash"], "previous_hash": head["previous_hash"], "skip_hash": head["skip_hash"],
		"body_sha256": seal.Digest(seal.Member(head, "body")), "key_id": head["key_id"], "signature": head["signature"]}
}

// Checkpoint signs a checkpoint of the tenant log's head.
func (w *World) Checkpoint() {
	w.Docs = append(w.Docs, w.CheckpointOf(w.Spines[TenantLog].Sequence(), w.Spines[TenantLog].Head(), w.Keys["audit-1"]))
}

// CheckpointOf signs a checkpoint of the tenant log that names this head.
func (w *World) CheckpointOf(sequence uint64, head seal.Hash, key seal.Key) seal.Object {
	w.Steps++
	return seal.Seal(seal.Object{"protocol": "svc.audit-checkpoint.v1", "tenant_id": Tenant, "log_id": TenantLog.LogID,
		"sequence": int64(sequence), "head_hash": head.String(), "required_witnesses": int64(1),
		"created_at": seal.Time(noon.Add(time.Duration(w.Steps) * time.Second))}, key)
}

// Cursor signs an export cursor at the head of a journal.
func (w *World) Cursor(l facts.Log) {
	w.Docs = append(w.Docs, w.CursorOf(l, w.Spines[l].Sequence(), w.Spines[l].Head(), w.Key(l)))
}

// CursorOf signs an export cursor of a journal that names this event.
func (w *World) CursorOf(l facts.Log, sequence uint64, head seal.Hash, key seal.Key) seal.Object {
	return seal.Seal(seal.Object{"protocol": "svc.export-cursor.v1", "tenant_id": Tenant,
		"node_id": l.LogID[len("node/"):], "exporter_id": "archive", "sequence": int64(sequence), "event_hash": head.String(),
		"batch_id": seal.SHA256(nil), "committed_at": seal.Time(noon)}, key)
}

// History is a world with so many rounds of events, reports and checkpoints.
func History(number uint64, rounds int) *World {
	w := NewWorld(number)
	for range rounds {
		w.Fill(TenantLog, 1+w.stream.Below(4))
		w.Fill(Berlin, 1+w.stream.Below(4))
		w.Fill(Oslo, 1+w.stream.Below(4))
		switch w.stream.Below(4) {
		case 0:
			w.Report(Berlin)
		case 1:
			w.Report(Oslo)
		case 2:
			w.Checkpoint()
		case 3:
			w.Cursor(Berlin)
		}
	}
	w.Report(Berlin)
	w.Report(Oslo)
	w.Checkpoint()
	for _, l := range []facts.Log{TenantLog, Berlin, Oslo} {
		w.Fill(l, w.stream.Below(4)) // beyond every anchor
	}
	return w
}
