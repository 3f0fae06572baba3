package ingest

import (
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/casefile"
)

// A fault while the events of a chunk are scanned drops the chunk, and says where.
func TestScanFault(t *testing.T) {
	raw := &rawChunk{}
	for i := range 2 {
		raw.Events = append(raw.Events, casefile.Arrival{Found: casefile.Found{Offset: 7, Record: int64(i)}, Batch: "b"})
		raw.events = append(raw.events, span{})
	}
	chunk := scan(raw, func(chain.Hash) bool { panic("no luck") })
	if len(chunk.Events) != 0 || len(chunk.Skips) != 1 || chunk.Skips[0].Code != string(finding.SourceUnreadable) ||
		chunk.Skips[0].Offset != 7 || !strings.Contains(chunk.Skips[0].Detail, "no luck, in ") {
		t.Errorf("%+v", chunk)
	}
}
