package ingest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"math"
	"path/filepath"
	"sort"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/store"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// newCase makes a case of files and directories.
func newCase(t testing.TB, options Options, paths ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "case.db")
	fill(t, path, options, paths...)
	return path
}

// fill adds files and directories to a case.
func fill(t testing.TB, path string, options Options, paths ...string) Summary {
	t.Helper()
	defer func() {
		fault := recover()
		must.That(t, fault == nil, "%v", fault)
	}()
	return fillWith(path, options, paths...)
}

func fillWith(path string, options Options, paths ...string) Summary {
	w := must.Have(store.OpenWrite(path))
	sum := must.Have(Paths(context.Background(), w, paths, options, nil))
	must.Have(0, w.Close())
	return sum
}

func openRead(t testing.TB, path string) *store.Case {
	t.Helper()
	c := must.Get(store.OpenCase(path))(t)
	t.Cleanup(func() { c.Close() })
	return c
}

// dump writes down everything that a case holds, ordered by content and without the numbers of
// its rows. Path names are omitted.
func dump(t testing.TB, path string) string {
	t.Helper()
	c := openRead(t, path)
	defer c.Close()
	d := dumper{t: t, c: c, digests: map[int64]chain.Hash{}}
	d.sources()
	d.events()
	d.rest()
	return d.out.String()
}

type dumper struct {
	t       testing.TB
	c       *store.Case
	digests map[int64]chain.Hash
	out     strings.Builder
}

func (d *dumper) place(p facts.Place) string {
	return fmt.Sprintf("%.4s!%s %d+%d #%d", d.digests[p.Source], p.Container, p.Offset, p.Length, p.Record)
}

func (d *dumper) sources() {
	all, err := d.c.Sources(context.Background())
	d.must(err)
	for _, s := range all {
		d.digests[s.Number] = s.SHA256
		fmt.Fprintf(&d.out, "source %s %d bytes complete %t %s: %d records, %d events, %d skipped\n",
			s.SHA256, s.Size, s.Complete, s.Format, s.Records, s.Events, s.Skipped)
	}
}

func (d *dumper) events() {
	ctx := context.Background()
	logs, err := d.c.Logs(ctx)
	d.must(err)
	for _, log := range logs {
		fmt.Fprintf(&d.out, "log %s %s\n", log.TenantID, log.LogID)
		for e, err := range d.c.Select(ctx, copiesOf(log)) {
			d.must(err)
			line, err := d.c.Line(ctx, &e)
			d.must(err)
			fmt.Fprintf(&d.out, "  %d/%d %s %s %s %s %d fidelity %d bytes %x\n", e.Link.Sequence, e.Variant, e.Recorded, e.KeyID,
				e.Type, e.TransactionID, e.OccurredAt, e.Fidelity, sha256.Sum256(line))
			deliveries, err := d.c.Deliveries(ctx, e.Ref)
			d.must(err)
			check.That(d.t, int64(len(deliveries)) == e.Deliveries,
				"event %d says %d deliveries, and has %d", e.Link.Sequence, e.Deliveries, len(deliveries))
			for _, at := range deliveries {
				fmt.Fprintf(&d.out, "    %s %q %d\n", d.place(at.Place), at.Batches, at.ObservedAt)
			}
		}
	}
}

func (d *dumper) rest() {
	ctx := context.Background()
	for b, err := range d.c.Batches(ctx) {
		d.must(err)
		fmt.Fprintf(&d.out, "batch %+v\n", b)
	}
	for s, err := range d.c.Skips(ctx) {
		d.must(err)
		fmt.Fprintf(&d.out, "skip %s %d to #%d %s %s %q\n", d.place(s.Place), s.Spans, s.Through, s.Code, s.Detail, s.Excerpt)
	}
	for doc, err := range d.c.Documents(ctx) {
		d.must(err)
		fmt.Fprintf(&d.out, "document %s %s %x\n", doc.SHA256, doc.Kind, sha256.Sum256(doc.Bytes))
		for _, p := range doc.Places {
			fmt.Fprintf(&d.out, "    %s\n", d.place(p))
		}
	}
	unread, err := d.c.Unread(ctx)
	d.must(err)
	codes := map[string]int{}
	for _, u := range unread {
		codes[u.Code]++
	}
	fmt.Fprintln(&d.out, "unread", codes)
}

func (d *dumper) must(err error) {
	d.t.Helper()
	must.Do(d.t, err)
}

// copiesOf asks for all copies of the events of a log.
func copiesOf(log facts.Log) store.Filter {
	return store.Filter{TenantID: log.TenantID, LogID: log.LogID, First: 1, Last: math.MaxInt64}
}

// lines returns the lines of a log as the case gives them back, every copy.
func lines(t testing.TB, path, logID string) [][]byte {
	t.Helper()
	c := must.Get(store.OpenCase(path))(t)
	defer c.Close()
	ctx := context.Background()
	logs := must.Get(c.Logs(ctx))(t)
	var all [][]byte
	for _, log := range logs {
		if log.LogID != logID {
			continue
		}
		for e, err := range c.Select(ctx, copiesOf(log)) {
			must.Do(t, err)
			line := must.Get(c.Line(ctx, &e))(t)
			all = append(all, bytes.Clone(line))
		}
	}
	return all
}

// sameDump fails with the first line in which two dumps differ.
func sameDump(t testing.TB, got, want string) {
	t.Helper()
	if got == want {
		return
	}
	a, b := strings.Split(got, "\n"), strings.Split(want, "\n")
	i := sort.Search(min(len(a), len(b)), func(n int) bool {
		return strings.Join(a[:n+1], "\n") != strings.Join(b[:n+1],
			"\n")
	})
	must.That(t, i != min(len(a), len(b)), "%d lines, want %d", len(a), len(b))
	t.Fatalf("line %d of %d:\n got %s\nwant %s", i+1, len(b), a[i], b[i])
}
