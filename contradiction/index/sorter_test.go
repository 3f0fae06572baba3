package index

import (
	"testing"

	"pgregory.net/rapid"
)

// TestRecords holds that a record comes back from the file as it was.
func TestRecords(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		base := rapid.Uint32Max(1<<32-1-mostApart).Draw(t, "base")
		want := record{
			key:   rapid.Uint64().Draw(t, "key"),
			value: rapid.Uint64Max(1<<valueBits-1).Draw(t, "value"),
			entry: base + rapid.Uint32Max(mostApart).Draw(t, "distance"),
		}
		b := appendRecord(nil, want, base)
		if got := readRecord(b, base); got != want || len(b) != recordSize {
			t.Errorf("%+v came back as %+v, from %d octets", want, got, len(b))
		}
	})
}

// TestManyEntriesInOneRun is about runs whose entries are further apart than the
// file can say: they end early.
func TestManyEntriesInOneRun(t *testing.T) {
	s := sorter{room: 1 << 20, page: 100, file: spill{dir: t.TempDir(), room: 1}}
	defer s.file.close()
	const n = 3*mostApart + 5
	for i := range uint32(n) {
		if err := s.add(record{key: uint64(i*7919) % 100, entry: i}); err != nil {
			t.Fatal(err)
		}
	}
	seen, last := 0, record{}
	for r, err := range s.sorted(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		if seen++; compareRecords(last, r) > 0 || r.key != uint64(r.entry*7919)%100 {
			t.Fatalf("%+v after %+v", r, last)
		}
		last = r
	}
	if seen != n || len(s.runs) < 3 {
		t.Errorf("%d records of %d, in %d runs", seen, n, len(s.runs))
	}
}
