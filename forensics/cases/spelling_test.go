package cases

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/harness/dumps"
	"github.com/svc-edge/svc-verify/harness/fleet"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/must"
)

// sent is when the event was exported, in nanoseconds since 1970.
var sent = time.Date(2026, time.March, 2, 18, 0, 0, 0, time.UTC).UnixNano()

// spellings are lossless ways to write one document. Anyone who alters a copy chooses among
// them.
var spellings = map[string]func(line []byte) []byte{
	"canonical":         func(line []byte) []byte { return line },
	"a space":           func(line []byte) []byte { return replaceFirst(line, "{", "{ ") },
	"trailing spaces":   func(line []byte) []byte { return append(bytes.Clone(line), " \t \r"...) },
	"leading spaces":    func(line []byte) []byte { return append([]byte(" \t "), line...) },
	"several lines":     indented,
	"other order":       func(line []byte) []byte { return reversed(parsed(line)) },
	"escapes":           escaped,
	"an escaped slash":  func(line []byte) []byte { return bytes.ReplaceAll(line, []byte("/"), []byte(`\/`)) },
	"a fraction of 0":   func(line []byte) []byte { return numbered(line, "%d.000") },
	"an exponent":       func(line []byte) []byte { return numbered(line, "%d0e-1") },
	"a byte order mark": func(line []byte) []byte { return append([]byte("\ufeff"), line...) },
	"UTF-16":            wide,
	"quoted":            quoted,
	"quoted twice":      func(line []byte) []byte { return quoted(quoted(line)) },
	"an array":          func(line []byte) []byte { return slices.Concat([]byte("["), line, []byte("]")) },
	"a collector's body": func(line []byte) []byte {
		return dumps.Named("file-json").Write([][]byte{replaceFirst(line, "{", "{ ")}, dumps.Options{Time: sent})
	},
	"a collector's quoted body": func(line []byte) []byte {
		return dumps.Named("file-json").Write([][]byte{quoted(line)}, dumps.Options{Time: sent})
	},
	"a collector's body with other numbers": func(line []byte) []byte {
		return dumps.Named("loki-jsonl").Write([][]byte{numbered(line, "%d.0")}, dumps.Options{Time: sent})
	},
	"a collector's structure": func(line []byte) []byte {
		return dumps.Named("file-json").Write([][]byte{line}, dumps.Options{Structured: true, Time: sent})
	},
	"a store's structure": func(line []byte) []byte {
		return dumps.Named("elastic-bodymap").Write([][]byte{line}, dumps.Options{Time: sent})
	},
	"a store's structure with other numbers": func(line []byte) []byte {
		return numbered(dumps.Named("elastic-bodymap").Write([][]byte{line}, dumps.Options{Time: sent}), "%d.0")
	},
}

func replaceFirst(line []byte, old, with string) []byte {
	return bytes.Replace(line, []byte(old), []byte(with), 1)
}

func parsed(line []byte) seal.Object {
	return must.Have(seal.Parse(line))
}

func indented(line []byte) []byte {
	var b bytes.Buffer
	if err := json.Indent(&b, line, "", "\t"); err != nil {
		panic(err)
	}
	return b.Bytes()
}

// reversed writes the members of every object in the reverse order.
func reversed(value any) []byte {
	o, ok := value.(seal.Object)
	if !ok {
		return must.Have(json.Marshal(value))
	}
	var members []string
	for _, name := range slices.Backward(slices.Sorted(maps.Keys(o))) {
		members = append(members, fmt.Sprintf("%q:%s", name, reversed(o[name])))
	}
	return []byte("{" + strings.Join(members, ",") + "}")
}

// escaped escapes every letter.
func escaped(line []byte) []byte {
	var b []byte
	for _, c := range line {
		if 'a' <= c && c <= 'z' {
			b = fmt.Appendf(b, `\u%04x`, c)
		} else {
			b = append(b, c)
		}
	}
	return b
}

// numbered writes the event's sequence in another way.
func numbered(line []byte, format string) []byte {
	_, rest, ok := bytes.Cut(line, []byte(`"sequence":`))
	var n int
	if _, err := fmt.Sscanf(string(rest), "%d", &n); !ok || err != nil {
		panic("no sequence")
	}
	return replaceFirst(line, fmt.Sprintf(`"sequence":%d`, n), `"sequence":`+fmt.Sprintf(format, n))
}

// wide writes a file in UTF-16.
func wide(line []byte) []byte {
	var b []byte
	for _, unit := range utf16.Encode([]rune("\ufeff" + string(line) + "\n")) {
		b = binary.LittleEndian.AppendUint16(b, unit)
	}
	return b
}

func quoted(line []byte) []byte {
	return must.Have(json.Marshal(string(line)))
}

// TestSpellings: an altered event is found in whatever spelling it comes, next to the genuine
// one and alone; and a genuine one is nothing but that.
func TestSpellings(t *testing.T) {
	const copied = "copy.ndjson"
	journal := fleet.Journal("mesh-berlin-1")
	genuine := Evidence(t, fleet.Scene)
	content := must.Get(genuine.Content(journal))(t)
	lines := bytes.SplitAfter(content, []byte("\n"))
	at := slices.IndexFunc(lines, func(line []byte) bool { return bytes.Contains(line, []byte(`"decision":"allow"`)) })
	line := bytes.TrimSpace(lines[at])
	altered := replaceFirst(line, `"decision":"allow"`, `"decision":"deny"`)
	without := slices.Concat(slices.Concat(lines[:at]...), slices.Concat(lines[at+1:]...))
	for i, name := range slices.Sorted(maps.Keys(spellings)) {
		if testing.Short() && i%30 != 7 {
			continue
		}
		spell := spellings[name]
		for _, tt := range []struct {
			name, journal string
			line          []byte
			crossed       bool
			want          finding.Code // "" for nothing that counts
		}{
			{"altered, beside the genuine", string(content), altered, false, finding.AlteredCopy},
			{"altered, beside the genuine, crosschecked", string(content), altered, true, finding.SourceAltered},
			{"altered, alone", string(without), altered, false, finding.HashMismatch},
			{"genuine, twice", string(content), line, false, ""},
			{"genuine, twice, crosschecked", string(content), line, true, ""},
			{"genuine, alone", string(without), line, false, ""},
		} {
			e := genuine.Clone()
			e.Files[journal] = fleet.Bytes([]byte(tt.journal))
			spelt := spell(tt.line)
			if name != "UTF-16" { // which has one of its own
				spelt = append(slices.Clip(spelt), '\n')
			}
			e.Files[copied] = fleet.Bytes(spelt)
			found := exam{fleet.Scene, with(collected, copied), tt.crossed, false}.examine(t, e)
			checkSpelling(t, name+", "+tt.name, found, tt.want, tt.journal == string(content))
		}
	}
}

// checkSpelling checks that the code was found, as critical; or, if there is
// none, that nothing was found that counts, and nothing but for information where
// the event is there in its own spelling as well.
func checkSpelling(t *testing.T, name string, found []finding.Finding, want finding.Code, beside bool) {
	t.Helper()
	if want != "" && !slices.ContainsFunc(found, func(f finding.Finding) bool {
		return f.Code == want &&
			f.Severity == finding.Critical
	}) {
		t.Errorf("%s: no %s", name, want)
	}
	for _, f := range found {
		if f.Code == finding.LossyCopy || want == "" && (f.Effect() != finding.None || beside && f.Severity != finding.Info) {
			t.Errorf("%s: %s: expected %s, found %s", name, say(f), f.Expected, f.Found)
		}
	}
}
