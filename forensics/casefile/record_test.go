package casefile

import (
	"bytes"
	"slices"
	"testing"
)

// TestReadFields: a record whose header or values end too early is none.
func TestReadFields(t *testing.T) {
	for name, tt := range map[string]struct {
		record []byte
		ok     bool
	}{
		"whole":                      {[]byte{3, 1, 16, 5, 'a', 'b'}, true},
		"more than is asked for":     {[]byte{4, 1, 16, 9, 5, 'a', 'b'}, true},
		"empty":                      {nil, false},
		"a header without its end":   {[]byte{0x80}, false},
		"a header beyond the record": {[]byte{9, 1, 16, 5}, false},
		"a header of nothing":        {[]byte{0, 1, 16, 5, 'a', 'b'}, false},
		"too few columns":            {[]byte{2, 1, 5}, false},
		"a value cut":                {[]byte{3, 1, 16, 5, 'a'}, false},
		"no values":                  {[]byte{3, 1, 16}, false},
	} {
		var f [2]Field
		ok := ReadFields(tt.record, f[:])
		if ok != tt.ok {
			t.Errorf("%s: %t", name, ok)
		}
		if n, isInt := f[0].Int(); ok && (n != 5 || !isInt || string(f[1].Bytes) != "ab") {
			t.Errorf("%s: %+v", name, f)
		}
	}
}

// TestFieldValues: a column is only read as what it is.
func TestFieldValues(t *testing.T) {
	for _, tt := range []struct {
		serial uint64
		bytes  string
		want   int64
		ok     bool
	}{
		{0, "", 0, false}, {1, "\xfe", -2, true}, {2, "\x01\x00", 256, true}, {3, "\xff\xff\xff", -1, true}, {4, "\x00\x00\x00\x07", 7, true},
		{5, "\x01\x00\x00\x00\x00\x00", 1 << 40, true}, {6, "\x80\x00\x00\x00\x00\x00\x00\x00", -1 << 63, true},
		{7, "\x00\x00\x00\x00\x00\x00\x00\x01", 0, false}, {8, "", 0, true}, {9, "", 1, true}, {14, "a", 0, false}, {15, "a", 0, false},
	} {
		f := Field{tt.serial, []byte(tt.bytes)}
		if got, ok := f.Int(); got != tt.want || ok != tt.ok {
			t.Errorf("serial %d: %d, %t", tt.serial, got, ok)
		}
	}
	for _, tt := range []struct {
		serial uint64
		size   int
		ok     bool
	}{{16, 2, true}, {16, 1, false}, {16, 3, false}, {17, 2, false}, {0, 0, false}, {12, 0, true}} {
		f := Field{tt.serial, []byte("ab")[:serialWidth(tt.serial)]}
		if ok := f.CopyTo(make([]byte, tt.size)); ok != tt.ok {
			t.Errorf("serial %d to %d bytes: %t", tt.serial, tt.size, ok)
		}
	}
}

// TestFill: a row of which any column is missing is left to the engine, except the
// transaction id, which it need not have.
func TestFill(t *testing.T) {
	serials := []byte{0, 76, 76, 76, 76, 140, 1, 1, 1, 0, 1} // digests of 32 bytes, a signature of 64
	record := func(serials []byte) []byte {
		var header, values []byte
		for i, s := range serials {
			header = append(header, s)
			if s >= 128 {
				header = append(header[:len(header)-1], 0x81, s&0x7f)
			}
			values = append(values, bytes.Repeat([]byte{byte(i)}, int(serialWidth(uint64(s))))...)
		}
		return slices.Concat([]byte{byte(len(header) + 1)}, header, values)
	}
	for missing := range serials {
		damaged := slices.Clone(serials)
		damaged[missing] = 0
		var e Event
		var f [11]Field
		ok := ReadFields(record(damaged), f[:])
		key, typ := int64(0), int64(0)
		if ok {
			key, typ, ok = e.fill(f[:])
		}
		if want := missing == 0 || missing == 9; ok != want {
			t.Errorf("without column %d: %t", missing, ok)
		}
		if ok && (key != 6 || typ != 7 || e.OccurredAt != 8 || e.Fidelity != 10 || e.Recorded[0] != 1 || e.Link.Body[31] != 4 || e.Signature[63] != 5) {
			t.Errorf("without column %d: %d, %d, %+v", missing, key, typ, e)
		}
	}
}

// TestArrivalOfFields: of a first arrival only batch and collector's time can be
// absent, and nothing be what it should not.
func TestArrivalOfFields(t *testing.T) {
	a := &arrivals{places: map[int64][2]int64{}}
	for column := range 20 {
		for serial, text := range map[uint64]bool{0: false, 15: true} {
			var f [20]Field
			for i := range f {
				f[i] = Field{9, nil}
			}
			f[column] = Field{serial, make([]byte, serialWidth(serial))}
			optional := column == 18 || column == 19
			want := !slices.Contains([]int{8, 10, 14, 15, 17}, column) && (!optional || !text)
			if _, ok := a.ofFields(1, f[:]); ok != want {
				t.Errorf("column %d of serial %d: %t", column, serial, ok)
			}
		}
	}
	w, _ := newWriter(t)
	defer w.Close()
	if _, err := a.ofRow(w.conn, 1); err != ErrDamaged {
		t.Errorf("a row that is not there: %v", err)
	}
	if err := w.conn.Exec("BEGIN; DROP TABLE events"); err != nil {
		t.Fatal(err)
	}
	if _, err := a.ofRow(w.conn, 1); err == nil || err == ErrDamaged {
		t.Errorf("a table that is not there: %v", err)
	}
}
