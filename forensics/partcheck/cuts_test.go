package partcheck

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/forensics/cases"
	"github.com/svc-edge/svc-verify/forensics/read"
	"github.com/svc-edge/svc-verify/harness/dumps"
	"github.com/svc-edge/svc-verify/harness/fleet"
	"github.com/svc-edge/svc-verify/internal/must"
)

// near is something that stands in a file and may not be cut as if it were a line of it.
type near struct {
	name string
	of   func(line string) string // what stands in place of a line
}

// nears are a line over several lines, what belongs to the line behind it, what needs to
// know the lines before it, and what shares a bound with others of its kind.
var nears = []near{
	{"whole", func(line string) string { return line }},
	{"over several lines", func(line string) string { return strings.ReplaceAll(line, `,"`, ",\n\"") }},
	{"a header", func(line string) string { return "time,message\n" + line }},
	{"an action", func(line string) string {
		return `{"index":{"_id":"` + strings.Repeat("x", 300) + `"}}` + "\n" +
			line
	}},
	{"an open line", func(line string) string {
		return `{"log":"` + strings.Repeat("x", 300) + `","stream":"stdout","time":"2026-03-02T09:00:00Z"}` + "\n" + line
	}},
	{"two on a line", func(line string) string { return strings.TrimRight(line, "\r\n") + line }},
	{"many short lines", func(line string) string { return line + strings.Repeat("{\"a\":1}\n?\n", 2000) }},
	{"torn", func(line string) string { return line[:len(line)/2] + "\n" + line }},
}

// cut are the scenes of a journal in every format that a plan cuts.
func cut(t *testing.T) (all []scene) {
	t.Helper()
	for _, f := range dumps.Formats() {
		if !f.Reads.IsCut() || !f.Lines {
			continue
		}
		for i, n := range nears {
			name := fmt.Sprint(f.Name, ", ", n.name)
			all = append(all, scene{name, func(t *testing.T, dir string) *laid { return layCut(t, f, i, dir) }})
		}
	}
	return all
}

// layCut writes a journal in a format, with something near a line in the midst of it, and
// once more with other line ends and in the other order.
func layCut(t *testing.T, f dumps.Format, i int, dir string) *laid {
	t.Helper()
	lines, batch, cursor, root, err := cases.Lines()
	must.Do(t, err)
	var written []string
	for n := 0; n < len(lines); n += 2 {
		o := dumps.Options{Structured: f.Text == 0, Batches: []string{batch, fmt.Sprintf("%064x", n)}}
		if o.Where = read.InRecord; i%2 == 0 && f.Resource {
			o.Where = read.InResource
		}
		written = append(written, strings.SplitAfter(string(f.Write(lines[n:n+2], o)), "\n")...)
	}
	written = slices.DeleteFunc(written, func(line string) bool { return len(line) < 256 }) // the end of an export
	half := len(written) / 2
	midst := nears[i].of(written[half])
	file := strings.Join(written[:half], "") + midst + strings.Join(written[half+1:], "")
	again := strings.ReplaceAll(strings.Join(written[half+1:], "")+strings.Join(written[:half], ""), "\n", "\r\n")
	e := &fleet.Evidence{Files: map[string]fleet.File{"cursors.ndjson": fleet.Bytes(cursor),
		"handed/a": fleet.Bytes([]byte(file)), "handed/b": fleet.Bytes(bytes.TrimPrefix([]byte(again), []byte("\r\n")))}}
	must.Do(t, e.Write(dir))
	return &laid{root: root, paths: []string{filepath.Join(dir, "cursors.ndjson"), filepath.Join(dir, "handed")},
		cut: true}
}
