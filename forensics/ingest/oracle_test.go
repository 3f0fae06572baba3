package ingest

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/svc-edge/svc-verify/chain/event"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/store"
	"github.com/svc-edge/svc-verify/internal/must"
)

// sent is one record of a source.
type sent struct {
	id   string // of its batch; "" for a line of a journal
	line []byte
}

// encode returns the line of a record, and the place of the record in it.
func (s sent) encode() (line []byte, offset, length int) {
	if s.id == "" {
		return append(bytes.Clone(s.line), '\n'), 0, len(s.line)
	}
	const before, after = `{"resourceLogs":[{"scopeLogs":[{"logRecords":[`, "]}]}]}\n"
	line = batched(s.id, s.line)
	return line, len(before), len(line) - len(before) - len(after)
}

// naive returns the expected content of a case, written down from the definition: each copy of
// an event with every place where it is.
func naive(sources map[string][]sent) []string {
	copies := map[string][]string{}
	for name, records := range sources {
		start := 0
		for i, r := range records {
			ids := ""
			if r.id != "" {
				ids = "record:" + r.id
			}
			line, offset, length := r.encode()
			copies[string(r.line)] = append(copies[string(r.line)],
				fmt.Sprintf("%s %d+%d #%d %s", name, start+offset, length, i, ids))
			start += len(line)
		}
	}
	var all []string
	for line, places := range copies {
		var l event.Line
		if !event.Scan([]byte(line), &l) {
			panic("not an event")
		}
		slices.Sort(places)
		all = append(all, fmt.Sprintf("%s %08d %s %s", l.LogID, l.Link.Sequence, line, strings.Join(places, ", ")))
	}
	slices.Sort(all)
	return all
}

// held returns the same as the case contains it.
func held(t *rapid.T, dir, path string) []string {
	ctx := context.Background()
	c := must.Have(store.OpenCase(path))
	defer c.Close()
	names := map[int64]string{}
	for _, s := range must.Have(c.Sources(ctx)) {
		names[s.Number] = strings.TrimPrefix(s.Paths[0], dir+"/")
	}
	var all []string
	for _, log := range must.Have(c.Logs(ctx)) {
		last := ""
		for e, err := range c.Select(ctx, copiesOf(log)) {
			must.Do(t, err)
			var places []string
			for _, d := range must.Have(c.Deliveries(ctx, e.Ref)) {
				ids := ""
				for _, b := range d.Batches {
					ids = b.Where + ":" + b.ID
				}
				places = append(places, fmt.Sprintf("%s %d+%d #%d %s", names[d.Source], d.Offset, d.Length, d.Record, ids))
			}
			slices.Sort(places)
			line := must.Have(c.Line(ctx, &e))
			var l event.Line
			must.That(t, event.Scan(line, &l), "no line: %s", line)
			digest := facts.CopyDigest(l.Recorded, l.Link, &l.Signature, l.KeyID)
			order := fmt.Sprintf("%08d %x", e.Link.Sequence, digest)
			must.That(t, order > last, "%s after %s", order, last)
			last = order
			all = append(all, fmt.Sprintf("%s %08d %s %s", log.LogID, e.Link.Sequence, line,
				strings.Join(places, ", ")))
		}
	}
	slices.Sort(all)
	return all
}

// TestCaseHoldsWhatWasGiven compares cases of random evidence, in random cuts,
// with the naive definition.
func TestCaseHoldsWhatWasGiven(t *testing.T) {
	pool := append(journal(berlin, 40, 1), journal(oslo, 15, 2)...)
	pool = append(pool, journal(berlin, 30, 3)[20:]...) // a fork
	for _, line := range pool[5:9] {
		pool = append(pool, tampered(line))
	}
	rapid.Check(t, func(t *rapid.T) {
		dir := must.Have(os.MkdirTemp("", "case"))
		defer os.RemoveAll(dir)
		sources, given := map[string][]sent{}, map[string]bool{}
		for i := range rapid.IntRange(1, 4).Draw(t, "sources") {
			var records []sent
			var content []byte
			for range rapid.IntRange(1, 6).Draw(t, "runs") {
				first := rapid.IntRange(0, len(pool)-1).Draw(t, "first")
				run := pool[first:min(len(pool), first+rapid.IntRange(1, 12).Draw(t, "length"))]
				id := rapid.SampledFrom([]string{"", "a", "b"}).Draw(t, "id")
				for range rapid.IntRange(1, 2).Draw(t, "times") {
					for _, line := range run {
						records = append(records, sent{id, line})
						encoded, _, _ := records[len(records)-1].encode()
						content = append(content, encoded...)
					}
				}
			}
			name := fmt.Sprint(i)
			if given[string(content)] { // the same content is one source
				continue
			}
			given[string(content)] = true
			sources[name] = records
			must.Do(t, os.WriteFile(filepath.Join(dir, name), content, 0o600))
		}
		path := filepath.Join(must.Have(os.MkdirTemp("", "case")), "case.db")
		defer os.RemoveAll(filepath.Dir(path))
		fillWith(path, Options{ChunkRecords: rapid.IntRange(1, 60).Draw(t, "chunk"),
			Workers: rapid.IntRange(1, 3).Draw(t, "workers")}, dir)
		got, want := held(t, dir, path), naive(sources)
		for i := range min(len(got), len(want)) {
			must.That(t, got[i] == want[i], "copy %d:\n got %s\nwant %s", i, got[i], want[i])
		}
		must.That(t, len(got) == len(want), "%d copies, want %d", len(got), len(want))
	})
}
