package read_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/forensics/read"
	"github.com/svc-edge/svc-verify/harness/chance"
	"github.com/svc-edge/svc-verify/harness/dumps"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// reported is all that a reader reports of a file, word for word.
type reported []string

func (r *reported) Format(container string, f read.Format, why string) error {
	*r = append(*r, fmt.Sprint("format ", container, f, why))
	return nil
}

func (r *reported) Record(rec *read.Record) error {
	body := string(rec.Body)
	shown := *rec
	shown.Body = nil
	*r = append(*r, fmt.Sprintf("record %+v %s", shown, body))
	return nil
}

func (r *reported) Skip(s read.Skip) error {
	*r = append(*r, fmt.Sprintf("skip %+v", s))
	return nil
}

// samePieces compares the reports of several readers on a file with those of one, and returns
// how many bytes the others read.
func samePieces(t *testing.T, file []byte, o read.Options, size int) int64 {
	t.Helper()
	var one, many reported
	must.Do(t, read.Read(context.Background(), bytes.NewReader(file), o, &one))
	o.Workers = 3
	aside := must.Get(read.ReadInPieces(context.Background(), bytes.NewReader(file), o, &many, size))(t)
	for i := range max(len(one), len(many)) {
		if i >= len(one) || i >= len(many) || one[i] != many[i] {
			one, many = append(one, "nothing"), append(many, "nothing")
			t.Fatalf("pieces of %d: report %d:\n%.600s\none reader:\n%.600s\nfile: %.3000q", size, i,
				many[min(i, len(many)-1)], one[min(i, len(one)-1)], file)
		}
	}
	return aside
}

// disturbances are texts between lines, besides [rests].
var disturbances = []string{
	strings.Repeat(" ", 9000), strings.Repeat(" ", 9000) + "\n",
	"{\"a\":1} {\"b\":2} x\n", "{\"a\":1}x", "{\"a\":\n\n", "{\"a\":\n{\"b\":1,\n\"x\n{\"c\":\n", "text\n\n",
}

// packedLines returns a file of JSON objects. Some contain a compressed event, and some more
// batch ids than are kept.
func packedLines(random *rand.Rand, bodies [][]byte) []byte {
	var file bytes.Buffer
	one := base64.StdEncoding.EncodeToString([]byte(packers[[]string{"gzip", "xz"}[random.IntN(2)]](string(bodies[0]))))
	many := strings.Repeat("id;", 2000)
	share := 2 + random.IntN(30)
	for _, body := range bodies {
		switch random.IntN(share) {
		case 0:
			fmt.Fprintf(&file, "{\"data\":%q,\"n\":1}\n", one)
		case 1:
			fmt.Fprintf(&file, "{\"message\":%q,\"x-svc-edge-audit-batch\":%q}\n", body, many)
		default:
			fmt.Fprintf(&file, "{\"message\":%q,\"level\":\"info\"}\n", body)
		}
	}
	return file.Bytes()
}

// disturbed is a file of lines with something between two of them, bytes that are
// missing, or lines that stand twice or in another order.
func disturbed(random *rand.Rand, file []byte) []byte {
	lines := slices.Collect(bytes.Lines(file))
	for range random.IntN(3) {
		at := random.IntN(len(lines))
		if random.IntN(2) == 0 { // where the first piece begins
			at = min(at, random.IntN(4))
		}
		switch random.IntN(5) {
		case 3:
			lines[at] = append(bytes.TrimRight(lines[at], "\r\n"), " {\"b\":2} x\n"...)
		case 0:
			between := slices.Concat(rests, disturbances)
			lines = slices.Insert(lines, at, []byte(between[random.IntN(len(between))]))
		case 1:
			line := lines[at]
			from := random.IntN(len(line) + 1)
			lines[at] = slices.Concat(line[:from], line[min(len(line), from+1+random.IntN(40)):])
		case 2:
			lines = slices.Insert(lines, at, lines[random.IntN(len(lines))])
		default:
			random.Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
		}
	}
	return slices.Concat(lines...)
}

// Nearly all of a clean file of lines is read in pieces, in every format with independent
// lines. A journal is not: most of its cost is not in reading.
func TestPiecesOfCleanFiles(t *testing.T) {
	bodies := dumps.Bodies(40)
	files := map[string][]byte{"csv": []byte(csvOf(",", "\n", bodies))}
	for _, f := range dumps.Formats() {
		if f.Reads.IsCut() && f.Lines && f.Reads != read.Journal {
			files[f.Name] = f.Write(bodies, dumps.Options{Size: 1, Structured: f.Text == 0})
		}
	}
	for name, file := range files {
		if name == "elastic-bulk" {
			continue // an action and its document are two lines
		}
		aside := samePieces(t, file, read.Options{}, 8000)
		check.That(t, aside*2 >= int64(len(file)), "%s: of %d octets %d were read in pieces", name, len(file), aside)
	}
}

// A piece whose reports would take much more memory than it has bytes is read by one
// reader, which hands them on at once.
func TestPiecesOfManyReports(t *testing.T) {
	line := fmt.Sprintf("{\"message\":%q}\n", dumps.Bodies(1)[0])
	for between, want := range map[string]bool{"{\"a\":1}\n": false, line: true} {
		file := line + strings.Repeat(between, 30_000/len(between))
		aside := samePieces(t, []byte(file), read.Options{}, 5000)
		check.That(t, (aside > 0) == want, "%q: %d octets were read in pieces", between, aside)
	}
}

// Several readers of a file report the same as one, byte for byte, wherever its pieces end and
// whatever is wrong with it.
func TestPieces(t *testing.T) {
	seed := chance.Drawn()
	t.Logf("RAPID_SEED=%d", seed)
	random := rand.New(rand.NewPCG(seed, 1))
	bodies := dumps.Bodies(40)
	var aside, octets int64
	try := func(file []byte) {
		for _, f := range [][]byte{file, disturbed(random, file), disturbed(random, file)} {
			aside += samePieces(t, f, read.Options{}, 100+random.IntN(8000))
			octets += int64(len(f))
		}
	}
	for _, f := range dumps.Formats() {
		for range chance.Sized(4, 1) {
			try(written(random, f, bodies))
		}
	}
	for _, delimiter := range []string{",", ";", "\t", "|"} {
		for range chance.Sized(8, 1) {
			some := slices.Clone(bodies)
			for i := range some {
				if random.IntN(8) == 0 {
					some[i] = []byte("two\nlines, \"quoted\"\r\n")
				}
			}
			try([]byte(csvOf(delimiter, lineEnds[random.IntN(2)], some)))
		}
	}
	for range chance.Sized(30, 4) {
		try(packedLines(random, bodies))
	}
	check.That(t, aside*10 >= octets, "of %d octets only %d were read in pieces", octets, aside)
}
