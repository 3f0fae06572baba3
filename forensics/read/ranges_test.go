package read_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/forensics/read"
	"github.com/svc-edge/svc-verify/harness/chance"
	"github.com/svc-edge/svc-verify/harness/dumps"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// told contains a reader's reports on a file, in words.
type told struct {
	said   []string
	format map[string]bool
	index  int64 // of the last report
}

func (t *told) Format(container string, f read.Format, why string) error {
	if said := fmt.Sprint("format ", container, f, why); !t.format[said] { // each range reports it anew
		t.format[said] = true
		t.said = append(t.said, said)
	}
	return nil
}

func (t *told) Record(r *read.Record) error {
	t.index++
	at := r.Place
	at.Index = 0
	t.said = append(t.said, fmt.Sprint("record ", at, r.Format, r.Kind, r.Fidelity, r.Batches, r.Consumed, string(r.Body)))
	return nil
}

func (t *told) Skip(s read.Skip) error {
	t.index++
	at := s.Place
	at.Index = 0
	t.said = append(t.said, fmt.Sprint("skip ", at, s.Code, s.Detail, s.Consumed, string(s.Excerpt)))
	return nil
}

// cuts returns where a file can be cut: at the end of a line that is alone, with all
// before it, and in front of one that is alone as well.
func cuts(file []byte, o read.Options) (at []read.Position) {
	if !read.Cuttable(file[:min(len(file), read.HeadSize)], o) {
		return nil
	}
	var p read.Position
	lines := read.NewLines(o, nil)
	for line := range bytes.Lines(file) {
		consumed, alone := lines.Alone(line)
		if !alone {
			break
		}
		if p.Offset > 0 {
			at = append(at, p)
		}
		p.Offset, p.Consumed = p.Offset+int64(len(line)), p.Consumed+consumed
	}
	return at
}

// inRanges reads a file in the ranges between some cuts.
func inRanges(t *testing.T, file []byte, o read.Options, at []read.Position) *told {
	t.Helper()
	all := &told{format: map[string]bool{}}
	from := read.Position{}
	for _, to := range append(slices.Clone(at), read.Position{Offset: int64(len(file))}) {
		o.Range = &from
		part := bytes.NewReader(file[from.Offset:to.Offset])
		must.Do(t, read.Read(context.Background(), part, o, all))
		from = to
	}
	return all
}

func whole(t *testing.T, file []byte, o read.Options) *told {
	t.Helper()
	all := &told{format: map[string]bool{}}
	must.Do(t, read.Read(context.Background(), bytes.NewReader(file), o, all))
	return all
}

// rests are texts in a journal behind the last line that is alone.
var rests = []string{
	"", "{\"body\":{\"data\":", "\n\n", "{\n", "{\"a\":\n", "[{\"a\":1},\n", "text of another service\n",
	"{\"index\":{}}\n", "{\"log\":\"x\",\"stream\":\"stdout\",\"time\":\"t\"}\n", "\x00\x00\x00\n", "\ufeff\n", "\"{",
	"{\"resourceLogs\":[]}\n", "H4sIAAAAAAAAA6uuBQBDv6ajAgAAAA==\n", "}\n", "{\"a\":1}{\"b\":2}\n",
}

