package read_test

import (
	"html"
	"slices"
	"strings"
	"testing"
)

// cells writes events with a value for each member, as stores with a column for each hand them out.
type cells struct {
	head, before, cell, join, end, between, tail string // in a cell, NAME and VALUE
	quote                                        func(string) string
	order                                        string // of the members
}

// Orders of members.
const (
	bySpec   = "body previous_hash skip_hash hash key_id signature"
	bodyLast = "previous_hash skip_hash hash key_id signature body"
)

func (c cells) write(events []string) string {
	var rows []string
	for _, e := range events {
		names, values := columns(e)
		if c.order != "" {
			names = strings.Fields(c.order)
		}
		var row []string
		for _, n := range names {
			row = append(row, strings.NewReplacer("NAME", n, "VALUE", c.quote(values[n])).Replace(c.cell))
		}
		rows = append(rows, c.before+strings.Join(row, c.join)+c.end)
	}
	return c.head + strings.Join(rows, c.between) + c.tail
}

// delimited is the cells of a text with delimiters, and a row on each line.
func delimited(head, before, join, end, order string, quote func(string) string) spelling {
	return cells{head: head, before: before, cell: "VALUE", join: join, end: end, quote: quote, order: order}.write
}

// labelled is cells of which each has its name.
func labelled(before, cell, join, end string, quote func(string) string) spelling {
	return cells{before: before, cell: cell, join: join, end: end, quote: quote}.write
}

func sqlQuote(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }

