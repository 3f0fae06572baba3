package plan_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/ingest"
	"github.com/svc-edge/svc-verify/forensics/plan"
	"github.com/svc-edge/svc-verify/forensics/read"
	"github.com/svc-edge/svc-verify/harness/dumps"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// journal is so many events, a line each.
func journal(events int) []byte {
	var b []byte
	for _, body := range dumps.Bodies(events) {
		b = append(append(b, body...), '\n')
	}
	return b
}

// write makes a folder of files.
func write(t *testing.T, files map[string][]byte) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		must.Do(t, os.WriteFile(filepath.Join(dir, name), content, 0o600))
	}
	return dir
}

func packed(t *testing.T, content []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	must.Get(w.Write(content))(t)
	must.Do(t, w.Close())
	return b.Bytes()
}

func makePlan(t *testing.T, o plan.Options, paths ...string) *plan.Plan {
	t.Helper()
	return must.Get(plan.Make(context.Background(), paths, o, nil))(t)
}

// pathError returns the source that has a name of this base.
func pathError(t *testing.T, p *plan.Plan, base string) *plan.Source {
	t.Helper()
	for i := range p.Sources {
		if slices.ContainsFunc(p.Sources[i].Names, func(n ingest.Name) bool { return filepath.Base(n.Given) == base }) {
			return &p.Sources[i]
		}
	}
	t.Fatalf("no source %s", base)
	return nil
}

// Whatever the number of shares: each byte of each source is in one range, ranges
// begin where lines do, and every digest is right.
func TestMake(t *testing.T) {
	log := journal(64)
	torn := append(bytes.Clone(log[:len(log)/2]), "\n{\n"...)
	torn = append(torn, log...)
	files := map[string][]byte{"a.ndjson": log, "b.ndjson.gz": packed(t, log), "c.ndjson": torn, "d.txt": []byte("x\n"),
		"empty": nil, "z-again.ndjson": log}
	dir := write(t, files)
	for _, shares := range []int{1, 2, 5, 11} {
		o := plan.Options{Shares: shares, Least: 1}
		p := makePlan(t, o, dir)
		must.That(t, len(p.Sources) == 5 && len(p.Unread) == 0, "%d sources, %d unread", len(p.Sources), len(p.Unread))
		for name, content := range files {
			checkRanges(t, pathError(t, p, name), content, shares)
		}
		n := len(pathError(t, p, "a.ndjson").Names)
		check.That(t, n == 2, "%d names of a file that is given twice", n)
		again := makePlan(t, o, dir)
		check.That(t, reflect.DeepEqual(p, again), "the same files, another plan:\n%+v\n%+v", p, again)
	}
}

// checkRanges checks the ranges of a source.
func checkRanges(t *testing.T, s *plan.Source, content []byte, shares int) {
	t.Helper()
	if s.Size != int64(len(content)) || s.SHA256 != chain.Hash(sha256.Sum256(content)) {
		t.Errorf("%s: %d octets with another digest", s.Names[0].Given, s.Size)
	}
	at := int64(0)
	for _, r := range s.Ranges {
		if r.From != at || r.To < r.From || r.Share < 0 || r.Share >= shares {
			t.Fatalf("%s: %+v behind %d", s.Names[0].Given, r, at)
		}
		before := content[:r.From]
		if consumed := r.From - int64(bytes.Count(before, []byte("\n"))); r.Consumed != consumed {
			t.Errorf("%s: %d octets consumed before a range, expected %d", s.Names[0].Given, r.Consumed, consumed)
		}
		if len(before) > 0 && !bytes.HasPrefix(content[r.From:], []byte(`{"body":{"data":`)) {
			t.Errorf("%s: a range begins with %.20q", s.Names[0].Given, content[r.From:])
		}
		if r.SHA256 != chain.Hash(sha256.Sum256(content[r.From:r.To])) {
			t.Errorf("%s: the digest of a range is another", s.Names[0].Given)
		}
		at = r.To
	}
	if at != s.Size {
		t.Errorf("%s: %d of %d octets are in ranges", s.Names[0].Given, at, s.Size)
	}
}

