package examine

import (
	"context"

	"github.com/svc-edge/svc-verify/forensics/delivery"
	"github.com/svc-edge/svc-verify/forensics/store"
)

// memory keeps in a case the findings on the delivery of evidence, under the user's key.
type memory struct{ w *store.Writer }

var _ delivery.Memory = memory{}

var arrivals = store.Pass{Name: "arrivals"}

// Recall implements [delivery.Memory].
func (m memory) Recall(ctx context.Context) ([]byte, bool, error) {
	return m.w.Kept().Pass(ctx, arrivals)
}

// Keep implements [delivery.Memory].
func (m memory) Keep(summary []byte) error { return m.w.Keep(arrivals, summary) }