// Ranges between cuts report the same as the whole file, wherever it is cut and whatever is
// behind the last cut: of a journal, and of every other format that is cut.
func TestRanges(t *testing.T) {
	seed := chance.Drawn()
	t.Logf("RAPID_SEED=%d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	bodies := dumps.Bodies(40)
	for _, format := range []read.Format{"", read.Journal, read.Bodies} {
		for n := range chance.Sized(160, 16) {
			var file []byte
			lines := 2 + random.IntN(len(bodies)-2)
			for _, body := range bodies[:lines] {
				file = append(append(file, body...), lineEnds[random.IntN(len(lineEnds))]...)
			}
			rest := rests[n%len(rests)]
			if file = append(file, rest...); random.IntN(2) == 0 { // events behind the damage
				file = append(append(append(file, bodies[0]...), '\n'), bodies[1]...)
			}
			tryCuts(t, random, file, read.Options{Format: format}, lines-1)
		}
	}
	tried := 0
	for _, f := range dumps.Formats() {
		if !f.Reads.IsCut() || !f.Lines {
			continue
		}
		for n := range chance.Sized(16, 2) {
			file := written(random, f, bodies)
			rest := rests[(n+tried)%len(rests)]
			tried++
			least := bytes.Count(file, []byte("\n")) - 2 // the last line of an export can be none of a record
			tryCuts(t, random, slices.Concat(file, []byte(rest), file[:len(file)/2]), read.Options{}, least)
		}
	}
}

var lineEnds = []string{"\n", "\r\n"}

// written is a dump of some bodies, with batch ids in some places.
func written(random *rand.Rand, f dumps.Format, bodies [][]byte) []byte {
	o := dumps.Options{Size: 1 + random.IntN(8), Structured: f.Structure != 0 && (f.Text == 0 || random.IntN(3) == 0),
		Where: []read.Where{read.InRecord, read.InResource, read.InScope}[random.IntN(3)]}
	for range random.IntN(4) {
		o.Batches = append(o.Batches, fmt.Sprintf("%064x", random.Uint64()))
	}
	file := f.Write(bodies[:2+random.IntN(len(bodies)-2)], o)
	return bytes.ReplaceAll(file, []byte("\n"), []byte(lineEnds[random.IntN(len(lineEnds))]))
}

// tryCuts compares a file with its ranges between some of its cuts.
func tryCuts(t *testing.T, random *rand.Rand, file []byte, o read.Options, least int) {
	t.Helper()
	all := cuts(file, o)
	must.That(t, len(all) >= least, "%q, %.200q: %d cuts, expected %d", o.Format, file, len(all), least)
	some := slices.DeleteFunc(slices.Clone(all), func(read.Position) bool { return random.IntN(3) == 0 })
	want, got := whole(t, file, o), inRanges(t, file, o, some)
	if !slices.Equal(got.said, want.said) { // many texts, which are joined only here
		t.Fatalf("%q, cut at %v:\n%s\nas a whole:\n%s", o.Format, some, strings.Join(got.said, "\n"),
			strings.Join(want.said, "\n"))
	}
}

// The readers allow exactly the documented treatment of each format in a plan: a file of it is
// cut, or never.
func TestIsCut(t *testing.T) {
	page := string(must.Get(os.ReadFile("../../docs/formats.md"))(t))
	for _, f := range formats(t) {
		row := fmt.Sprintf("| %s | %s | ", f, map[bool]string{false: "whole", true: "cut"}[f.IsCut()])
		check.That(t, strings.Count(page, "\n"+row) == 1, "the page does not have one row %q", row)
	}
	was := map[read.Format]bool{read.Bodies: true, read.General: true} // which TestRanges and package plan try
	for _, f := range dumps.Formats() {
		want := f.Reads.IsCut()
		n := len(cuts(f.Write(dumps.Bodies(20), dumps.Options{Size: 1, Structured: f.Text == 0}), read.Options{}))
		check.That(t, n <= 0 || want, "%s, which is %s, has %d cuts", f.Name, f.Reads, n)
		was[f.Reads] = was[f.Reads] || n > 0
	}
	hec := bytes.Repeat(append(dumps.Named("splunk-hec").Write(dumps.Bodies(1), dumps.Options{}), '\n'), 2)
	was[read.SplunkHEC] = len(cuts(hec, read.Options{})) > 0 // a dump of it has one line
	for _, f := range formats(t) {
		check.That(t, !f.IsCut() || was[f], "%s is never cut", f)
	}
}

// formats are the formats that the package names.
func formats(t *testing.T) (all []read.Format) {
	t.Helper()
	f := must.Get(parser.ParseFile(token.NewFileSet(), "format.go", nil, 0))(t)
	ast.Inspect(f, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if ok && spec.Names[0].IsExported() && len(spec.Values) == 1 {
			name := must.Get(strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value))(t)
			all = append(all, read.Format(name))
		}
		return true
	})
	must.That(t, len(all) >= 40, "found %d formats", len(all))
	return all
}