// A journal is cut into shares of about the same size. Behind damage it is not cut, and a
// packed file is never cut.
func TestCuts(t *testing.T) {
	log := journal(64)
	line := int64(bytes.IndexByte(log, '\n')) * 2
	files := map[string][]byte{"whole.ndjson": log, "torn.ndjson": slices.Concat(log, []byte("{\n"), log, log),
		"damaged.ndjson": slices.Concat([]byte("{\n"), log), "packed.gz": packed(t, log)}
	dir := write(t, files)
	for name, want := range map[string]int{"whole.ndjson": 4, "torn.ndjson": 2, "damaged.ndjson": 1, "packed.gz": 1} {
		p := makePlan(t, plan.Options{Shares: 4, Least: 1}, filepath.Join(dir, name))
		ranges := p.Sources[0].Ranges
		check.That(t, len(ranges) == want, "%s: %d ranges, expected %d", name, len(ranges), want)
		for i, r := range ranges[:len(ranges)-1] {
			each, file := int64(len(files[name]))/4, int64(4<<10) // the cost of opening one
			check.That(t, r.To-r.From <= each+line+file && r.To-r.From >= each-line-file && r.Share == i,
				"%s: share %d has %d octets, expected about %d", name, r.Share, r.To-r.From, each)
		}
	}
	small := makePlan(t, plan.Options{Shares: 4}, filepath.Join(dir, "whole.ndjson"))
	n := len(small.Sources[0].Ranges)
	check.That(t, n == 1, "a small file is cut into %d ranges", n)
}

// workOf returns the work of each share, as a plan measures it.
func workOf(p *plan.Plan) []int64 {
	work := make([]int64, p.Shares)
	for i := range work {
		for _, piece := range p.Share(i) {
			weight := piece.To - piece.From
			if strings.HasSuffix(piece.Names[0].Given, ".gz") {
				weight *= 3
			}
			work[i] += weight + 4<<10
		}
	}
	return work
}

// Shares have about equal work, and a log stays in as few of them as it fits.
func TestShares(t *testing.T) {
	files := map[string][]byte{}
	for i := range 40 {
		files[fmt.Sprintf("%02d.gz", i)] = packed(t, journal(8+i%3))
		files[fmt.Sprintf("%02d.ndjson", i)] = append(journal(16), fmt.Sprintf("%d\n", i)...)
	}
	dir := write(t, files)
	p := makePlan(t, plan.Options{Shares: 5, Least: 1 << 10}, dir)
	work := workOf(p)
	least, most := slices.Min(work), slices.Max(work)
	check.That(t, least*5 >= most*4, "work from %d to %d: %d", least, most, work)
}

// Where there are more shares than ranges of the smallest size, each range is a share,
// whatever else there is, and no share gets content that others have no room for.
func TestManyShares(t *testing.T) {
	files := map[string][]byte{"a.ndjson": journal(64), "b.ndjson": journal(200), "c.ndjson": journal(512)}
	for i := range 30 {
		files[fmt.Sprintf("%02d.gz", i)] = packed(t, journal(1+i))
	}
	dir := write(t, files)
	for _, shares := range []int{2, 20, 1000} {
		p := makePlan(t, plan.Options{Shares: shares, Least: 10 << 10}, dir)
		total, work := int64(0), workOf(p)
		for _, w := range work {
			total += w
		}
		most, fair := slices.Max(work), total/int64(shares)+30<<10
		check.That(t, most <= fair, "%d shares: one has %d of the work %d, expected at most %d", shares, most, total, fair)
	}
}

