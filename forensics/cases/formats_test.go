package cases

import (
	"bytes"
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/forensics/plan"
	"github.com/svc-edge/svc-verify/forensics/read"
	"github.com/svc-edge/svc-verify/harness/shapes"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

const formatsIntro = `# What is read, and what products lose

This page is generated: ` + "`make docs`" + `.

An event is taken out of whatever surrounds it, so nothing has to be converted. The table has the
forms in which products hand out log lines. The tests in ` + "`forensics/cases`" + ` write genuine events in
each form, clean, cut off, and with one event altered. *Read as* and *fidelity* are what the reader
told of them. ` + "`check --explain`" + ` says the same of your files.

| fidelity | the event |
|---|---|
| exact | came through octet for octet, behind whatever escapes |
| unquoted | was a string that a store had quoted |
| recanonicalised | came through as JSON in another spelling, with the same values |
| – | does not come through |

A form that loses something of long lines is tried with long lines. Any form can also hand out fewer
events than there are: queries have limits, and stores have a retention. The column *plan* says
whether ` + "`svc-verify plan`" + ` cuts a large file of the form for several workers, as the tests found;
[below](#what-a-plan-cuts) is why.

| form | read as | fidelity | batch ids | plan | what the product loses | export that loses least |
|---|---|---|---|---|---|---|
`

const cutsIntro = `
## What a plan cuts

A plan cuts a file between two lines of which each is read by itself: a record and all that belongs
to it is on one line. The format is that of the file itself, not of what is in an archive. All
lines before a cut, and the line behind it, must be of that format, have 256 octets or more and no
more than 16 MiB, and give records and nothing else. So a file is cut up to the first line that is
torn, from another service or of another format; the rest is one range. Line ends may be LF or
CR LF. A file that begins with a byte order mark goes whole.

| format | plan | why |
|---|---|---|
| gzip | whole | it is decompressed or decoded from its beginning |
| zstd | whole | it is decompressed or decoded from its beginning |
| bzip2 | whole | it is decompressed or decoded from its beginning |
| xz | whole | it is decompressed or decoded from its beginning |
| zlib | whole | it is decompressed or decoded from its beginning |
| deflate | whole | it is decompressed or decoded from its beginning |
| lz4 | whole | it is decompressed or decoded from its beginning |
| snappy | whole | it is decompressed or decoded from its beginning |
| tar | whole | its members have names and sizes of their own |
| zip | whole | its members have names and sizes of their own |
| 7z | whole | its members have names and sizes of their own |
| rar | whole | its members have names and sizes of their own |
| utf-16 | whole | it is decompressed or decoded from its beginning |
| zstd-frames | whole | it is decompressed or decoded from its beginning |
| http-requests | whole | the head of a request names the batch of its content |
| otlp-proto | whole | its records have no line ends |
| otlp-proto-frames | whole | its records have no line ends |
| cri | whole | a line can be in several records |
| systemd-export | whole | a record is several lines |
| container-runtime-lines | whole | a line can be in several records |
| json-seq | whole | a line can be in several records |
| json-sse | whole | a line can be in several records |
| docker-local | whole | a line can be in several records |
| sqlite | whole | its beginning or end says what the rows are |
| avro | whole | its beginning or end says what the rows are |
| csv | whole | the first line names the columns, and a field can have several lines |
| bodies | cut | a body on each line, as the caller says |
| general | cut | a JSON object on each line; text is not cut, because it can go on over several lines |
`

const storesIntro = `
## What stores lose

The limits are the defaults of the products.

| form | product | bytes of a record | results of a query | loss | export that has most |
|---|---|---|---|---|---|
`

const describeIntro = `
## Describing a form

The descriptions with which stores are read follow below. ` + "`check --format FILE`" + `, and ` + "`ingest`" + ` too,
adds others, which are written in the same way and tried first. A description only determines where
a body is: a value that does not fit is searched like any other. Empty lines and lines that begin
with ` + "`#`" + ` have no meaning. Between two words there is one space. A PATH has the names of members,
from the outermost, with dots between them; the first element of a list is ` + "`0`" + `.

| line | meaning |
|---|---|
`

// describing are the lines of a description, and their meanings.
var describing = [][2]string{
	{"form NAME", "a description begins"},
	{"product TEXT", "whose form it is"},
	{"has NAME A|B !C", "a value with these members has the form: with A or B, and without C; one such line is enough"},
	{"records NAME[].NAME[]", "the lists of records in a value; without this line, the value is the record"},
	{"shared WHOSE NAME", "a member next to a list, with attributes of all its records; WHOSE is record, resource or " +
		"scope"},
	{"in NAME", "the member of a record that has the other members, if it is there"},
	{"runtime yes", "that member can be a record of a container's runtime"},
	{"batches WHOSE PATH", "attributes, among which are the ids of batches; `.` is the record itself"},
	{"time UNIT PATH", "when it was exported: in seconds, milliseconds, microseconds, nanoseconds or, by its size, any; " +
		"or a date"},
	{"observed UNIT PATH", "when it was collected"},
	{"text PATH", "the body, if it is a string; the first line text or value that fits counts"},
	{"value PATH", "the body: a string or a structure; `.` is the record itself, without its time, if it is an event"},
	{"bytes kept", "text that is not UTF-8 came through; without this line U+FFFD replaced it"},
	{"message PATH", "the text of a message of a queue: an export of the collector, also in base64, or a body"},
	{"headers PATH", "the headers of a message: names and values in turn"},
	{"line PATH", "the text of a line of a container, or of a part of one; the first that is there counts"},
	{"key PATH", "parts of one line have the same value there"},
	{"more PATH MARK", "the line continues after a part with MARK there"},
	{"ends newline", "the last part of a line ends with a line feed"},
	{"number PATH", "the id of a line that has parts"},
	{"ordinal PATH", "the number of a part, from 1"},
	{"last PATH", "true in the last part"},
	{"null TEXT", "why the text of a line can be null"},
	{"record N", "how many bytes a record can have"},
	{"query N N", "how many records a query gives, by default and at most"},
	{"plan TEXT", "each line of a file, if a plan can cut it"},
	{"loses TEXT", "the loss"},
	{"export TEXT", "the export that has most"},
}

const boundsIntro = `
## How far it is decompressed

gzip, zstd, bzip2, xz, zlib, deflate, LZ4, snappy, tar, zip and 7z are opened, in any order within
one another. Several members in a row and padding with zeros are no damage. If data is cut or damaged,
all whole events before the damage are read, a finding reports it, and reading resumes at the next
member. Data beyond a limit is not read, and is reported (` + "`source.limit`" + `).

| what | at most |
|---|---|
`

// TestFormats: the page says what the readers do. With -short the readers read every
// 90th form. Of the others, only the columns that need no reading are compared.
func TestFormats(t *testing.T) {
	path := filepath.Join("..", "..", "docs", "formats.md")
	got := must.Get(os.ReadFile(path))(t)
	page := formatsPage(t, string(got))
	if *update {
		must.Do(t, os.WriteFile(path, page, 0o644))
	} else if !bytes.Equal(got, page) {
		t.Error("docs/formats.md is out of date: run make docs")
	}
}

// tried reports whether this run reads the form with that index.
func tried(i int) bool { return !testing.Short() || *update || i%90 == 0 }

// formatsPage is the page. A form that is not tried keeps its row of the page as it
// was, if the other columns are right.
func formatsPage(t *testing.T, was string) []byte {
	var b bytes.Buffer
	b.WriteString(formatsIntro)
	for i, s := range shapes.All() {
		loses := s.Loses
		if loses == "" {
			loses = "nothing"
		}
		begin, end := "| "+described(s)+" | ", " | "+cell(loses)+" | "+cell(s.Export)+" |\n"
		if !tried(i) {
			for line := range strings.Lines(was) {
				if strings.HasPrefix(line, begin) && strings.HasSuffix(line, end) {
					b.WriteString(line)
				}
			}
			continue
		}
		f, batch := cleanly(t, s), "–"
		if b := f.result.Batches; b.Distinct == 1 && b.Absent == 0 {
			batch = "kept"
		}
		columns := []string{orDash(f.formats), orDash(f.fidelities), batch, planned(t, s)}
		b.WriteString(begin + strings.Join(columns, " | ") + end)
	}
	b.WriteString(cutsIntro)
	for _, s := range read.BuiltinStores().All {
		why := cmp.Or(s.Said("plan"), "it is one document")
		if s.Said("line") != "" {
			why = "a line can be in several records"
		}
		fmt.Fprintf(&b, "| %s | %s | %s |\n", s.Name, cutOrWhole(s.Name.IsCut()), why)
	}
	b.WriteString(storesIntro)
	for _, s := range read.BuiltinStores().All {
		if product := s.Said("product"); product != "" {
			columns := []string{string(s.Name), product, s.Said("record"), s.Said("query"), s.Said("loses"), s.Said("export")}
			b.WriteString("| " + strings.Join(columns, " | ") + " |\n")
		}
	}
	b.WriteString(describeIntro)
	for _, line := range describing {
		fmt.Fprintf(&b, "| `%s` | %s |\n", cell(line[0]), line[1])
	}
	b.WriteString("\n```text\n" + read.BuiltinStores().Text + "```\n" + boundsIntro)
	writeBounds(&b)
	return b.Bytes()
}

// writeBounds writes the rows of the limits.
func writeBounds(b *bytes.Buffer) {
	l := read.Limits{}.WithDefaults()
	fmt.Fprintf(b, "| bytes decompressed from one file | %d MiB, and %d for each byte of it |\n",
		read.FreeExpansion>>20, l.Expansion)
	fmt.Fprintf(b, "| bytes that each line, value or message in it counts for in addition | %d |\n", read.PerUnit)
	fmt.Fprintf(b, "| memory of one decoder | %d MiB |\n", read.MostWindow>>20)
	fmt.Fprintf(b, "| memory of all decoders, one after another | %d GiB, and %d bytes for each byte of the file |\n",
		read.FreeMemory>>30, read.MemoryRate)
	fmt.Fprintf(b, "| members of an archive, and blocks of a stream of xz | %d |\n", l.Members)
	fmt.Fprintf(b, "| codecs and archives within one another | %d |\n", l.Nesting)
	fmt.Fprintf(b, "| a line, message, value or row | %d MiB |\n", l.Unit>>20)
}

// TestDescribing: the page explains every key that a description can have.
func TestDescribing(t *testing.T) {
	_, err := read.ParseStores("unknown")
	keys, ok := strings.CutPrefix(fmt.Sprint(err), "line 1: expected one of ")
	keys, _, _ = strings.Cut(keys, ", found")
	for key := range strings.SplitSeq(keys, ", ") {
		if !ok || !slices.ContainsFunc(describing, func(l [2]string) bool { return strings.HasPrefix(l[0], key+" ") }) {
			t.Errorf("%v: the page does not explain %q", err, key)
		}
	}
}

func cutOrWhole(cut bool) string {
	if cut {
		return "cut"
	}
	return "whole"
}

// planned says what a plan does with the files of a form.
func planned(t *testing.T, s shapes.Shape) string {
	t.Helper()
	h := historyFor(t, s)
	dir := t.TempDir()
	for name, content := range s.Write(h.handed()) {
		must.Do(t, os.WriteFile(filepath.Join(dir, strings.ReplaceAll(name, "/", "-")), content, 0o600))
	}
	p := must.Get(plan.Make(t.Context(), []string{dir}, plan.Options{Shares: 4, Least: 1}, nil))(t)
	cut := slices.ContainsFunc(p.Sources, func(s plan.Source) bool { return len(s.Ranges) > 1 })
	for _, s := range p.Sources {
		check.That(t, s.Format.IsCut() || len(s.Ranges) <= 1,
			"a file of %s is cut, and the table says that it goes whole", s.Format)
	}
	return cutOrWhole(cut)
}

// orDash is a list, or a dash for an empty one.
func orDash(all []string) string {
	if len(all) == 0 {
		return "–"
	}
	return strings.Join(all, ", ")
}

// described is the name of a form, with a link to its document if that has an
// address.
func described(s shapes.Shape) string {
	title, address, ok := strings.Cut(s.Document, "http")
	if !ok {
		return fmt.Sprintf("`%s`: %s", s.Name, cell(s.Document))
	}
	return fmt.Sprintf("[`%s`](http%s %q)", s.Name, cell(address), cell(strings.TrimRight(title, ", ")))
}

// cell is text as it stands in a table.
func cell(text string) string {
	return strings.NewReplacer("|", `\|`, "<", `\<`, "*", `\*`).Replace(text)
}
