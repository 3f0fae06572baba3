package casefile

import (
	"github.com/svc-edge/svc-verify/chain/event"
	"github.com/svc-edge/svc-verify/forensics/facts"
)

// Arrival is an event that was delivered. Its line may not change until the
// chunk was added; there need be none in a known run.
type Arrival struct {
	Found
	Line        *event.Line
	Fidelity    facts.Fidelity
	Batch       string // as [Batches] writes it; "" without a batch id
	ObservedAt  int64
	ByReference bool // the line stands at Found, byte for byte, and is not kept
}
