package delivery

import (
	"testing"

	"github.com/svc-edge/svc-verify/forensics/read"
	"github.com/svc-edge/svc-verify/forensics/store"
)

// TestCanHideEvent: only where an event can have been lost is a gap anything else than
// a gap.
func TestCanHideEvent(t *testing.T) {
	for _, tt := range []struct {
		code   read.Code
		length int64
		want   bool
	}{
		{read.Unparseable, 300, true},
		{read.TruncatedCompressed, 0, true},
		{read.Ambiguous, 300, true},
		{read.Ambiguous, 0, false},
		{read.InvalidUTF8, 300, true},
		{read.InvalidUTF8, 0, false},
		{read.NoRecord, 300, false},
		{read.MultiMember, 0, false},
		{read.ConcatenatedJSON, 0, false},
		{"event.malformed", 300, true},
	} {
		s := store.Skip{Code: string(tt.code), Place: store.Place{Length: tt.length}}
		if got := CanHideEvent(s); got != tt.want {
			t.Errorf("%s of %d bytes: %t", tt.code, tt.length, got)
		}
	}
}
