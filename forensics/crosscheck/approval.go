package crosscheck

import (
	"encoding/binary"

	"github.com/svc-edge/svc-verify/chain/event"
	"github.com/svc-edge/svc-verify/forensics/facts"
)

// appendTo appends an approval as a record that sorts by journal, digest, kind (the
// signed one first) and sequence.
func (a *approval) appendTo(b []byte) []byte {
	return a.appendRest(append(a.appendJournal(b), a.digest[:]...))
}

// appendInOrder appends an approval as a record that sorts by journal, sequence and
// digest.
func (a *approval) appendInOrder(b []byte) []byte {
	b = binary.BigEndian.AppendUint64(a.appendJournal(b), a.sequence)
	return a.appendRest(append(b, a.digest[:]...))
}

func (a *approval) appendJournal(b []byte) []byte {
	for _, name := range []string{a.journal.TenantID, a.journal.LogID} {
		b = append(binary.BigEndian.AppendUint32(b, uint32(len(name))), name...)
	}
	return b
}

func (a *approval) appendRest(b []byte) []byte {
	kind := byte(0)
	if a.kind == event.ApprovalRecorded {
		kind = 1
	}
	b = binary.BigEndian.AppendUint64(append(b, kind), a.sequence)
	b = binary.BigEndian.AppendUint64(b, uint64(a.at))
	b = binary.BigEndian.AppendUint32(b, uint32(a.ref.Log))
	b = binary.BigEndian.AppendUint32(b, uint32(a.ref.Variant))
	b = append(binary.BigEndian.AppendUint32(b, uint32(len(a.keyID))), a.keyID...)
	return append(b, a.transactionID...)
}

// readApproval reads a record of appendTo.
func readApproval(b []byte) (a approval) {
	a.readRest(a.readJournal(b))
	return a
}

// readInOrder reads a record of appendInOrder.
func readInOrder(b []byte) (a approval) {
	a.readRest(a.readJournal(b)[8:])
	return a
}

// readJournal reads the journal, and returns the rest.
func (a *approval) readJournal(b []byte) []byte {
	for _, name := range []*string{&a.journal.TenantID, &a.journal.LogID} {
		size := binary.BigEndian.Uint32(b)
		*name, b = string(b[4:4+size]), b[4+size:]
	}
	return b
}

func (a *approval) readRest(b []byte) {
	b = b[copy(a.digest[:], b):]
	a.kind = event.ApprovalSigned
	if b[0] == 1 {
		a.kind = event.ApprovalRecorded
	}
	a.sequence = binary.BigEndian.Uint64(b[1:])
	a.at = int64(binary.BigEndian.Uint64(b[9:]))
	a.ref = facts.Ref{Log: int32(binary.BigEndian.Uint32(b[17:])), Variant: int32(binary.BigEndian.Uint32(b[21:])),
		Sequence: a.sequence}
	size := binary.BigEndian.Uint32(b[25:])
	a.keyID, a.transactionID = string(b[29:29+size]), string(b[29+size:])
}
