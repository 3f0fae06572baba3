package otlp

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"

	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/must"
)

// delivery is what one request left in the collector's file.
type delivery struct {
	batchID     string
	first, last uint64
	lines       []string
}

// deliveries reads the collector's file.
func (b *bench) deliveries() []delivery {
	b.Helper()
	content := must.Get(os.ReadFile(b.path("logs.jsonl")))(b)
	var all []delivery
	for line := range bytes.Lines(content) {
		if line[len(line)-1] == '\n' { // else it is still being written
			all = append(all, b.delivery(line))
		}
	}
	return all
}

func (b *bench) delivery(line []byte) (d delivery) {
	b.Helper()
	var request struct {
		ResourceLogs []struct {
			ScopeLogs []struct {
				LogRecords []struct {
					Body       struct{ StringValue string }
					Attributes []struct {
						Key   string
						Value struct{ StringValue string }
					}
				}
			}
		}
	}
	must.Do(b, json.Unmarshal(line, &request))
	for _, record := range request.ResourceLogs[0].ScopeLogs[0].LogRecords {
		var event struct{ Body struct{ Sequence uint64 } }
		must.Do(b, json.Unmarshal([]byte(record.Body.StringValue), &event))
		d.last = event.Body.Sequence
		if d.first == 0 {
			d.first = d.last
		}
		d.lines = append(d.lines, record.Body.StringValue)
		if a := record.Attributes; len(a) != 1 || a[0].Key != "x-svc-edge-audit-batch" {
			b.Fatalf("the attributes are %v", a)
		}
		d.batchID = record.Attributes[0].Value.StringValue
	}
	return d
}

// checkDeliveries holds what the collector has against the journal: every batch
// is the one before it again, or at least a part of it, or goes on where it
// ended. It returns how often one was delivered again.
func (b *bench) checkDeliveries(all []delivery) (again int) {
	b.Helper()
	ids := map[string]uint64{} // by id, the first sequence
	var have []string
	for _, d := range all {
		if first, known := ids[d.batchID]; known {
			again++
			must.That(b, first == d.first, "the batch %s begins at %d and at %d", d.batchID, first, d.first)
		} else if d.first != uint64(len(have))+1 {
			b.Fatalf("a batch begins at %d, after event %d", d.first, len(have))
		}
		ids[d.batchID] = d.first
		have = append(have[:d.first-1], d.lines...)
	}
	journal := must.Get(os.ReadFile(b.path("state/journal.ndjson")))(b)
	if got := strings.Join(append(have, ""), "\n"); got != string(journal[:min(len(got), len(journal))]) {
		b.Fatal("what was delivered is not what the journal begins with")
	}
	return again
}

// cursor returns the statement of the stored cursor, nil if there is none.
func (b *bench) cursor() seal.Object {
	b.Helper()
	envelope := must.Get(b.store.Get(kindCursor, exporter))(b)
	return seal.Member(envelope, "statement")
}
