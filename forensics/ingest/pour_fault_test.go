package ingest

import (
	"errors"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/forensics/casefile"
	"github.com/svc-edge/svc-verify/internal/fault"
)

// faulty is a target with a fault in what its workers do.
type faulty struct{ Target }

func (faulty) KnownRun(chain.Hash) bool { return false }
func (faulty) Prepare(*casefile.Chunk)  { panic("no luck") }

// A fault in a target's worker ends the ingest with an error.
func TestPourFault(t *testing.T) {
	in := &ingest{w: faulty{}, options: Options{Workers: 2, ChunkRecords: 1}}
	source := newCounted(strings.NewReader(strings.Repeat("{}\n", 9)))
	if err := in.pour(t.Context(), source, &casefile.Progress{}, "t"); !errors.As(err, new(*fault.Error)) {
		t.Errorf("%v", err)
	}
}
