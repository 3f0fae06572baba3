package index

import (
	"bytes"
	"cmp"
	"testing"

	"pgregory.net/rapid"
)

// TestRecords: a record comes back as it was, and forms are in the order of records.
func TestRecords(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := drawRecord(t)
		form := appendRecord(nil, a)
		if got := readRecord(form); got != a || len(form) != recordSize {
			t.Errorf("%+v came back as %+v, from %d bytes", a, got, len(form))
		}
		b := drawRecord(t)
		want := cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.entry, b.entry), cmp.Compare(a.value, b.value))
		if got := bytes.Compare(form, appendRecord(nil, b)); got != want {
			t.Errorf("%+v and %+v: order %d, want %d", a, b, got, want)
		}
	})
}

func drawRecord(t *rapid.T) record {
	return record{
		key:   rapid.OneOf(rapid.Uint64Max(1), rapid.Uint64()).Draw(t, "key"),
		value: rapid.Uint64Max(1<<valueBits-1).Draw(t, "value"),
		entry: rapid.OneOf(rapid.Uint32Max(1), rapid.Uint32()).Draw(t, "entry"),
	}
}
