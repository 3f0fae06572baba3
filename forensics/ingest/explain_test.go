package ingest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/read"
	"github.com/svc-edge/svc-verify/harness/chance"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// explain returns the explanations of some paths.
func explain(t testing.TB, options Options, paths ...string) []*Explained {
	t.Helper()
	var all []*Explained
	must.Do(t, Explain(context.Background(), paths, options, nil, func(x *Explained) error {
		all = append(all, x)
		return nil
	}))
	return all
}

// leftOpen counts the spans of a case that are not read.
func leftOpen(t testing.TB, path string) (n int64) {
	t.Helper()
	for s, err := range openRead(t, path).Skips(t.Context()) {
		must.Do(t, err)
		if entry, _ := finding.Lookup(finding.Code(s.Code)); entry.Effect != finding.None {
			n += s.Spans
		}
	}
	return n
}

// TestExplainFindsWhatIngestFinds: of any evidence, an explanation counts the events, the
// documents and the spans that a case of it has, and leaves nothing behind. Items shown and
// not shown add up to all reports.
func TestExplainFindsWhatIngestFinds(t *testing.T) {
	evidence := map[string][]byte{}
	for i, s := range manySources() {
		evidence[fmt.Sprint(i)] = s
	}
	r, all := rand.New(rand.NewPCG(7, 7)), worsts()
	for _, name := range sortedKeys(all) {
		evidence[name], _ = all[name](r, chance.Sized(8_000, 2_000))
	}
	for i, name := range slices.Sorted(maps.Keys(evidence)) {
		if i%chance.Sized(1, 7) != 0 {
			continue
		}
		content := evidence[name]
		dir := t.TempDir()
		path := write(t, dir, "evidence", content)
		db := filepath.Join(t.TempDir(), "case.db")
		sum := fill(t, db, Options{}, path)
		all := explain(t, Options{}, dir)
		must.That(t, len(all) == 1 && all[0].Path == path && all[0].Octets == int64(len(content)),
			"%s: %+v", name, all)
		x := all[0]
		if x.Events != sum.Events || x.Documents != sum.Documents || x.NotRead != leftOpen(t, db) {
			t.Errorf("%s: %+v, want %+v and %d spans", name, x.Tally, sum, leftOpen(t, db))
		}
		var reports counter
		must.Do(t, read.Read(t.Context(), bytes.NewReader(content), read.Options{}, &reports))
		shown := x.Unlisted
		for _, c := range x.Containers {
			shown += int64(len(c.Shown)) + c.Alike
		}
		check.That(t, shown == int64(reports), "%s: %d reports are accounted for, of %d", name, shown, reports)
		left, err := os.ReadDir(dir)
		check.That(t, err == nil && len(left) == 1, "%s: %v, %v", name, left, err)
	}
}

// counter counts the reports.
type counter int

func (*counter) Format(string, read.Format, string) error { return nil }
func (c *counter) Record(*read.Record) error              { *c++; return nil }
func (c *counter) Skip(read.Skip) error                   { *c++; return nil }

// TestExplained: an explanation shows the kind, place and format of three items of a kind, and
// of each item of another kind.
func TestExplained(t *testing.T) {
	events := journal(berlin, 9, 1)
	content := slices.Concat(batched("one", events[0]), file(events[1:6]), []byte("{\"level\":\"info\"}\n"),
		batched("two", events[6]), []byte("{\"body\":{\"data\":\n"), file(events[7:]))
	x := explain(t, Options{}, write(t, t.TempDir(), "mixed", content))[0]
	if want := (Tally{Events: 9, Other: 1, NotRead: 1}); x.Tally != want || len(x.Containers) != 1 ||
		x.Containers[0].Tally != want {
		t.Fatalf("%+v, want %+v", x, want)
	}
	c := x.Containers[0]
	if len(c.Formats) != 2 || c.Formats[0].Format != read.OTLPJSON || c.Formats[1].Format != read.Journal ||
		c.Formats[1].Why == "" {
		t.Errorf("formats %+v", c.Formats)
	}
	var got []string
	for _, s := range c.Shown {
		sequence := uint64(0)
		if s.Event != nil {
			sequence = s.Event.Sequence
		}
		got = append(got, fmt.Sprint(s.Record, s.What, s.Format, s.Fidelity, sequence, s.Batches, s.Code))
	}
	want := []string{
		"0 event otlp-json exact 1 [{one record}] ",
		"1 event journal exact 2 [] ",
		"2 event journal exact 3 [] ",
		"6 other   0 [] source.no-record",
		"8 not-read   0 [] source.unparseable-record",
	}
	for i, w := range want {
		want[i] = strings.ReplaceAll(w, " ", "")
	}
	for i, g := range got {
		got[i] = strings.ReplaceAll(g, " ", "")
	}
	check.That(t, slices.Equal(got, want) && c.Alike == 6, "%q and %d more, want %q", got, c.Alike, want)
	first := c.Shown[1]
	if e := first.Event; e.LogID != berlin || e.OccurredAt == "" || e.KeyID == "" || e.TenantID == "" || e.Type == "" ||
		first.Offset != int64(len(batched("one", events[0]))) || first.Length != int64(len(events[1])) ||
		!strings.HasPrefix(first.Begins, `{"body":{"data":`) {
		t.Errorf("%+v, %+v", first, e)
	}
}

