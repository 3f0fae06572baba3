package read_test

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/svc-edge/svc-verify/forensics/read"
	"github.com/svc-edge/svc-verify/harness/dumps"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// quoted is a field as CSV quotes it.
func quoted(s []byte) string { return `"` + strings.ReplaceAll(string(s), `"`, `""`) + `"` }

// csvOf writes bodies as a table of the store whose columns these are.
func csvOf(delimiter, end string, bodies [][]byte) string {
	var b strings.Builder
	b.WriteString(strings.Join([]string{"Timestamp", "ServiceName", "Body"}, delimiter) + end)
	for i, body := range bodies {
		fmt.Fprintf(&b, "%s%s%s%s%s%s", "2026-03-02 09:00:0"+fmt.Sprint(i%10), delimiter, "edge",
			delimiter, quoted(body), end)
	}
	return b.String()
}

func TestCSV(t *testing.T) {
	bodies := dumps.Bodies(5)
	for _, delimiter := range []string{",", ";", "\t", "|"} {
		for _, end := range []string{"\n", "\r\n"} {
			for _, before := range []string{"", "\ufeff", "sep=" + delimiter + end, "#TYPE System.Object" + end} {
				table := before + csvOf(delimiter, end, bodies)
				found := valueAt(t, []byte(table), read.Options{})
				checkBodies(t, found, bodies, read.Exact)
				check.That(t, len(found.Skips) == 0 && found.Formats[0].Format == read.CSV,
					"%q %q %q: %+v %+v", delimiter, end, before, found.Formats, found.Skips)
				for i, r := range found.Records {
					row := table[r.Place.Offset : r.Place.Offset+r.Place.Length]
					check.That(t, strings.Contains(row, quoted(bodies[i])) && strings.HasSuffix(row, end) && r.ExportTime != 0,
						"place %+v: %q", r.Place, row)
				}
			}
		}
	}
}

// Bytes that are not Unicode, and line feeds within quotes, come through.
func TestCSVKeepsOctets(t *testing.T) {
	body := []byte("{\"a\":\"\xff\xfe\",\r\n\"b\":\"\"\"\"}\n")
	found := valueAt(t, []byte(csvOf(",", "\n", [][]byte{body})), read.Options{})
	must.That(t, len(found.Records) == 1 && bytes.Equal(found.Records[0].Body, body), "%+v", found)
}

// Text that is no table is left to other readers.
func TestNoCSV(t *testing.T) {
	event := string(dumps.Bodies(1)[0])
	for name, text := range map[string]string{
		"one column":   "line\n" + quoted([]byte(event)) + "\n",
		"no rows":      "time,line\n",
		"lines":        event + "\n" + event + "\n",
		"log lines":    "time=1, level=info\ntime=2, level=info\n",
		"no names":     "1,2\n3,4\n",
		"other fields": "time,line\nwhat,follows,is\nsomething,else,here\n",
		"a ruler":      " id | line\n----+------\n",
		"no ruler":     "| id | line |\n|  1 | x    |\n|  2 | y    |\n",
		"a heading":    "one | two\n=========\nwhat follows\n",
	} {
		for _, f := range valueAt(t, []byte(text), read.Options{}).Formats {
			check.That(t, f.Format != read.CSV, "%s: a table", name)
		}
	}
}

// A record that is torn costs itself, wherever it is and whatever follows.
func TestTornCSV(t *testing.T) {
	bodies := dumps.Bodies(9)
	whole := csvOf(",", "\n", bodies)
	rows := strings.SplitAfter(whole, "\n")
	for name, damage := range map[string]func(row string) string{
		"no end":         func(row string) string { return row[:len(row)/2] + "\n" },
		"no beginning":   func(row string) string { return row[len(row)/2:] },
		"no last quote":  func(row string) string { return strings.TrimSuffix(row, "\"\n") + "\n" },
		"no first quote": func(row string) string { return strings.Replace(row, `,"`, `,`, 1) },
		"one field":      func(row string) string { return "edge," + row },
		"zeros":          func(row string) string { return strings.Repeat("\x00", len(row)) + "\n" },
		"a quote":        func(row string) string { return row[:len(row)/2] + `"` + row[len(row)/2:] },
	} {
		for at := 1; at <= len(bodies); at++ {
			damaged := append(append(append([]string{}, rows[:at]...), damage(rows[at])), rows[at+1:]...)
			found := valueAt(t, []byte(strings.Join(damaged, "")), read.Options{})
			got := map[string]bool{}
			for _, r := range found.Records {
				got[string(r.Body)] = true
			}
			for i, body := range bodies {
				check.That(t, got[string(body)] || i == at-1, "%s in row %d: row %d is lost", name, at, i+1)
			}
			check.That(t, len(found.Skips)+len(found.Records) >= len(bodies),
				"%s in row %d: nothing is said", name, at)
			check.That(t, name != "one field" || got[string(bodies[at-1])],
				"row %d: an event in a record of another number of fields is lost", at)
		}
	}
}

// TestCSVIsThatOfOthers compares the fields with another reader's.
func TestCSVIsThatOfOthers(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		text := rapid.StringMatching(`[a-c,";\n \t|]{0,12}`)
		var table [][]string
		for range rapid.IntRange(2, 6).Draw(rt, "rows") {
			table = append(table, []string{text.Draw(rt, "a"), text.Draw(rt, "b"), "x" + text.Draw(rt, "c")})
		}
		var out bytes.Buffer
		w := csv.NewWriter(&out)
		w.Comma = rapid.SampledFrom([]rune(",;\t|")).Draw(rt, "delimiter")
		w.UseCRLF = rapid.Bool().Draw(rt, "CRLF")
		must.That(rt, w.Write([]string{"Timestamp", "ServiceName", "Body"}) == nil && w.WriteAll(table) == nil,
			"not written")
		found := valueAt(t, out.Bytes(), read.Options{})
		for i, row := range table {
			want := row[2]
			if w.UseCRLF {
				want = strings.ReplaceAll(want, "\n", "\r\n")
			}
			if i >= len(found.Records) || string(found.Records[i].Body) != want {
				rt.Fatalf("row %d: want %q of %q\n%+v", i, want, out.Bytes(), found)
			}
		}
	})
}

// FuzzCSV wants that all of every table is accounted for.
func FuzzCSV(f *testing.F) {
	f.Add([]byte(csvOf(",", "\r\n", dumps.Bodies(2))))
	f.Add([]byte("\n\n"))
	f.Add([]byte("sep=;\na;b\n\"x\n\";\"\"\"\"\n1;2;3\n\"\n"))
	f.Fuzz(func(t *testing.T, b []byte) { sound(t, append([]byte("a,b\n1,2\n3,4\n"), b...), read.Options{}) })
}
