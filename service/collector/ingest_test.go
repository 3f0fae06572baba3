package collector_test

import (
	"bytes"
	"context"
	"crypto/x509"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/svc-edge/svc-verify/forensics/examine"
	"github.com/svc-edge/svc-verify/forensics/ingest"
	"github.com/svc-edge/svc-verify/harness/chance"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/internal/testca"
	"github.com/svc-edge/svc-verify/service/collector"
	"github.com/svc-edge/svc-verify/service/durable"
	"github.com/svc-edge/svc-verify/service/nodeconfig"
	"github.com/svc-edge/svc-verify/service/otlp"

	"github.com/svc-edge/svc-verify/forensics/store"
	"github.com/svc-edge/svc-verify/trust"
	"github.com/svc-edge/svc-verify/verify"
)

const (
	tenant = "acme-corp"
	nodeID = "mesh-oslo-1"
)

// node is a node's journal with its exporter, and a collector.
type node struct {
	*testing.T
	dir       string
	key       seal.Key
	log       *seal.Log
	store     *durable.Store
	collector *collector.Collector
	exporter  *otlp.Exporter
}

func newNode(t *testing.T) *node {
	n := &node{T: t, dir: t.TempDir(), log: seal.NewLog(tenant, "node/"+nodeID)}
	n.key = seal.Key{ID: nodeID, Private: chance.New(3).Stream("node").Ed25519()}
	must.Do(n, os.Mkdir(filepath.Join(n.dir, "state"), 0o700))
	must.Do(n, os.Mkdir(filepath.Join(n.dir, "otel"), 0o700))
	var err error
	n.store, err = durable.Open(filepath.Join(n.dir, "state"), "journal")
	must.Do(n, err)
	t.Cleanup(func() { _ = n.store.Close() })
	n.start()
	return n
}

// start starts collector and exporter.
func (n *node) start() {
	authority := testca.New("collector CA")
	testca.Write(filepath.Join(n.dir, "client"), authority.Client("exporter"))
	ctx, cancel := context.WithCancel(context.Background())
	c := must.Get(collector.Start(ctx, collector.Config{
		Address: "127.0.0.1:0", Identity: authority.Server(),
		Clients: authority.Pool(), File: filepath.Join(n.dir, "otel", "logs.jsonl"), MaxBytes: 50_000,
		Log: slog.New(slog.DiscardHandler),
	}))(n)
	n.collector = c
	n.exporter = must.Get(otlp.New(otlp.Config{
		Export: &nodeconfig.Export{
			ExporterID: "siem-1", Endpoint: c.URL(),
			Authorities: nodeconfig.Authorities{Certificates: []*x509.Certificate{authority.Certificate}},
			Identity: nodeconfig.Identity{CertificateFile: nodeconfig.File{Path: filepath.Join(n.dir, "client.pem")},
				PrivateKeyFile: nodeconfig.File{Path: filepath.Join(n.dir, "client.key")}},
			BatchSize: 5, RequestTimeout: 2 * time.Second, PollInterval: time.Millisecond,
		},
		TenantID: tenant, NodeID: nodeID, Store: n.store, Clock: chance.Wall(), Log: slog.New(slog.DiscardHandler),
		Sign: func(statement seal.Object) seal.Object { return seal.Seal(statement, n.key) },
	}))(n)
	ended := make(chan error, 1)
	go func() { ended <- n.exporter.Run(ctx) }()
	n.Cleanup(func() {
		cancel()
		must.Do(n, <-ended)
		must.Do(n, c.Close())
	})
}

// write adds events with text that is awkward in JSON.
func (n *node) write(events int) {
	clock := chance.Wall()
	must.Do(n, n.store.Update(func(tx *durable.Tx) error {
		for i := range events {
			text := fmt.Sprint(i, " <é\u2028&\"\\/\x7f\t\x00😀> ", strings.Repeat("x", 100))
			event := n.log.Append(seal.Entry{Type: "policy.synced", OccurredAt: clock.Next(), Salt: [16]byte{byte(i)},
				Data: seal.Object{"text": text}}, n.key)
			if err := tx.Append(event); err != nil {
				return err
			}
		}
		return nil
	}))
	n.exporter.Wake()
}

func (n *node) await(what string, condition func() bool) {
	n.Helper()
	for deadline := time.Now().Add(time.Minute); !condition(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			n.Fatalf("in vain: %s; %+v", what, n.exporter.Status())
		}
	}
}

// TestWhatItWritesIsEvidence lets a collector misbehave in every way while a
// node exports, and examines its files: every event is there and holds, every
// batch is known by its id and is what its id says, and the journal comes out
// byte for byte.
func TestWhatItWritesIsEvidence(t *testing.T) {
	n := newNode(t)
	for _, mode := range collector.Modes() {
		must.Do(n, n.collector.SetMode(mode))
		before := n.exporter.Status()
		n.write(11)
		if mode != collector.Accept {
			n.await("a failure in mode "+string(mode), func() bool { return n.exporter.Status().Failures > before.Failures })
		}
		must.Do(n, n.collector.SetMode(collector.Accept))
		n.await("everything is exported", func() bool { return n.exporter.Status().Cursor == n.log.Sequence() })
	}

	path := filepath.Join(n.dir, "case.db")
	w := must.Get(store.OpenWrite(path))(n)
	must.Get(ingest.Paths(t.Context(), w, []string{filepath.Join(n.dir, "otel")}, ingest.Options{}, nil))(n)
	must.Do(n, w.Close())
	root := must.Get(trust.Parse(
		fmt.Appendf(
			nil, `{"audit_keys":{"a":"%s"},"minimum_audit_witnesses":1,"nodes":{"%s":"%s"},`+
				`"protected_signer_keys":{"s":"%s"},"registries":{"1":"%s"}}`,
			anotherKey("a"), nodeID, seal.Base64(n.key.Public()), anotherKey("s"), anotherKey("r"))))(n)
	result := must.Get(examine.Examine(t.Context(), path, root, examine.Options{Workers: 1, Extent: examine.Whole}))(n)
	check.That(t, result.Verdict == verify.Verified && len(result.Logs) == 1, "%s: %v", result.Verdict, result.Findings)
	n.examine(path)
}

func anotherKey(name string) string {
	return seal.Base64(seal.Key{Private: chance.New(4).Stream(name).Ed25519()}.Public())
}

// examine holds batches and events of a case against the journal.
func (n *node) examine(path string) {
	c := must.Get(store.OpenCase(path))(n)
	defer c.Close()
	batches, redelivered := 0, 0
	for b, err := range c.Batches(n.Context()) {
		must.Do(n, err)
		batches++
		if b.Redelivered > 0 {
			redelivered++
		}
		check.That(n, !b.Conflicting() && b.Genuine == b.Events && b.Stretches == 1 && len(b.ID) == 64, "a batch is %+v", b)
	}
	check.That(n, batches >= 20 && redelivered >= 8, "%d batches, %d of them delivered again", batches, redelivered)
	journal := must.Get(os.ReadFile(filepath.Join(n.dir, "state", "journal.ndjson")))(n)
	logs := must.Get(c.Logs(n.Context()))(n)
	for _, log := range logs {
		var out bytes.Buffer
		if _, err := examine.Export(n.Context(), c, log, store.Filter{}, &out); err != nil ||
			!bytes.Equal(out.Bytes(), journal) {
			n.Errorf("the journal does not come out as it went in: %v", err)
		}
	}
}