// A file that does not consist of lines is not cut, nor is a line that is not alone.
func TestCuttable(t *testing.T) {
	body := string(dumps.Bodies(1)[0])
	kafka := string(dumps.Named("kafka-json").Write(dumps.Bodies(1), dumps.Options{}))
	for name, c := range map[string]struct {
		head string
		o    read.Options
		want bool
	}{
		"a journal":                   {body + "\n", read.Options{}, true},
		"a journal, by its name":      {body + "\n", read.Options{Format: read.Journal}, true},
		"a journal with CR LF":        {body + "\r\n", read.Options{}, true},
		"a journal with a mark":       {"\ufeff" + body + "\n", read.Options{}, false},
		"bodies":                      {body + "\n", read.Options{Format: read.Bodies}, true},
		"messages":                    {kafka, read.Options{}, true},
		"messages, by their name":     {kafka, read.Options{Format: read.Kafka}, true},
		"a long line":                 {kafka[:100] + strings.Repeat("x", read.HeadSize-100), read.Options{}, true},
		"a line that does not end":    {strings.TrimSuffix(kafka, "\n"), read.Options{}, false},
		"text, and then messages":     {"Reading messages\n" + kafka, read.Options{}, false},
		"nothing":                     {"", read.Options{}, false},
		"gzip":                        {"\x1f\x8b\x08\x00", read.Options{}, false},
		"gzip, bodies in it":          {"\x1f\x8b\x08\x00", read.Options{Format: read.Bodies}, false},
		"lines of a container":        {"2026-03-02T09:00:10Z stdout F " + body + "\n", read.Options{}, false},
		"a format that is not cut":    {body + "\n", read.Options{Format: read.Docker}, false},
		"another format than is said": {body + "\n", read.Options{Format: read.Loki}, false},
		"keys beside the evidence": {"-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=\n" +
			"-----END PUBLIC KEY-----\n", read.Options{}, false},
	} {
		got := read.Cuttable([]byte(c.head), c.o)
		check.That(t, got == c.want, "%s: %v", name, got)
	}
}

func TestAlone(t *testing.T) {
	body := string(dumps.Bodies(1)[0])
	message := string(dumps.Named("kafka-json").Write(dumps.Bodies(1), dumps.Options{}))
	action := `{"index":{"_id":"` + strings.Repeat("x", 300) + "\"}}\n"
	for name, c := range map[string]struct {
		line   string
		format read.Format
		want   bool
	}{
		"an event":                      {body + "\n", "", true},
		"an event, by its name":         {body + "\n", read.Journal, true},
		"an event that is altered":      {strings.Replace(body, "svc", "abc", 1) + "\n", "", true},
		"a body":                        {strings.Repeat("x", 300) + "\n", read.Bodies, true},
		"no line feed":                  {body, "", false},
		"the line feed of another":      {body + "\r\n", "", true},
		"white space":                   {body + " \n", "", true},
		"a body of another system":      {strings.Repeat("x", 300) + "\r\n", read.Bodies, true},
		"two events":                    {body + body + "\n", "", true},
		"an event in another":           {body[:len(body)-1] + `,"x":` + body + "}\n", "", false},
		"a torn event":                  {body[:len(body)-1] + "\n", "", false},
		"no event":                      {strings.Repeat("x", 300) + "\n", "", false},
		"text around an event":          {"INFO " + body + "\n", "", false},
		"a list":                        {"[" + body + "]\n", "", false},
		"another format":                {body + "\n", read.Docker, false},
		"too short":                     {`{"body":{"data":{}}` + "}\n", "", false},
		"too short a body":              {"x\n", read.Bodies, false},
		"longer than an event may be":   {strings.Repeat("x", 1<<20+1) + "\n", read.Bodies, false},
		"a message":                     {message, "", true},
		"a torn message":                {message[:len(message)-2] + "\n", "", false},
		"a message that goes on":        {message[:len(message)-1] + message[:9] + "\n", "", false},
		"an action before its document": {action, "", false},
		"a record of a container": {`{"log":` + strconv.Quote(body+"\n") +
			`,"stream":"stdout","time":"t"}` + "\n", "", false},
		"an open line of a container": {`{"log":` + strconv.Quote(body) + `,"stream":"stdout","time":"t"}` + "\n", "", false},
		"another signal":              {`{"resourceSpans":[` + strings.Repeat(" ", 300) + "]}\n", "", false},
		"something decompressed": {`{"data":"` + base64.StdEncoding.EncodeToString([]byte(packed(t, "bzip2"))) +
			`","x":"` + strings.Repeat("x", 300) + "\"}\n", "", false},
	} {
		_, got := read.NewLines(read.Options{Format: c.format}, nil).Alone([]byte(c.line))
		check.That(t, got == c.want, "%s: %v", name, got)
	}
	for unit, want := range map[int]bool{len(body): false, len(body) + 1: true} {
		lines := read.NewLines(read.Options{Limits: read.Limits{Unit: unit}}, nil)
		_, got := lines.Alone([]byte(body + "\n"))
		check.That(t, got == want, "an event of %d octets, of which %d are read: %v", len(body), unit, got)
	}
	never := func(*read.Record) bool { return false }
	_, got := read.NewLines(read.Options{}, never).Alone([]byte(message))
	check.That(t, !got, "a record that the caller keeps in another way is alone")
	lines := read.NewLines(read.Options{}, nil)
	for i, line := range []string{message, body + "\n", message} {
		_, got := lines.Alone([]byte(line))
		check.That(t, got == (i != 1), "line %d of two formats: %v", i, got)
	}
}