// TestExplainedContainers: of an archive of many members, the first are shown, and
// those in which there is something new, however far behind.
func TestExplainedContainers(t *testing.T) {
	events := journal(berlin, 200, 1)
	var members []string
	for i, e := range events {
		content := append(slices.Clone(e), '\n')
		if i == 150 {
			content = content[:100]
		}
		members = append(members, fmt.Sprint("m", i), string(content))
	}
	x := explain(t, Options{}, write(t, t.TempDir(), "a.tar", must.Tar(members...)))[0]
	last := x.Containers[len(x.Containers)-1]
	if x.Events != 199 || x.NotRead != 1 || len(x.Containers) != firstContainers+1 || last.Path != "m150" ||
		last.NotRead != 1 || len(last.Shown) != 1 || x.Unlisted != 200-firstContainers {
		t.Errorf("%+v, of %d containers the last is %+v", x, len(x.Containers), last)
	}
}

// TestExplainRefuses: a path that cannot be read is explained as a whole, with its code; the
// explanation continues with the rest.
func TestExplainRefuses(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "journal", file(journal(berlin, 2, 1)))
	for name, target := range map[string]string{"link": "journal", "lost": "nothing"} {
		must.Do(t, os.Symlink(target, filepath.Join(dir, name)))
	}
	all := explain(t, Options{}, filepath.Join(dir, "absent"), dir)
	if len(all) != 4 || all[2].Code != string(finding.SourceNoRecord) || all[2].NotRead != 0 ||
		all[0].Code != string(finding.SourceUnreadable) || all[0].NotRead != 1 || all[0].Detail == "" ||
		all[1].Events != 2 || all[1].Code != "" || all[3].Code != string(finding.SourceNotEvidence) || all[3].NotRead != 1 {
		t.Errorf("%+v", all)
	}
	bad := failing{bytes.NewReader(file(journal(berlin, 2000, 1))), 900_000}
	var x *Explained
	e := &explainer{progress: func(Progress) {}, take: func(got *Explained) error { x = got; return nil }}
	size := bad.ReaderAt.(*bytes.Reader).Size()
	must.Do(t, e.visitSource(t.Context(), &Source{File: bad, Path: "bad", Size: size}, io.NewSectionReader(bad, 0, size)))
	check.That(t, x.Code == string(finding.SourceUnreadable) && x.Events != 0 && x.Events != 2000, "%+v", x)
}

// TestExplainEnds: standard input is explained like a file, and an error of it, of the caller
// or of the context ends the work.
func TestExplainEnds(t *testing.T) {
	content := file(journal(berlin, 3000, 1))
	all := explain(t, Options{Stdin: bytes.NewReader(content)}, "-")
	check.That(t, len(all) == 1 && all[0].Events == 3000 &&
		all[0].Path == "-" && all[0].Octets == int64(len(content)), "%+v", all)
	stop := errors.New("stop")
	path := write(t, t.TempDir(), "journal", content)
	fails := func(*Explained) error { return stop }
	if err := Explain(t.Context(), []string{path, path}, Options{}, nil, fails); !errors.Is(err, stop) {
		t.Errorf("%v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	steps := 0
	err := Explain(ctx, []string{path}, Options{}, func(Progress) { cancel(); steps++ },
		func(*Explained) error { return nil })
	check.That(t, errors.Is(err, context.Canceled) && steps != 0, "%v after %d steps", err, steps)
}

// TestExplainedIsBounded: names and bytes are shown so that they are safe, and not
// more of them than fits.
func TestExplainedIsBounded(t *testing.T) {
	for octets, want := range map[string]string{
		"":                          "",
		"a\x1b[2J\n\xff\u202e":      `a\x1b[2J\n\xff\u202e`,
		strings.Repeat("x", 64):     strings.Repeat("x", 63) + "…",
		strings.Repeat("x", 63):     strings.Repeat("x", 63),
		strings.Repeat("\x00", 100): strings.Repeat(`\x00`, 15) + "…",
	} {
		got := beginningOf([]byte(octets))
		check.That(t, got == want, "%q: %s", octets, got)
	}
}

// TestExplainedVolumes: volumes of one file are explained as that file.
func TestExplainedVolumes(t *testing.T) {
	dir := t.TempDir()
	content := must.Gzip(file(journal(berlin, 50, 1)))
	write(t, dir, "a.gz.001", content[:3000])
	write(t, dir, "a.gz.002", content[3000:])
	all := explain(t, Options{}, dir)
	check.That(t, len(all) == 1 && all[0].Events == 50 && strings.HasPrefix(all[0].Remark, "joined from 2 volumes"),
		"%+v", all)
}

// failing reads some of a file and then fails as a bad disk does.
type failing struct {
	io.ReaderAt
	good int64
}

func (f failing) ReadAt(b []byte, at int64) (int, error) {
	if at >= f.good {
		return 0, &fs.PathError{Op: "read", Path: "x", Err: syscall.EIO}
	}
	return f.ReaderAt.ReadAt(b[:min(int64(len(b)), f.good-at)], at)
}
