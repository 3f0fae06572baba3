package share_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/chain/event"
	"github.com/svc-edge/svc-verify/forensics/cases"
	"github.com/svc-edge/svc-verify/forensics/ingest"
	"github.com/svc-edge/svc-verify/forensics/part"
	"github.com/svc-edge/svc-verify/forensics/share"
	"github.com/svc-edge/svc-verify/harness/fleet"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/trust"
)

// written writes logs of the fleet and one store's export of them, and returns their folder
// and the trust file.
func written(t testing.TB) (string, *trust.Root) {
	t.Helper()
	e, dir := cases.Evidence(t, fleet.Scene), t.TempDir()
	must.Do(t, e.Write(dir, fleet.TenantLog, "journals", "cursors", "bundles", fleet.Store("loki/query.jsonl")))
	return dir, cases.Root(t, e)
}

// partOf returns the part of some evidence.
func partOf(t testing.TB, paths []string, root *trust.Root, o share.Options) []byte {
	t.Helper()
	o.Dir = t.TempDir()
	s := must.Get(share.Read(t.Context(), paths, root, o))(t)
	var b bytes.Buffer
	must.Get(part.Write(t.Context(), &b, s, nil))(t)
	must.Do(t, s.Close())
	left, err := os.ReadDir(o.Dir)
	check.That(t, err == nil && len(left) == 0, "%v is left behind, %v", left, err)
	return b.Bytes()
}

// One input gives one part, whatever the number of workers, the size of chunks and the
// memory of a run are.
func TestOnePart(t *testing.T) {
	dir, root := written(t)
	want := partOf(t, []string{dir}, root, share.Options{Options: ingest.Options{Workers: 1}})
	for _, o := range []share.Options{
		{Options: ingest.Options{Workers: 3}},
		{Options: ingest.Options{Workers: 1, ChunkRecords: 7}},
		{Options: ingest.Options{Workers: 2}, Memory: 1 << 20},
		{Options: ingest.Options{Workers: 2, ChunkRecords: 100}, Memory: 100_000},
	} {
		if got := partOf(t, []string{dir}, root, o); !bytes.Equal(got, want) {
			t.Errorf("with %d workers, chunks of %d and %d octets for a run, the part is another one", o.Workers, o.ChunkRecords,
				o.Memory)
		}
	}
}

// The order in which paths are given changes nothing.
func TestOrderOfPaths(t *testing.T) {
	dir, root := written(t)
	entries := must.Get(os.ReadDir(dir))(t)
	var there, back []string
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		there, back = append(there, path), append([]string{path}, back...)
	}
	check.That(t, bytes.Equal(partOf(t, there, root, share.Options{}), partOf(t, back, root, share.Options{})),
		"the part depends on the order of the paths")
}

// A source that is given twice, or under two paths, counts once.
func TestGivenTwice(t *testing.T) {
	dir, root := written(t)
	path := filepath.Join(dir, fleet.Journal("mesh-oslo-1"))
	doc := must.Get(os.ReadFile(path))(t)
	again := filepath.Join(t.TempDir(), "again.ndjson")
	must.Do(t, os.WriteFile(again, doc, 0o600))
	s := must.Get(share.Read(t.Context(), []string{path, again, path}, root, share.Options{}))(t)
	defer s.Close()
	shares := s.Shares()
	check.That(t, len(shares) == 1 && len(shares[0].Paths) == 2 && shares[0].Complete &&
		shares[0].Events == int64(bytes.Count(doc, []byte("\n"))), "the shares are %+v", shares)
	check.That(t, s.Summary.Known == 2 && len(s.Summary.Same) == 1, "the summary is %+v", s.Summary)
	for c, err := range s.Copies(t.Context(), s.Logs()[0], 0) {
		must.That(t, err == nil && len(c.Arrivals) == 1 && c.Signed == event.OverContent, "%+v, %v", c, err)
	}
}