func slashed(quote string) func(string) string {
	escape := strings.NewReplacer(`\`, `\\`, quote, `\`+quote, "\n", `\n`)
	return func(s string) string { return quote + escape.Replace(s) + quote }
}

const (
	rowNames = "body,hash,key_id,previous_hash,signature,skip_hash"
	barNames = " body | hash | key_id | previous_hash | signature | skip_hash"
)

// spelledRows are tables with a column for each member.
var spelledRows = map[string]spelling{
	"CSV without a header":          delimited("", "", ",", "\n", "", csvQuote),
	"CSV without a header, by SPEC": delimited("", "", ",", "\n", bySpec, csvQuote),
	"CSV, the body last":            delimited("", "", ",", "\n", bodyLast, csvQuote),
	"CSV with apostrophes":          delimited("", "", ",", "\n", "", sqlQuote),
	"CSV with backslashes":          delimited(rowNames+"\n", "", ",", "\n", "", slashed(`"`)),
	"INSERT of each row":            delimited("", "INSERT INTO t ("+rowNames+") VALUES (", ", ", ");\n", "", sqlQuote),
	"psql":                          delimited(barNames+"\n---+---\n", " ", " | ", "\n", "", plainOf),
	"Markdown":                      delimited("|"+barNames+" |\n|---|\n", "| ", " | ", " |\n", "", plainOf),
	"a box":                         delimited("┌──────┐\n", "│ ", " │ ", " │\n", "", plainOf),
	"JSON, a row a line":            delimited("", "[", ", ", "]\n", "", jsonText),
	"bars, no header":               delimited("", "", "|", "\n", bySpec, plainOf),
	"renamed members":               labelled("{", `"my_NAME":VALUE`, ",", "}\n", jsonText),
	"psql, expanded":                labelled("-[ RECORD 1 ]-+-----\n", "NAME | VALUE\n", "", "", plainOf),
	"mysql, vertical":               labelled("******* 1. row *******\n", "     NAME: VALUE\n", "", "", plainOf),
	"XML, elements":                 labelled("<row>\n", "  <NAME>VALUE</NAME>\n", "", "</row>\n", html.EscapeString),
	"XML, fields":                   labelled("<row>", "<field name='NAME'>VALUE</field>\n", "", "</row>\n", html.EscapeString),
	"logfmt":                        labelled("time=2026-03-02T09:00:00Z ", "NAME=VALUE", " ", "\n", jsonText),
	"Java, toString":                labelled("Event{", "NAME='VALUE'", ", ", "}\n", plainOf),
	"Go, %+v":                       labelled("{", "NAME:VALUE", " ", "}\n", plainOf),
	"protobuf, text":                labelled("events {\n", "  NAME: VALUE\n", "", "}\n", jsonText),
	"INSERT of rows": cells{head: "INSERT INTO t (" + rowNames + ") VALUES\n", before: "(", cell: "VALUE", join: ", ",
		end: ")", between: ",\n", tail: ";\n", quote: sqlQuote}.write,
	"INSERT of rows on one line": cells{head: "INSERT INTO `t` VALUES ", before: "(", cell: "VALUE", join: ",", end: ")",
		between: ",", tail: ";\n", quote: slashed("'"), order: bySpec}.write,
	"HTML, a row a line": cells{head: "<table><tr><th>" + strings.ReplaceAll(rowNames, ",", "<th>") + "</tr>\n",
		before: "<tr>", cell: "<td>VALUE</td>", end: "</tr>\n", tail: "</table>\n", quote: html.EscapeString}.write,
	"HTML, a cell a line": cells{head: "<table>\n<tr>" + strings.ReplaceAll(rowNames, ",", "\n<th align=\"center\">"),
		before: "\n<tr>\n", cell: "  <td align=\"left\">VALUE</td>\n", tail: "</table>\n", quote: html.EscapeString,
		order: bySpec}.write,
	"HTML on one line": cells{head: "<TABLE BORDER=1>", before: "<TR>", cell: "<TD>VALUE</TD>", end: "</TR>",
		quote: html.EscapeString}.write,
	"JSON, columns and rows": cells{head: `{"columns":["` + strings.ReplaceAll(rowNames, ",", `","`) + `"],"rows":[`,
		before: "[", cell: "VALUE", join: ",", end: "]", between: ",", tail: "]}\n", quote: jsonText}.write,
	"JSON, cells in objects": cells{head: `{"rows":[`, before: `{"f":[`, cell: `{"v":VALUE}`, join: ",", end: "]}",
		between: ",", tail: "]}\n", quote: jsonText}.write,
}

// TestAlteredRows: a row that was altered is an event whose hash does not hold, if another row shows
// the order of its values. What was cut, or stands in another order, leaves something open.
func TestAlteredRows(t *testing.T) {
	events := spelledEvents(8)
	texts := textsOf(events)
	write := spelledRows["CSV without a header"]
	lines := strings.SplitAfter(write(texts), "\n")
	_, fifth := columns(texts[4])
	cell := func(name string) string { return csvQuote(fifth[name]) }
	other := strings.Replace(lines[4], `""n"":4`, `""n"":5`, 1)
	digest := strings.Repeat("0a", 32)
	for name, c := range map[string]struct {
		line           string
		altered, opens bool
	}{
		"a body":               {other, true, false},
		"a hash":               {strings.Replace(lines[4], fifth["hash"][:4], "0000", 1), true, false},
		"a hash is cut":        {strings.Replace(lines[4], fifth["hash"], fifth["hash"][:60], 1), false, true},
		"a link is gone":       {strings.Replace(lines[4], ","+cell("skip_hash"), "", 1), false, true},
		"a signature is gone":  {strings.Replace(lines[4], cell("signature"), "", 1), false, true},
		"a key is gone":        {strings.Replace(lines[4], cell("key_id"), `""`, 1), false, true},
		"two keys":             {strings.Replace(lines[4], cell("key_id"), cell("key_id")+`,"other"`, 1), false, true},
		"other cells between":  {strings.Replace(other, `,"berlin"`, `;"berlin"`, 1), false, true},
		"a digest more":        {strings.Replace(lines[4], `,"berlin"`, `,"`+digest+`","berlin"`, 1), false, true},
		"a row of other links": {csvQuote(`{"data":{},"protocol":"TCP"}`) + "," + digest + "\n", false, false},
	} {
		dump := strings.Join(slices.Concat(lines[:4], []string{c.line}, lines[5:]), "")
		n, others, open, says := outcomeOf(t, dump, events)
		if n != 7 || others > 0 != c.altered || open > 0 != c.opens {
			t.Errorf("%s: %d events, %d others, %d open: %.300q", name, n, others, open, says)
		}
	}
}
