package replay

import (
	"errors"
	"slices"
	"testing"

	"github.com/svc-edge/svc-verify/archive/ledger"
	"github.com/svc-edge/svc-verify/internal/fault"
	"github.com/svc-edge/svc-verify/internal/listing"
)

// A fault of the program while an object is judged ends the replay with an error.
func TestFaultEndsReplay(t *testing.T) {
	p := &pool{r: nil, ctx: t.Context(), readers: make([]*listing.Reader, 2)} // there is a run
	tasks := slices.Repeat([]task{{path: "a", row: &ledger.Object{}}}, 5)
	if err := p.do(tasks); !errors.As(err, new(*fault.Error)) {
		t.Errorf("%v", err)
	}
}
