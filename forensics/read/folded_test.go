package read_test

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/read"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// joinings are texts that are broken into lines as a whole.
var joinings = map[string]struct{ before, between string }{
	"lines":                       {"", "\n"},
	"no line ends":                {"", ""},
	"spaces":                      {"", " "},
	"behind a word":               {"log: ", "\n"},
	"behind a word, with no ends": {"log: ", ""},
	"behind a word, with spaces":  {"log: ", " "},
}

// folded breaks a text after every so many bytes. It returns where each of some
// places is then.
func folded(text string, width int, places []int) (out string, moved []int64) {
	var b strings.Builder
	column := 0
	for i := range len(text) {
		if text[i] == '\n' {
			column = 0
		} else if column++; column > width {
			b.WriteByte('\n')
			column = 1
		}
		if slices.Contains(places, i) {
			moved = append(moved, int64(b.Len()))
		}
		b.WriteByte(text[i])
	}
	return b.String(), append(moved, int64(b.Len()))
}

// However narrow the lines are into which events were broken, each event is found, or
// a span that it is in is named as not read.
func TestFoldedIsFoundOrNamed(t *testing.T) {
	bodies := genuineEvents(12)
	for name, j := range joinings {
		t.Run(name, func(t *testing.T) {
			text := j.before + string(bytes.Join(bodies, []byte(j.between))) + "\n"
			var places []int
			for _, body := range bodies {
				places = append(places, strings.Index(text, string(body)))
			}
			for width := 8; width < 140; width += 1 + width/16 {
				dump, starts := folded(text, width, places)
				foundOrNamed(t, dump, bodies, starts, width)
			}
		})
	}
}

// In lines that are not too narrow each event is read, and nothing else is left, also
// where backslashes end the lines, and if a line of the first one ends with a bracket.
func TestFoldedIsRead(t *testing.T) {
	bodies := genuineEvents(12)
	text := string(bytes.Join(bodies, []byte("\n"))) + "\n"
	widths := []int{strings.Index(text, `},"hash"`) + 1}
	for width := 32; width < 200; width += 5 {
		widths = append(widths, width)
	}
	for _, width := range widths {
		plain, _ := folded(text, width, nil)
		for name, dump := range map[string]string{"plain": plain, "of Windows": strings.ReplaceAll(plain, "\n", "\r\n"),
			"with backslashes": backslashed(plain)} {
			found := valueAt(t, []byte(dump), read.Options{})
			named := slices.ContainsFunc(found.Skips, func(s read.Skip) bool { return s.Code != finding.SourceNoRecord })
			check.That(t, len(found.Records) == len(bodies) && !named,
				"%s, lines of %d: %d events of %d, %+v", name, width, len(found.Records), len(bodies), found.Skips)
		}
	}
}

// backslashed marks the ends of lines within an event.
func backslashed(text string) string {
	text = strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", "\\\n")
	return strings.ReplaceAll(text, "}\\\n{\"body", "}\n{\"body") + "\n"
}

func foundOrNamed(t *testing.T, dump string, bodies [][]byte, starts []int64, width int) {
	t.Helper()
	var found Found
	must.Do(t, read.ReadInBlocks(context.Background(), strings.NewReader(dump), read.Options{}, &found, 4<<10, 1<<20))
	for i, body := range bodies {
		if slices.ContainsFunc(found.Records, func(r read.Record) bool { return bytes.Equal(r.Body, body) }) {
			continue
		}
		check.That(t, slices.ContainsFunc(found.Skips, func(s read.Skip) bool {
			return s.Code != finding.SourceNoRecord && s.Place.Offset < starts[i+1] &&
				s.Place.Offset+s.Place.Length > starts[i]
		}), "lines of %d: event %d is neither found nor named: %+v", width, i, found.Skips)
	}
}
