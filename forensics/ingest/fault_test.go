package ingest

import (
	"errors"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/internal/fault"
)

// A fault while the events of a chunk are scanned drops the chunk, and says where.
func TestScanFault(t *testing.T) {
	raw := &rawChunk{}
	for i := range 2 {
		raw.Events = append(raw.Events, facts.Arrival{Found: facts.Found{Offset: 7, Record: int64(i)}, Batch: "b"})
		raw.events = append(raw.events, span{1, 2}) // where nothing is
	}
	chunk := scan(raw)
	if len(chunk.Events) != 0 || len(chunk.Skips) != 1 || chunk.Skips[0].Code != string(finding.SourceUnreadable) ||
		chunk.Skips[0].Offset != 7 || !strings.Contains(chunk.Skips[0].Detail, ", in ") {
		t.Errorf("%+v", chunk)
	}
}

// faulty is a target with a fault in what its workers do.
type faulty struct{ Target }

func (faulty) Prepare(*facts.Chunk) { panic("no luck") }

// A fault in a target's worker ends the ingest with an error.
func TestPourFault(t *testing.T) {
	in := &ingest{w: faulty{}, options: Options{Workers: 2, ChunkRecords: 1}}
	source := newCounted(strings.NewReader(strings.Repeat("{}\n", 9)))
	if err := in.pour(t.Context(), source, &facts.Progress{}, "t"); !errors.As(err, new(*fault.Error)) {
		t.Errorf("%v", err)
	}
}
