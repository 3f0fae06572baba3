package ingest

import (
	"errors"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/chain/event"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/tasks"
)

// TestOtherServices: whatever another service logs is its record and no damage, also where it
// is not I-JSON. A record that was an event, or may have been one, is never mistaken for such
// a record.
func TestOtherServices(t *testing.T) {
	log := seal.NewLog("acme-corp", "node/mesh-oslo-1")
	whole := string(seal.Canonical(log.Append(seal.Entry{Type: "policy.synced"},
		seal.Key{ID: "mesh-oslo-1", Private: make([]byte, 64)})))
	for body, want := range map[string]finding.Code{
		"served 17 requests":            finding.SourceNoRecord,
		"17":                            finding.SourceNoRecord,
		"0.7":                           finding.SourceNoRecord,
		`{"latency":0.7,"error":null}`:  finding.SourceNoRecord,
		` {"a":1,"a":2}`:                finding.SourceNoRecord,
		`{"a":"\ud800"}`:                finding.SourceNoRecord,
		`["a",1e400]`:                   finding.SourceNoRecord,
		`{"hash":"x","signature":null}`: finding.SourceNoRecord,
		`{"a":`:                         finding.SourceUnparseable,
		`{"a":1}}`:                      finding.SourceAmbiguous,
		`  "body": {`:                   finding.SourceAmbiguous,
		`["a"`:                          finding.SourceUnparseable,
		`"a`:                            finding.SourceUnparseable,
		"\xff\xfe":                      finding.SourceInvalidUTF8,
		strings.Replace(whole, "}", `,"x":null}`, 1): finding.SourceUnparseable,
		strings.Replace(whole, "}", `,"x":0.5}`, 1):  finding.SourceUnparseable,
		"event " + whole: finding.SourceUnparseable,
		strings.Replace(whole, `"body"`, `"body":{},"body"`, 1): finding.Ambiguous,
		strings.Replace(whole, `"signature"`, `"hash"`, 1):      finding.SourceAmbiguous,
		strings.Replace(whole, `"body":{`, `"body":{"`, 1):      finding.SourceUnparseable,
	} {
		got := finding.Code("an event")
		if skip := scanEvent([]byte(body), &facts.Arrival{Line: &event.Line{}}); skip != nil {
			got = finding.Code(skip.Code)
		}
		check.That(t, got == want, "%s: %s, want %s", body, got, want)
	}
}

// A fault while the events of a chunk are scanned drops the chunk, and reports where.
func TestScanFault(t *testing.T) {
	raw := &rawChunk{}
	for i := range 2 {
		raw.Events = append(raw.Events, facts.Arrival{Found: facts.Found{Offset: 7, Record: int64(i)}, Batch: "b"})
		raw.events = append(raw.events, span{1, 2}) // where nothing is
	}
	chunk := scanChunk(raw)
	if len(chunk.Events) != 0 || len(chunk.Skips) != 1 || chunk.Skips[0].Code != string(finding.SourceUnreadable) ||
		chunk.Skips[0].Offset != 7 || !strings.Contains(chunk.Skips[0].Detail, ", in ") {
		t.Errorf("%+v", chunk)
	}
}

// faulty is a target whose workers panic.
type faulty struct{ Target }

func (faulty) Prepare(*facts.Chunk) { panic("no luck") }

// A fault in a target's worker ends the ingest with an error.
func TestPourFault(t *testing.T) {
	in := &ingest{w: faulty{}, options: Options{Workers: 2, ChunkRecords: 1}}
	source := newCounted(strings.NewReader(strings.Repeat("{}\n", 9)))
	err := in.readSource(t.Context(), source, &facts.Progress{}, "t")
	check.That(t, errors.As(err, new(*tasks.Panic)), "%v", err)
}
