package safetext

import "testing"

func TestCount(t *testing.T) {
	for _, c := range []struct {
		n     int
		thing string
		want  string
	}{
		{1, "event", "1 event"}, {0, "event", "0 events"}, {2, "event", "2 events"},
		{1, "distinct witness", "1 distinct witness"}, {2, "distinct witness", "2 distinct witnesses"},
		{2, "branch", "2 branches"}, {2, "hash", "2 hashes"}, {2, "box", "2 boxes"}, {2, "path", "2 paths"},
		{2, "delivery", "2 deliveries"}, {2, "key", "2 keys"}, {2, "copy", "2 copies"}, {1, "copy", "1 copy"},
	} {
		if got := Count(c.n, c.thing); got != c.want {
			t.Errorf("%d %s: %q, want %q", c.n, c.thing, got, c.want)
		}
	}
	if got := Count(uint64(1), "batch"); got != "1 batch" {
		t.Error(got)
	}
}
