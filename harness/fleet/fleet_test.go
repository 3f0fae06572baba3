package fleet

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

func build(t *testing.T) *Evidence {
	t.Helper()
	return must.Get(Build(Scene, 1, 200))(t)
}

// TestBatches: the batches of a node are its journal, cut, each under the id of
// SPEC 9.2 and with a cursor that the node signed.
func TestBatches(t *testing.T) {
	e := build(t)
	journals, next := map[string][]byte{}, map[string]uint64{}
	sizes := map[int]bool{}
	for _, b := range e.Batches {
		if next[b.Node]++; b.First != next[b.Node] || b.Last != b.First+uint64(len(b.Bodies))-1 ||
			len(b.Bodies) > longestBatch {
			t.Fatalf("%s: events %d to %d in a batch of %d, after %d", b.Node, b.First, b.Last, len(b.Bodies), next[b.Node]-1)
		}
		next[b.Node] = b.Last
		sizes[len(b.Bodies)] = true
		preimage := []byte("svc.audit-batch.v1\x00node/" + b.Node + "\x00")
		for i, body := range b.Bodies {
			journals[b.Node] = append(append(journals[b.Node], body...), '\n')
			hash := must.Get(hex.DecodeString(seal.Text(e.Scene.Journals[b.Node][b.First-1+uint64(i)], "hash")))(t)
			preimage = append(preimage, hash...)
		}
		check.That(t, fmt.Sprintf("%x", sha256.Sum256(preimage)) == b.ID,
			"%s: batch id of %d to %d is %s", b.Node, b.First, b.Last, b.ID)
		checkCursor(t, e, b)
	}
	for node, journal := range journals {
		if content, err := e.Content(Journal(node)); err != nil || !bytes.Equal(content, journal) {
			t.Errorf("%s: the batches are not the journal (%v)", node, err)
		}
	}
	check.That(t, len(journals) == 5 && len(sizes) >= 4, "%d nodes, batches of %d sizes", len(journals), len(sizes))
}

func checkCursor(t *testing.T, e *Evidence, b Batch) {
	t.Helper()
	statement := seal.Member(b.Cursor, "statement")
	last := e.Scene.Journals[b.Node][b.Last-1]
	key := e.Scene.Keys.Node[seal.Text(b.Cursor, "key_id")]
	if !seal.Signed("svc.export-cursor.v1", seal.Canonical(statement), key.Public(), seal.Text(b.Cursor, "signature")) {
		t.Errorf("%s: the cursor at %d is not signed", b.Node, b.Last)
	}
	check.That(t, seal.Integer(statement, "sequence") == int64(b.Last) &&
		seal.Text(statement, "event_hash") == seal.Text(last, "hash") && seal.Text(statement, "batch_id") == b.ID,
		"%s: the cursor is not at event %d", b.Node, b.Last)
	committed := seal.Text(statement, "committed_at")
	check.That(t, committed > seal.Text(seal.Member(last, "body"),
		"occurred_at"), "%s: committed at %s, before the event", b.Node, committed)
}

// TestDelivery: every batch is delivered, and some more than once.
func TestDelivery(t *testing.T) {
	e := must.Get(Build(Scene, 1, 0))(t)
	content := must.Get(e.Content(Store("requests/capture.http")))(t)
	again := 0
	for _, b := range e.Batches {
		switch n := bytes.Count(content, []byte(b.ID)); n {
		case 1:
		case 2:
			again++
		default:
			t.Errorf("batch %s was delivered %d times", b.ID, n)
		}
	}
	check.That(t, again != 0 && again != len(e.Batches),
		"%d of %d batches were delivered twice", again, len(e.Batches))
}

// TestWrite writes every kind of file, over existing files.
func TestWrite(t *testing.T) {
	dir := t.TempDir()
	link, pipe := File{Mode: fs.ModeSymlink, Target: "one"}, File{Mode: fs.ModeNamedPipe}
	e := &Evidence{Files: map[string]File{"a/one": Bytes([]byte("1")), "a/two": link, "a/three": pipe, "b": Bytes(nil)}}
	for range 2 {
		must.Do(t, e.Write(dir, "a"))
	}
	for name, want := range map[string]fs.FileMode{"one": 0, "two": fs.ModeSymlink, "three": fs.ModeNamedPipe} {
		info, err := os.Lstat(filepath.Join(dir, "a", name))
		check.That(t, err == nil && info.Mode().Type() == want, "%s: %v, %v", name, info, err)
	}
	content, err := os.ReadFile(filepath.Join(dir, "a", "two"))
	check.That(t, err == nil && string(content) == "1", "%q, %v", content, err)
	check.That(t, check.Err(os.Stat(filepath.Join(dir, "b"))) != nil, "a file was written that was not asked for")
	check.That(t, check.Err(e.Content("a/two")) != nil, "a link has content")
	got := e.Names()
	check.That(t, slices.Equal(got, []string{"a/one", "a/three", "a/two", "b"}), "names %q", got)
}
