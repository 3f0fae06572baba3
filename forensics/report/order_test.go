package report

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/harness"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/trust"
)

// batched is a dump of OTLP in which events came under one batch id.
func batched(t *testing.T, id string, events ...[]byte) []byte {
	t.Helper()
	text := func(s string) map[string]any { return map[string]any{"stringValue": s} }
	var records []any
	for i, e := range events {
		records = append(records, map[string]any{"observedTimeUnixNano": "177244924000000000" + string(rune('0'+i)),
			"body":       text(strings.TrimSpace(string(e))),
			"attributes": []any{map[string]any{"key": "x-svc-edge-audit-batch", "value": text(id)}}})
	}
	list := func(name string, one any) map[string]any { return map[string]any{name: []any{one}} }
	doc := must.Get(json.Marshal(list("resourceLogs", list("scopeLogs", map[string]any{"logRecords": records}))))(t)
	return append(doc, '\n')
}

// TestOrderOfCopies: no report reveals which of several copies next to a gap came first into
// the case, neither by their content nor by their size, their batch, their time or their
// place. A sequence that no packed row has room for is one of them.
func TestOrderOfCopies(t *testing.T) {
	t.Chdir(t.TempDir())
	scene := must.Get(harness.Build("revoked", 1, harness.Options{}))(t)
	root := must.Get(trust.Parse(seal.Canonical(scene.Trust)))(t)
	berlin := scene.Journals["mesh-berlin-1"]
	whole, key := lines(berlin), scene.Keys.Node["mesh-berlin-1"]
	other := func(sequence int, data string) []byte {
		log := seal.LogOf("acme-corp", "node/mesh-berlin-1", berlin[:sequence-1])
		body := seal.CloneObject(seal.Member(berlin[sequence-1], "body"))
		body["type"], body["data"], body["occurred_at"] = "test.event", seal.Object{"text": data},
			"2025-01-01T00:00:00.000Z"
		return append(seal.Canonical(log.AppendBody(body, key)), '\n')
	}
	long, short := other(9, strings.Repeat("long", 5000)), other(9, "")
	far := bytes.Replace(whole[19], []byte(`"sequence":20,`), []byte(`"sequence":9007199254740991,`), 1)
	farther := bytes.Replace(far, []byte(`"occurred_at":"2026`), []byte(`"occurred_at":"2027`), 1)
	const id = "abababababababababababababababababababababababababababababababab"
	files := map[string][]byte{
		"a.ndjson": bytes.Join(slices.Concat(whole[:9], whole[12:]), nil),
		"b.ndjson": bytes.Join([][]byte{whole[7], long, short, far}, nil),
		"c.ndjson": batched(t, id, whole[7], short, whole[8], farther, far),
		"d.ndjson": batched(t, strings.ToUpper(id), long, whole[8], whole[12], farther),
	}
	for name, content := range files {
		must.Do(t, os.WriteFile(name, content, 0o644))
	}
	names := slices.Sorted(maps.Keys(files))
	c, w := open(t, root, names...)
	want := forms(t, c, w, root)
	for _, text := range []string{"9007199254740991", id, `"sequence": 9,`} {
		check.That(t, bytes.Contains(want["report.json"], []byte(text)), "the report says nothing of %s", text)
	}
	for _, order := range []string{"dcba", "bcad", "cbda", "dbac"} {
		var files []string
		for _, name := range order {
			files = append(files, string(name)+".ndjson")
		}
		c, w := open(t, root, files...)
		for name, got := range forms(t, c, w, root) {
			if !bytes.Equal(got, want[name]) {
				t.Errorf("%s: %s depends on the order of ingest: %s", order, name, difference(got, want[name]))
			}
		}
	}
}

// difference shows where two texts part.
func difference(a, b []byte) string {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return string(a[max(0, n-200):min(len(a), n+100)]) + "\n--- and not ---\n" +
		string(b[max(0, n-200):min(len(b), n+100)])
}

// TestOlderWalk: a report of a walk under one trust file stays the same when the
// case was walked under another one since.
func TestOlderWalk(t *testing.T) {
	t.Chdir(t.TempDir())
	root := damaged(t)
	other := must.Get(harness.Build("revoked", 271828, harness.Options{}))(t)
	stranger := must.Get(trust.Parse(seal.Canonical(other.Trust)))(t)
	path := filepath.Join(t.TempDir(), "case.db")
	for _, name := range sources {
		ingestInto(t, path, name)
	}
	examinePath(t, path, root)
	c, result := reopen(t, path, root)
	before := forms(t, c, result, root)
	examinePath(t, path, stranger)
	c, result = reopen(t, path, root)
	for form, got := range forms(t, c, result, root) {
		if !bytes.Equal(got, before[form]) {
			t.Errorf("%s after a walk under another trust file: %s", form, difference(before[form], got))
		}
	}
}
