package delivery

import (
	"github.com/svc-edge/svc-verify/forensics/read"
	"github.com/svc-edge/svc-verify/forensics/store"
)

// CanHideEvent reports whether a span could hold an event that nobody saw.
// Others are notes on what was read all the same, or were read and hold no
// record.
func CanHideEvent(s store.Skip) bool {
	switch read.Code(s.Code) {
	case read.NoRecord, read.MultiMember, read.ConcatenatedJSON:
		return false
	case read.InvalidUTF8, read.Ambiguous:
		return s.Length > 0
	}
	return true
}
