package sqlite

import (
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
		{0, "", 0, false}, {1, "\xfe", -2, true}, {2, "\x01\x00", 256, true}, {3, "\xff\xff\xff", -1, true},
		{4, "\x00\x00\x00\x07", 7, true},
		{5, "\x01\x00\x00\x00\x00\x00", 1 << 40, true}, {6, "\x80\x00\x00\x00\x00\x00\x00\x00", -1 << 63, true},
		{7, "\x00\x00\x00\x00\x00\x00\x00\x01", 0, false}, {8, "", 0, true}, {9, "", 1, true}, {14, "a", 0, false},
		{15, "a", 0, false},
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
