package casefile

import (
	"bytes"
	"slices"
	"testing"

	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/internal/sqlite"
)

// record is a record of columns of these serial types (SQLite's file format,
// section 2.1): integers of one octet, blobs and texts. The octets of a column are
// its number.
func record(serials []byte) []byte {
	var header, values []byte
	for i, s := range serials {
		header = append(header, s)
		if s >= 128 {
			header = append(header[:len(header)-1], 0x81, s&0x7f)
		}
		width := 0
		switch {
		case s == 1:
			width = 1
		case s >= 12:
			width = int(s-12) / 2
		}
		values = append(values, bytes.Repeat([]byte{byte(i)}, width)...)
	}
	return slices.Concat([]byte{byte(len(header) + 1)}, header, values)
}

// TestFill: a row that lacks a column is left to the engine. Only the transaction
// id may be missing.
func TestFill(t *testing.T) {
	serials := []byte{0, 76, 76, 76, 76, 140, 1, 1, 1, 0, 1} // digests of 32 bytes, a signature of 64
	read := len(serials)
	serials = append(serials, make([]byte, columnCount-read)...)
	for missing := range read {
		damaged := slices.Clone(serials)
		damaged[missing] = 0
		var e facts.Event
		var f [columnCount]sqlite.Field
		ok := sqlite.ReadFields(record(damaged), f[:])
		key, typ := int64(0), int64(0)
		if ok {
			key, typ, ok = readEventRecord(&e, f[:])
		}
		if want := missing == colEvent || missing == colTransactionID; ok != want {
			t.Errorf("without column %d: %t", missing, ok)
		}
		if ok && (key != colKey || typ != colType || e.OccurredAt != colOccurredAt || e.Fidelity != colFidelity ||
			e.Recorded[0] != colHash || e.Link.Body[31] != colBody || e.Signature[63] != colSignature) {
			t.Errorf("without column %d: %d, %d, %+v", missing, key, typ, e)
		}
	}
}

// TestArrivalOfFields: of a first arrival only batch and collector's time can be
// absent, and nothing be what it should not.
func TestArrivalOfFields(t *testing.T) {
	a := &arrivals{places: map[int64][2]int64{}}
	for column := range columnCount {
		for serial, text := range map[byte]bool{0: false, 15: true} {
			serials := bytes.Repeat([]byte{9}, columnCount)
			serials[column] = serial
			var f [columnCount]sqlite.Field
			must.That(t, sqlite.ReadFields(record(serials), f[:]), "no record")
			optional := column == colBatch || column == colObservedAt
			want := !slices.Contains([]int{colOccurredAt, colFidelity, colContainer, colOffset, colRecord}, column) &&
				(!optional || !text)
			if _, ok := a.ofFields(1, f[:]); ok != want {
				t.Errorf("column %d of serial %d: %t", column, serial, ok)
			}
		}
	}
	w, _ := newWriter(t)
	defer w.Close()
	if _, err := a.ofRow(w.conn, 1); err != sqlite.ErrDamaged {
		t.Errorf("a row that is not there: %v", err)
	}
	must.Do(t, w.conn.Exec("BEGIN; DROP TABLE events"))
	if _, err := a.ofRow(w.conn, 1); err == nil || err == sqlite.ErrDamaged {
		t.Errorf("a table that is not there: %v", err)
	}
}