// Unread paths are in the plan, in the form that an ingest reports.
func TestUnread(t *testing.T) {
	dir := write(t, map[string][]byte{"a.ndjson": journal(1)})
	must.Do(t, os.Symlink(os.DevNull, filepath.Join(dir, "link")))
	p := makePlan(t, plan.Options{}, dir, filepath.Join(dir, "none"))
	want := []facts.Unread{
		{Path: filepath.Join(dir, "link"), Code: "source.not-evidence", Detail: "a symbolic link, which is not followed"},
		{Path: filepath.Join(dir, "none"), Code: "source.unreadable", Detail: "no such file or directory"}}
	check.That(t, slices.Equal(p.Unread, want), "%+v, expected %+v", p.Unread, want)
	_, err := plan.Make(context.Background(), []string{"-"}, plan.Options{}, nil)
	check.That(t, err == ingest.ErrStream, "the standard input: %v", err)
}

// How evidence is read is in the plan, and in the reading of each piece.
func TestReadPiece(t *testing.T) {
	dir := write(t, map[string][]byte{"a": bytes.ReplaceAll(journal(8), []byte(`{"body"`), []byte(` {"body"`))})
	o := plan.Options{Shares: 2, Least: 1, Ingest: ingest.Options{Read: read.Options{Format: read.Bodies,
		BatchAttributes: []string{"b", "a", "b"}}}}
	p := makePlan(t, o, dir)
	for i := range 2 {
		pieces := p.Share(i)
		must.That(t, len(pieces) == 1, "share %d has %d pieces", i, len(pieces))
		want := read.Options{Format: read.Bodies, BatchAttributes: []string{"a", "b"},
			Range: &read.Position{Offset: pieces[0].From, Consumed: pieces[0].Consumed}}
		got := p.ReadPiece(pieces[0])
		check.That(t, reflect.DeepEqual(got, want), "share %d is read with %+v, expected %+v", i, got, want)
	}
	p = makePlan(t, plan.Options{Shares: 3}, dir)
	got := p.ReadPiece(p.Share(p.Sources[0].Ranges[0].Share)[0])
	check.That(t, got.Range == nil && got.Format == "", "a whole source is read with %+v", got)
}

// Files are cut in the same way whatever the pieces in which they are read, and a line that is
// too long ends the cuts.
func TestLargeFiles(t *testing.T) {
	log := bytes.Repeat(journal(64), 100) // read in several pieces
	long := slices.Concat(log, bytes.Repeat([]byte("x"), 3<<20), []byte("\n"), log)
	files := map[string][]byte{"log.ndjson": log, "long.ndjson": long}
	dir := write(t, files)
	for name, least := range map[string]int{"log.ndjson": 5, "long.ndjson": 2} {
		p := makePlan(t, plan.Options{Shares: 5}, filepath.Join(dir, name))
		checkRanges(t, &p.Sources[0], files[name], 5)
		n := len(p.Sources[0].Ranges)
		check.That(t, n >= least, "%s: %d ranges, expected %d", name, n, least)
		last := p.Sources[0].Ranges[len(p.Sources[0].Ranges)-1]
		check.That(t, name != "long.ndjson" || last.From <= int64(len(log)),
			"cut at %d, behind a line that is too long", last.From)
	}
}

// Exports of a collector are cut between requests, however long these are.
func TestLongLines(t *testing.T) {
	bodies := dumps.Bodies(64)
	for range 7 {
		bodies = append(bodies, bodies...)
	}
	file := dumps.Named("file-json").Write(bodies, dumps.Options{Size: 3000, Batches: []string{strings.Repeat("0", 64)}})
	lines := bytes.Count(file, []byte("\n"))
	dir := write(t, map[string][]byte{"a": file})
	p := makePlan(t, plan.Options{Shares: 5, Least: 1}, dir)
	ranges := p.Sources[0].Ranges
	longest := len(file) / lines
	check.That(t, lines <= 4 && longest >= 2<<20 && len(ranges) == lines,
		"%d ranges of %d lines of about %d octets", len(ranges), lines, longest)
	for _, r := range ranges {
		if head := file[:r.From]; r.Consumed != int64(len(head)-bytes.Count(head, []byte("\n"))) ||
			len(head) > 0 && head[len(head)-1] != '\n' {
			t.Errorf("%d octets consumed of the %d before a range", r.Consumed, r.From)
		}
	}
}
