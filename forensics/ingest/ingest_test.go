package ingest

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/forensics/read"
	"github.com/svc-edge/svc-verify/forensics/store"
	"github.com/svc-edge/svc-verify/harness/chance"
	"github.com/svc-edge/svc-verify/harness/dumps"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

const berlin, oslo = "node/mesh-berlin-1", "node/mesh-oslo-1"

// write makes a file in a folder.
func write[C ~string | ~[]byte](t must.T, dir, name string, content C) string {
	t.Helper()
	return must.WriteFile(t, filepath.Join(dir, name), content)
}

func TestEventsComeBackByteForByte(t *testing.T) {
	want := journal(berlin, 5000, 1)
	path := write(t, t.TempDir(), "journal.ndjson", file(want))
	got := lines(t, newCase(t, Options{}, path), berlin)
	must.That(t, slices.EqualFunc(got, want, bytes.Equal),
		"%d lines of %d, or others than were ingested", len(got), len(want))
}

// tampered changes the body of an event and leaves the rest as it was.
func tampered(line []byte) []byte {
	return bytes.Replace(line, []byte(`"detail":"the`), []byte(`"detail":"The`), 1)
}

// batched writes lines as an exporter does, one OTLP request with one record
// each, under a batch id.
func batched(id string, lines ...[]byte) []byte {
	var b []byte
	for _, l := range lines {
		b = fmt.Appendf(b,
			`{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"body":{"stringValue":%s},"attributes":[{"key":%q,`+
				`"value":{"stringValue":%q}}]}]}]}]}`+"\n", dumps.Quote(string(l)), read.BatchHeader, id)
	}
	return b
}

// manySources is evidence with everything that can be in the way: overlaps,
// redeliveries, a fork, an altered copy, another order, a torn tail, lines that
// are no events.
func manySources() [][]byte {
	a, b := journal(berlin, 900, 1), journal(oslo, 400, 2)
	fork := journal(berlin, 120, 9)
	shuffled := slices.Clone(a[300:700])
	rand.New(rand.NewPCG(3, 3)).Shuffle(len(shuffled), func(i, j int) {
		shuffled[i], shuffled[j] = shuffled[j],
			shuffled[i]
	})
	altered := slices.Clone(a[500:520])
	altered[7] = tampered(altered[7])
	pretty := bytes.Replace(b[10], []byte(`{"body":`), []byte(`{ "body" : `), 1)
	return [][]byte{
		file(a),
		file(a[200:650]),
		file(shuffled),
		file(fork[100:]),
		file(altered),
		file(b),
		append(file(b[5:9]), append(pretty, '\n')...),
		append(file(b[390:]), b[0][:100]...),
		slices.Concat(batched("one", a[10:30]...), batched("two", a[30:50]...), batched("one", a[10:30]...)),
		slices.Concat(batched("one", a[10:30]...), batched("one", b[7])),
		[]byte("{\"not\":\"an event\"}\nnot even JSON\n{\"a\":1,\"a\":2}\n\xff\n"),
		slices.Concat(bytes.Repeat([]byte("{}{} x\n"), 700), file(a[:200]), bytes.Repeat([]byte("{}{}"), 900), []byte("\n"),
			file(a[200:210])),
		{},
	}
}

// folderOfSources writes [manySources] into a folder, and dumps a case of it.
func folderOfSources(t *testing.T) (dir string, paths []string, want string) {
	t.Helper()
	dir = t.TempDir()
	for i, s := range manySources() {
		paths = append(paths, write(t, dir, fmt.Sprintf("%02d", i), s))
	}
	return dir, paths, dump(t, newCase(t, Options{}, dir))
}

// TestOrderNamesAndCutsDoNotMatter: a case depends only on the evidence in it.
func TestOrderNamesAndCutsDoNotMatter(t *testing.T) {
	sources := manySources()
	_, _, want := folderOfSources(t)
	must.That(t, strings.Contains(want, "/1 ") && strings.Contains(want, "skip "),
		"the evidence holds no variant, or no skip:\n%s", want)
	for seed := range chance.Sized(5, 2) {
		random := rand.New(rand.NewPCG(uint64(seed), 5))
		dir := t.TempDir()
		var paths []string
		for _, i := range random.Perm(len(sources)) {
			paths = append(paths, write(t, dir, fmt.Sprintf("%x%d", random.Uint64(), i), sources[i]))
		}
		options := Options{Workers: 1 + random.IntN(5), ChunkRecords: 1 + random.IntN(200)}
		path := filepath.Join(t.TempDir(), "case.db")
		cut := random.IntN(len(paths))
		fill(t, path, options, paths[:cut]...)
		fill(t, path, options, paths[cut:]...)
		sameDump(t, dump(t, path), want)
	}
}

func TestGivenAgain(t *testing.T) {
	dir := t.TempDir()
	content := file(journal(berlin, 50, 1))
	first := write(t, dir, "first", content)
	path := newCase(t, Options{}, first)
	want := dump(t, path)
	sum := fill(t, path, Options{}, first, write(t, dir, "again", content))
	check.That(t, sum.Known == 2 && sum.Events == 0 && sum.Sources == 0,
		"%+v, want two known sources and nothing else", sum)
	sum = fill(t, path, Options{Stdin: bytes.NewReader(content)}, "-")
	check.That(t, sum.Known == 1 && sum.Events == 0, "%+v, want one known source", sum)
	sameDump(t, dump(t, path), want)
	c := openRead(t, path)
	sources, err := c.Sources(t.Context())
	check.That(t, err == nil && len(sources) == 1 && len(sources[0].Paths) == 3,
		"sources %+v, %v: want one under three paths", sources, err)
}

// TestLargeSequences: a sequence that does not fit a packed row number is kept as well, and
// comes last.
func TestLargeSequences(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	want := journal(berlin, 3, 1)
	for _, n := range []uint64{1<<40 - 1, 1 << 40, 1<<53 - 1} {
		want = append(want, sealEvent(testBody(berlin, n, random), chain.Link{Sequence: n}))
	}
	given := slices.Clone(want)
	slices.Reverse(given)
	path := newCase(t, Options{}, write(t, t.TempDir(), "journal", append(file(given), file(given)...)))
	got := lines(t, path, berlin)
	must.That(t, slices.EqualFunc(got, want, bytes.Equal), "%d lines of %d, or in another order", len(got), len(want))
	c := openRead(t, path)
	above := copiesOf(must.Have(c.Logs(t.Context()))[0])
	above.First = 1 << 40
	for e, err := range c.Select(t.Context(), above) {
		check.That(t, err == nil && e.Link.Sequence >= 1<<40 && e.Deliveries == 2, "%+v, %v", e, err)
	}
}

// TestTransaction finds the events of a transaction, every copy of them.
func TestTransaction(t *testing.T) {
	a := journal(berlin, 40, 1)
	path := newCase(t, Options{}, write(t, t.TempDir(), "journal", file(append(a, tampered(a[17])))))
	var sequences []uint64
	for e, err := range openRead(t, path).Select(t.Context(), store.Filter{TransactionID: "tx-2026-00000002"}) {
		must.Do(t, err)
		sequences = append(sequences, e.Link.Sequence)
	}
	want := []uint64{18, 18, 21, 24}
	check.That(t, slices.Equal(sequences, want), "sequences %d, want %d", sequences, want)
}
