package bundle

import (
	"time"

	"github.com/svc-edge/svc-verify/internal/form"
	"github.com/svc-edge/svc-verify/internal/ijson"
	"github.com/svc-edge/svc-verify/trust"
)

// ProtocolCursor is the protocol of an export cursor (SPEC 9.3).
const ProtocolCursor = "svc.export-cursor.v1"

// Cursor is a node's statement of how far its journal was exported (SPEC 9.3).
// It is never part of a bundle.
type Cursor struct {
	TenantID    string
	NodeID      string
	Sequence    uint64
	Hash        Hash
	CommittedAt time.Time
}

// Signatory is the exporting node.
func (c Cursor) Signatory() trust.Signatory {
	return trust.Signatory{Role: trust.Node, Node: c.NodeID}
}

// ProtocolOf returns the protocol of a document or, if it is an envelope (SPEC 3.1), of its
// statement; "" if it has none.
func ProtocolOf(v *ijson.Value) (protocol string, enveloped bool) {
	if s, ok := v.Member("statement"); ok && s.Kind() == ijson.Object {
		v, enveloped = s, true
	}
	if p, ok := v.Member("protocol"); ok {
		protocol = p.Text()
	}
	return protocol, enveloped
}

// IsCheckpoint reports whether a document is a checkpoint, by its protocol.
func IsCheckpoint(v *ijson.Value) bool {
	protocol, enveloped := ProtocolOf(v)
	return enveloped && (protocol == ProtocolCheckpoint || protocol == ProtocolCheckpointV0)
}

// ReadCheckpoint reads a checkpoint outside of a bundle (SPEC 5.1). The fault is
// the first one, nil if there is none.
func ReadCheckpoint(v *ijson.Value) (trust.Sealed[Checkpoint], *ijson.Fault) {
	return aloneSealed(v, reader.readCheckpoint)
}

// ReadWitnessReceipt reads a witness receipt outside of a bundle (SPEC 5.1). The fault is the
// first one, nil if there is none.
func ReadWitnessReceipt(v *ijson.Value) (trust.Sealed[WitnessReceipt], *ijson.Fault) {
	return aloneSealed(v, reader.readWitness)
}

// ReadCursor reads an export cursor (SPEC 9.3). The fault is the first one, nil
// if there is none.
func ReadCursor(v *ijson.Value) (trust.Sealed[Cursor], *ijson.Fault) {
	return aloneSealed(v, reader.readCursor)
}

// ReadRegistry reads a signer registry outside of a bundle (SPEC 7.8). The fault is the
// first one, nil if there is none.
func ReadRegistry(v *ijson.Value) (Registry, *ijson.Fault) {
	return readAlone(v, reader.readRegistry)
}

func (r reader) readCursor(v *ijson.Value) (string, Cursor) {
	o := r.Object(v, "protocol", "tenant_id", "node_id", "exporter_id", "sequence", "event_hash",
		"batch_id", "committed_at")
	c := Cursor{TenantID: o.Subject("tenant_id"), NodeID: o.Subject("node_id"), Sequence: uint64(o.Counter("sequence")),
		Hash: o.Digest("event_hash"), CommittedAt: o.Time("committed_at")}
	o.Identifier("exporter_id")
	o.Digest("batch_id")
	return o.Protocol(ProtocolCursor), c
}

// aloneSealed reads an envelope that is a document of its own.
func aloneSealed[T trust.Statement](v *ijson.Value,
	statement func(reader, *ijson.Value) (string, T)) (trust.Sealed[T], *ijson.Fault) {
	return readAlone(v, func(r reader, v *ijson.Value) trust.Sealed[T] { return readSealed(r, v, statement) })
}

// readAlone reads a document of its own.
func readAlone[T any](v *ijson.Value, read func(reader, *ijson.Value) T) (T, *ijson.Fault) {
	r := reader{Reader: &form.Reader{}}
	document := read(r, v)
	if faults := r.Faults(); len(faults) > 0 {
		return *new(T), &faults[0]
	}
	return document, nil
}
