package otlp

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/svc-edge/svc-verify/harness/chance"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/internal/testca"
	"github.com/svc-edge/svc-verify/service/collector"
	"github.com/svc-edge/svc-verify/service/durable"
	"github.com/svc-edge/svc-verify/service/nodeconfig"
)

const (
	tenant   = "acme-corp"
	nodeID   = "mesh-oslo-1"
	exporter = "siem/1"
)

// nodeKey signs events and cursors.
var nodeKey = seal.Key{ID: nodeID, Private: chance.New(7).Stream("node").Ed25519()}

func sign(statement seal.Object) seal.Object { return seal.Seal(statement, nodeKey) }

// bench is a node's journal, a collector, and all certificates.
type bench struct {
	testing.TB
	dir       string
	authority *testca.Authority
	collector *collector.Collector
	endpoint  string
	store     *durable.Store
	log       *seal.Log
}

// newBench makes the certificates, starts a collector and opens a journal.
func newBench(t testing.TB) *bench {
	b := &bench{TB: t, dir: t.TempDir(), authority: testca.New("collector CA")}
	b.authority.Write(b.path("ca.pem"))
	b.renew()
	ctx, cancel := context.WithCancel(context.Background())
	c := must.Get(collector.Start(ctx, collector.Config{
		Address: "127.0.0.1:0", Identity: b.serverIdentity(net.IPv4(127, 0, 0, 1), net.IPv4zero), Clients: b.authority.Pool(),
		File: b.path("logs.jsonl"), Log: slog.New(slog.DiscardHandler),
	}))(b)
	b.collector, b.endpoint = c, c.URL()
	t.Cleanup(func() {
		cancel()
		check.Do(t, c.Close())
	})
	must.Do(b, os.Mkdir(b.path("state"), 0o700))
	b.open()
	return b
}

func (b *bench) path(name string) string { return filepath.Join(b.dir, name) }

func (b *bench) serverIdentity(addresses ...net.IP) tls.Certificate {
	template := testca.ServerTemplate()
	template.IPAddresses = addresses
	return b.authority.Issue(template)
}

// renew writes a new identity of the exporter.
func (b *bench) renew() { b.identify(b.authority.Client("exporter")) }

// identify writes an identity of the exporter.
func (b *bench) identify(identity tls.Certificate) { testca.Write(b.path("client"), identity) }

// export is the configuration of the exporter.
func (b *bench) export() *nodeconfig.Export {
	ca := must.Get(os.ReadFile(b.path("ca.pem")))(b)
	block, _ := pem.Decode(ca)
	authority := must.Get(x509.ParseCertificate(block.Bytes))(b)
	return &nodeconfig.Export{
		ExporterID:  exporter,
		Endpoint:    b.endpoint,
		Authorities: nodeconfig.Authorities{Certificates: []*x509.Certificate{authority}},
		Identity: nodeconfig.Identity{
			CertificateFile: nodeconfig.File{Pointer: "/otlp_audit_client_certificate_file", Path: b.path("client.pem")},
			PrivateKeyFile:  nodeconfig.File{Pointer: "/otlp_audit_client_private_key_file", Path: b.path("client.key")},
		},
		BatchSize:      7,
		RequestTimeout: time.Minute,
		PollInterval:   5 * time.Millisecond,
	}
}

func (b *bench) config() Config {
	return Config{
		Export: b.export(), TenantID: tenant, NodeID: nodeID, Store: b.store, Sign: sign,
		Clock: chance.Wall(), Log: slog.New(slog.DiscardHandler),
	}
}

// run runs an exporter until stop is called or the test ends.
func (b *bench) run(c Config) (e *Exporter, stop func()) {
	b.Helper()
	e = must.Get(New(c))(b)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- e.Run(ctx) }()
	stopped := false
	stop = func() {
		cancel()
		if stopped {
			return
		}
		stopped = true
		check.Do(b, <-ended)
	}
	b.Cleanup(stop)
	return e, stop
}

// open opens the store, and the log that is in it.
func (b *bench) open() {
	b.Helper()
	store := must.Get(durable.Open(b.path("state"), "journal"))(b)
	b.store = store
	b.Cleanup(func() { _ = store.Close() })
	var events []seal.Object
	for {
		lines := must.Get(store.Lines(uint64(len(events)), 1000))(b)
		if len(lines) == 0 {
			break
		}
		for _, line := range lines {
			event := must.Get(seal.Parse(line))(b)
			events = append(events, event)
		}
	}
	b.log = seal.LogOf(tenant, "node/"+nodeID, events)
}

// append adds n events to the journal, which have so many bytes of text.
func (b *bench) append(n, size int) {
	b.Helper()
	must.Do(b, b.store.Update(func(tx *durable.Tx) error {
		for range n {
			if err := tx.Append(b.event(size)); err != nil {
				return err
			}
		}
		return nil
	}))
}

func (b *bench) event(size int) seal.Object {
	return b.log.Append(seal.Entry{
		Type: "policy.synced", OccurredAt: time.Now(), Salt: [16]byte{1},
		Data: seal.Object{"text": strings.Repeat("ø", size/2)},
	}, nodeKey)
}

// drained waits until everything is exported.
func (b *bench) drained(e *Exporter) {
	b.Helper()
	e.Wake()
	must.Eventually(b, "everything is exported", func() bool {
		s := e.Status()
		return s.Backlog() == 0 && s.ErrorCode == "" && s.Cursor == b.log.Sequence()
	})
}

// logTo returns a logger of lines of JSON.
func logTo(w io.Writer) *slog.Logger {
	return slog.New(slog.NewJSONHandler(w, &slog.HandlerOptions{Level: slog.LevelDebug}))
}

func describe(s Status) string {
	return fmt.Sprintf("%s %q, cursor %d of %d, %d taken, %d not", s.Health(), s.ErrorCode, s.Cursor, s.SourceHead,
		s.Successes, s.Failures)
}
