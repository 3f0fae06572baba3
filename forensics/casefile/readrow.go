package casefile

import (
	"slices"

	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/internal/sqlite"
)

// readRow reads the next row of events that is asked for from its page. One that
// goes on in others, or that is not as every row should be, is left to the engine.
func (m *merge) readRow(e *facts.Event) error {
	transaction := e.TransactionID // often that of the next event too
	for {
		*e = facts.Event{TransactionID: transaction}
		row, record, more, err := m.tree.Next()
		if err != nil || !more {
			return err
		}
		if wanted, err := m.readRecord(row, record, e); wanted || err != nil {
			return err
		}
	}
}

// readRecord reads a row, and reports whether the caller wants it.
func (m *merge) readRecord(row int64, record []byte, e *facts.Event) (wanted bool, err error) {
	if !sqlite.ReadFields(record, m.row[:]) {
		return m.readLarge(row, e)
	}
	if typ, ok := m.row[colType].Int(); ok && !m.wants(typ) {
		return false, nil
	}
	key, typ, ok := readEventRecord(e, m.row[:])
	if !ok || !m.packedRest.ofRecord(m.row[:]) {
		return m.readLarge(row, e)
	}
	e.Ref = facts.Ref(row)
	if m.bare {
		e.TransactionID = ""
	} else {
		e.Deliveries = 1
		if string(m.row[colTransactionID].Bytes) != e.TransactionID {
			e.TransactionID = string(m.row[colTransactionID].Bytes)
		}
	}
	return true, m.name(e, key, typ)
}

// wants reports whether events of a type are asked for.
func (m *merge) wants(typ int64) bool { return m.types == nil || slices.Contains(m.types, typ) }

// readLarge has the engine read a row, and reports whether the caller wants it.
func (m *merge) readLarge(row int64, e *facts.Event) (wanted bool, err error) {
	m.packed.Reset()
	m.packed.Bind(row, row)
	if err := m.readCopy(m.packed, e); err != nil {
		return false, err
	}
	if e.Ref == 0 {
		return false, sqlite.ErrDamaged
	}
	m.packedRest.ofRow(m.packed)
	return m.wants(m.packed.Int(colType)), nil
}
