package index

import (
	"errors"
	"testing"

	"pgregory.net/rapid"

	"github.com/svc-edge/svc-verify/contradiction"
	"github.com/svc-edge/svc-verify/internal/must"
)

// TestChangedFile changes one byte of the facts, or cuts them off. There is an error, or
// the answer is right because the byte was not needed. The file of the claims is tested in
// package spool.
func TestChangedFile(t *testing.T) {
	set := many(20)
	set[7].Way = []contradiction.Event{{Sequence: set[6].Way[5].Sequence, Hash: hashOf("fork")}}
	set[7].Issuance = set[7].Way[0].Sequence
	set[19].Serial = set[3].Serial
	rapid.Check(t, func(r *rapid.T) {
		x := small(t.TempDir())
		x.facts.room = 1
		defer x.Close()
		add(t, x, set...)
		must.Do(r, x.facts.flush())
		s := &x.facts
		at := rapid.Int64Range(0, s.size-1).Draw(r, "at")
		if rapid.Bool().Draw(r, "cut") {
			s.file.Truncate(at)
		} else {
			b := make([]byte, 1)
			s.file.ReadAt(b, at)
			b[0] ^= byte(rapid.IntRange(1, 255).Draw(r, "flip"))
			s.file.WriteAt(b, at)
		}
		_, err := x.Settle(t.Context())
		n := 0
		for _, e := range x.Contradictions(t.Context()) {
			if n++; e != nil {
				n, err = n-1, e
			}
		}
		if err != nil && !errors.Is(err, errChanged) || err == nil && n != 4 {
			r.Errorf("%d contradictions, error %v", n, err)
		}
	})
}
