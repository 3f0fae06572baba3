package otlp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/svc-edge/svc-verify/forensics/examine"
	"github.com/svc-edge/svc-verify/forensics/ingest"
	"github.com/svc-edge/svc-verify/forensics/store"
	"github.com/svc-edge/svc-verify/harness/chance"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/service/collector"
	"github.com/svc-edge/svc-verify/trust"
	"github.com/svc-edge/svc-verify/verify"
)

// codes are the modes in which a collector fails, each with its code.
var codes = map[collector.Mode]string{
	collector.Down:         TransportFailed,
	collector.Slow:         TransportFailed,
	collector.Lost:         TransportFailed,
	collector.Torn:         TransportFailed,
	collector.Redirect:     TransportFailed,
	collector.RedirectGet:  TransportFailed,
	collector.Reject400:    CollectorRejected,
	collector.Reject429:    CollectorRejected,
	collector.Reject503:    CollectorRejected,
	collector.Partial:      PartialSuccess,
	collector.GarbageBody:  ResponseInvalid,
	collector.GarbageType:  ResponseInvalid,
	collector.GarbageLarge: ResponseInvalid,
}

// TestCodes: each way in which a collector fails has its code, and the cursor stays. In the
// end nothing is lost, and the collector's files are evidence: every event is there and holds,
// every batch is known by its id and matches it, and the journal comes out byte for byte.
func TestCodes(t *testing.T) {
	b := newBench(t)
	c := b.config()
	c.Export.RequestTimeout = time.Second
	e, _ := b.run(c)
	b.append(7, 10)
	b.drained(e)
	check.Equal(t, len(collector.Modes()), len(codes)+1, "modes of the collector, and accept")
	for mode, want := range codes {
		before, was, again := b.cursor(), e.Status(), b.checkDeliveries(b.deliveries())
		must.Do(t, b.collector.SetMode(mode))
		b.append(10, 100)
		e.Wake()
		must.Eventually(t, "two failures in mode "+string(mode), func() bool { return e.Status().Failures >= was.Failures+2 })
		s := e.Status()
		check.That(t, s.ErrorCode == want && s.Health() == "degraded" && s.Cursor == was.Cursor && s.Backlog() == 10 &&
			s.Successes == was.Successes, "%s: expected %s, found %s", mode, want, describe(s))
		check.Equal(t, seal.Digest(b.cursor()), seal.Digest(before), "%s: the cursor", mode)
		must.Do(t, b.collector.SetMode(collector.Accept))
		b.drained(e)
		more := b.checkDeliveries(b.deliveries()) - again
		check.Equal(t, more > 0, mode != collector.Down && want != CollectorRejected && mode != collector.Redirect &&
			mode != collector.RedirectGet, "%s: %d deliveries again, and so", mode, more)
	}
	path := b.path("case.db")
	w := must.Get(store.OpenWrite(path))(t)
	must.Get(ingest.Paths(t.Context(), w, []string{b.path("logs.jsonl")}, ingest.Options{}, nil))(t)
	must.Do(t, w.Close())
	another := func(name string) string {
		return seal.Base64(seal.Key{Private: chance.New(4).Stream(name).Ed25519()}.Public())
	}
	root := must.Get(trust.Parse(fmt.Appendf(nil, `{"audit_keys":{"a":"%s"},"minimum_audit_witnesses":1,`+
		`"nodes":{"%s":"%s"},"protected_signer_keys":{"s":"%s"},"registries":{"1":"%s"}}`,
		another("a"), nodeID, seal.Base64(nodeKey.Public()), another("s"), another("r"))))(t)
	result := must.Get(examine.Examine(t.Context(), path, root, examine.Options{Workers: 1, Extent: examine.Whole}))(t)
	check.That(t, result.Verdict == verify.Verified && len(result.Logs) == 1, "%s: %v", result.Verdict, result.Findings)
	b.examineCase(path)
}

// examineCase compares batches and events of a case with the journal.
func (b *bench) examineCase(path string) {
	c := must.Get(store.OpenCase(path))(b)
	defer c.Close()
	batches, redelivered := 0, 0
	for batch, err := range c.Batches(b.Context()) {
		must.Do(b, err)
		batches++
		if batch.Redelivered > 0 {
			redelivered++
		}
		check.That(b, !batch.Conflicting() && batch.Genuine == batch.Events && batch.Stretches == 1 && len(batch.ID) == 64,
			"a batch is %+v", batch)
	}
	check.That(b, batches >= 20 && redelivered >= 7, "%d batches, %d of them delivered again", batches, redelivered)
	journal := must.Get(os.ReadFile(b.path("state/journal.ndjson")))(b)
	for _, log := range must.Get(c.Logs(b.Context()))(b) {
		var out bytes.Buffer
		must.Get(examine.Export(b.Context(), c, log, store.Filter{}, &out))(b)
		check.That(b, bytes.Equal(out.Bytes(), journal), "the journal does not come out as it went in")
	}
}

// delivery is one request as recorded in the collector's file.
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
		a := record.Attributes
		must.That(b, len(a) == 1 && a[0].Key == "x-svc-edge-audit-batch", "the attributes are %v", a)
		d.batchID = record.Attributes[0].Value.StringValue
	}
	return d
}

// checkDeliveries compares the collector's deliveries with the journal: every batch is the one
// before it again, or at least a part of it, or continues where it ended. It returns how often
// one was delivered again.
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
