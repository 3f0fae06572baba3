//go:build unix

package partview_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/chain/event"
	"github.com/svc-edge/svc-verify/forensics/evidence"
	"github.com/svc-edge/svc-verify/forensics/examine"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/fleettest"
	"github.com/svc-edge/svc-verify/forensics/part"
	"github.com/svc-edge/svc-verify/harness/fleet"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/trust"
)

// generated are the records of a journal that nobody wrote: all of it is judged, so
// that no verdict asks for more. It is one range of a source of several.
type generated struct {
	header   part.Header
	log      facts.Log
	keyID    string
	first, n uint64 // events
	of       uint64 // events of the whole source
	one      chain.Hash
}

const octets = 1000 // of an event

func (g *generated) hash(n uint64) (h chain.Hash) {
	if n == 0 {
		return chain.Genesis(g.log.TenantID, g.log.LogID)
	}
	for i := range 4 {
		x := n*4 + uint64(i) + uint64(g.one[0])<<56
		x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
		x = (x ^ x>>27) * 0x94d049bb133111eb
		binary.LittleEndian.PutUint64(h[8*i:], x^x>>31)
	}
	return h
}

func (g *generated) Header() part.Header { return g.header }

func (g *generated) Shares() []part.Share {
	return []part.Share{{Source: g.one, Size: int64(g.of) * octets, Complete: true,
		Range:      part.Range{From: int64(g.first-1) * octets, To: int64(g.first-1+g.n) * octets},
		Paths:      []part.Path{{Given: g.log.LogID + ".ndjson"}},
		Containers: []part.Container{{Format: "journal", Why: "it is", Unbatched: int64(g.n)}},
		Records:    int64(g.n), Events: int64(g.n)}}
}

func (g *generated) Unread() []facts.Unread { return nil }
func (g *generated) Logs() []facts.Log      { return []facts.Log{g.log} }

func nothing[T any](func(T, error) bool) {}

func (g *generated) Skips(context.Context) iter.Seq2[*part.Skip, error] { return nothing[*part.Skip] }
func (g *generated) Documents(context.Context) iter.Seq2[*part.Document, error] {
	return nothing[*part.Document]
}
func (g *generated) Batches(context.Context) iter.Seq2[*part.Batch, error] {
	return nothing[*part.Batch]
}

func (g *generated) Copies(_ context.Context, _ facts.Log, from uint64) iter.Seq2[*part.Copy, error] {
	return func(yield func(*part.Copy, error) bool) {
		arrivals := make([]part.Arrival, 1)
		for n := max(from, g.first); n < g.first+g.n; n++ {
			h := g.hash(n)
			arrivals[0] = part.Arrival{Place: part.Place{Offset: int64(n-1) * octets, Length: octets,
				Record: int64(n - g.first)}, Fidelity: 1}
			c := &part.Copy{Size: octets - 400, Arrivals: arrivals}
			c.Link = chain.Link{Sequence: n, Previous: g.hash(n - 1), Skip: g.hash(chain.Skip(n))}
			c.Recorded, c.Computed, c.Signed = h, h, event.OverContent
			c.KeyID, c.Type, c.OccurredAt = g.keyID, g.typeOf(n), 1_700_000_000_000+int64(n)*1000
			copy(c.Digest[:], h[16:])
			if !yield(c, nil) {
				return
			}
		}
	}
}

// typeOf makes one event in ten a statement.
func (g *generated) typeOf(n uint64) string {
	if n%10 == 0 {
		return event.CheckpointWitness
	}
	return "config.synced"
}

func (g *generated) Statements(_ context.Context, _ facts.Log, from uint64) iter.Seq2[*part.Statement, error] {
	return func(yield func(*part.Statement, error) bool) {
		for n := max(from, g.first); n < g.first+g.n; n++ {
			if n%10 != 0 {
				continue
			}
			h := g.hash(n)
			s := &part.Statement{Sequence: n, Type: event.CheckpointWitness,
				Said: evidence.AppendSaid(nil, &evidence.Said{Digest: h, Sequence: n, Head: h})}
			copy(s.Digest[:], h[16:])
			if !yield(s, nil) {
				return
			}
		}
	}
}

// generate writes parts of journals of nodes, and returns them opened.
func generate(b *testing.B, root *trust.Root, journals, cuts int, events uint64) []part.Content {
	b.Helper()
	nodes := nodesOf(root)
	var all []part.Content
	for j := range journals {
		node := nodes[j%len(nodes)]
		for k := range uint64(cuts) {
			g := &generated{header: part.Header{Rules: "1", TrustSHA256: chain.Hash(root.SHA256())},
				log:   facts.JournalOf(fmt.Sprintf("tenant-%d", j/len(nodes)), node.Node),
				keyID: node.ID, first: k*events/uint64(cuts) + 1, of: events}
			g.n = (k+1)*events/uint64(cuts) + 1 - g.first
			g.one[0], g.one[1] = byte(j), byte(j>>8)
			path := filepath.Join(b.TempDir(), "part")
			f := must.Get(os.Create(path))(b)
			must.Get(part.Write(b.Context(), f, g, nil))(b)
			f.Close()
			p := must.Get(part.OpenPath(b.Context(), path, nil))(b)
			b.Cleanup(func() { p.Close() })
			all = append(all, p)
		}
	}
	return all
}

func nodesOf(root *trust.Root) (all []trust.Key) {
	for _, node := range root.Nodes() {
		all = append(all, root.NodeKeys(node)[0])
	}
	return all
}

func cpu() float64 {
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		panic(err)
	}
	return float64(r.Utime.Nano() + r.Stime.Nano())
}

// BenchmarkConclude measures the verdict on generated parts: CPU for each event, of
// opening aside.
func BenchmarkConclude(b *testing.B) {
	root := fleettest.Root(b, fleettest.Evidence(b, fleet.Scene))
	for _, c := range []struct {
		journals, cuts int
		events         uint64
	}{{4, 1, 100_000}, {4, 25, 100_000}, {100, 1, 4_000}, {100, 10, 40_000}} {
		b.Run(fmt.Sprintf("journals=%d/parts=%d", c.journals, c.journals*c.cuts), func(b *testing.B) {
			parts := generate(b, root, c.journals, c.cuts, c.events)
			merged := must.Get(part.Merge(parts...))(b)
			runtime.GC()
			before := cpu()
			for b.Loop() {
				r := must.Get(examine.Of(b.Context(), view(b, merged).Bounded(1<<18, 256), root,
					examine.Options{Workers: 1}))(b)
				if n := len(r.Logs); n < c.journals {
					b.Fatal(n)
				}
			}
			b.ReportMetric((cpu()-before)/float64(b.N)/float64(uint64(c.journals)*c.events), "cpu-ns/event")
		})
	}
}
