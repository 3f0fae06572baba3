package otlp

import (
	"bytes"
	"fmt"
	"os"
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

// TestWhatIsExportedIsEvidence lets a collector misbehave in every way while a
// node exports, and examines its file: every event is there and holds, every batch
// is known by its id and is what its id says, and the journal comes out byte for
// byte.
func TestWhatIsExportedIsEvidence(t *testing.T) {
	b := newBench(t)
	c := b.config()
	c.Export.RequestTimeout = 2 * time.Second
	e, _ := b.run(c)
	for _, mode := range collector.Modes() {
		must.Do(t, b.collector.SetMode(mode))
		failures := e.Status().Failures
		b.append(11, 100)
		e.Wake()
		if mode != collector.Accept {
			must.Eventually(b, "a failure in mode "+string(mode), func() bool { return e.Status().Failures > failures })
		}
		must.Do(t, b.collector.SetMode(collector.Accept))
		b.drained(e)
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

// examineCase holds batches and events of a case against the journal.
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
	check.That(b, batches >= 20 && redelivered >= 8, "%d batches, %d of them delivered again", batches, redelivered)
	journal := must.Get(os.ReadFile(b.path("state/journal.ndjson")))(b)
	for _, log := range must.Get(c.Logs(b.Context()))(b) {
		var out bytes.Buffer
		must.Get(examine.Export(b.Context(), c, log, store.Filter{}, &out))(b)
		check.That(b, bytes.Equal(out.Bytes(), journal), "the journal does not come out as it went in")
	}
}