// The standard input is a source without a path of its own.
func TestStandardInput(t *testing.T) {
	dir, root := written(t)
	doc := must.Get(os.ReadFile(filepath.Join(dir, fleet.Journal("mesh-oslo-1"))))(t)
	s := must.Get(share.Read(t.Context(), []string{"-"}, root,
		share.Options{Options: ingest.Options{Stdin: bytes.NewReader(doc)}}))(t)
	defer s.Close()
	all := s.Shares()
	check.That(t, len(all) == 1 && fmt.Sprint(all[0].Paths) == "[{- }]" && all[0].Size == int64(len(doc)),
		"the shares are %+v", all)
}

// Spans that could not be read are in the order of their places, wherever they wait.
func TestSkips(t *testing.T) {
	dir := t.TempDir()
	_, root := written(t)
	for _, name := range []string{"a", "b", "c"} {
		text := strings.Repeat("{\"n\":\""+name+"\"}\n", 12_000)
		must.Do(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	want := partOf(t, []string{dir}, root, share.Options{})
	got := partOf(t, []string{dir}, root, share.Options{Options: ingest.Options{ChunkRecords: 99, Workers: 2}})
	check.That(t, bytes.Equal(got, want), "the part depends on the size of chunks")
	s := must.Get(share.Read(t.Context(), []string{dir}, root, share.Options{}))(t)
	defer s.Close()
	spans, rows := int64(0), 0
	for skip, err := range s.Skips(t.Context()) {
		must.Do(t, err)
		spans, rows = spans+skip.Spans, rows+1
	}
	check.That(t, spans == 36_000 && rows != 36_000 && s.Summary.Skipped == spans,
		"%d spans in %d rows, and the summary has %d", spans, rows, s.Summary.Skipped)
}

// A run that is called off leaves nothing behind.
func TestInterrupted(t *testing.T) {
	dir, root := written(t)
	ctx, cancel := context.WithCancel(t.Context())
	temporary := t.TempDir()
	_, err := share.Read(ctx, []string{dir}, root, share.Options{Dir: temporary, Memory: 1 << 18,
		Progress: func(ingest.Progress) { cancel() }})
	check.That(t, err != nil, "a run that was called off has read everything")
	if left, err := os.ReadDir(temporary); err != nil || len(left) > 0 {
		t.Errorf("%v is left behind, %v", left, err)
	}
}

// TestNoName: while evidence is read and examined, no file has a name that a process which
// is killed could leave behind.
func TestNoName(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no open file can be removed here")
	}
	dir, root := written(t)
	below := t.TempDir()
	looks := 0
	look := func() {
		looks++
		left, err := os.ReadDir(below)
		check.That(t, err == nil && len(left) == 0, "there is %v, %v", left, err)
	}
	o := share.Options{Options: ingest.Options{Stdin: strings.NewReader("no evidence\n"), ChunkRecords: 100}, Dir: below,
		Memory: 100_000, Progress: func(ingest.Progress) { look() }}
	s := must.Get(share.Read(t.Context(), []string{dir, "-"}, root, o))(t)
	defer s.Close()
	for _, err := range s.Copies(t.Context(), s.Logs()[0], 0) {
		must.Do(t, err)
	}
	if look(); looks < 2 {
		t.Error("nobody looked while evidence was read")
	}
}

// TestRemark: a remark about a source as a whole is numbered after its records, so some
// numbers are not used.
func TestRemark(t *testing.T) {
	dir, root := written(t)
	doc := must.Get(os.ReadFile(filepath.Join(dir, fleet.TenantLog)))(t)
	volumes := t.TempDir()
	for name, content := range map[string][]byte{"log.001": doc[:9000], "log.002": doc[9000:]} {
		must.Do(t, os.WriteFile(filepath.Join(volumes, name), content, 0o600))
	}
	s := must.Get(share.Read(t.Context(), []string{volumes}, root, share.Options{}))(t)
	defer s.Close()
	all := s.Shares()
	check.That(t, len(all) == 1 && all[0].Skipped == 1 && all[0].Records > all[0].Events+1, "%+v", all)
	partOf(t, []string{volumes}, root, share.Options{})
}
