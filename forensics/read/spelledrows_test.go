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
	deep                                         bool   // the members of the body have cells
}

// Orders of members.
const (
	bySpec   = "body previous_hash skip_hash hash key_id signature"
	bodyLast = "previous_hash skip_hash hash key_id signature body"
)

func (c cells) writeCells(events []string) string {
	var rows []string
	for _, e := range events {
		names, values := columns(e)
		if c.deep {
			names, values = deepColumns(e)
		}
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

// delimitedBy is the cells of a text with delimiters, and a row on each line.
func delimitedBy(head, before, join, end, order string, quote func(string) string) spelling {
	return cells{head: head, before: before, cell: "VALUE", join: join, end: end, quote: quote, order: order}.writeCells
}

// labelledAs is cells that each have a name.
func labelledAs(before, cell, join, end string, quote func(string) string) spelling {
	return cells{before: before, cell: cell, join: join, end: end, quote: quote}.writeCells
}

// deepAs is labelledAs for the members of the body, too.
func deepAs(before, cell, join, end string, quote func(string) string) spelling {
	return cells{before: before, cell: cell, join: join, end: end, quote: quote, deep: true}.writeCells
}

func sqlQuote(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }

func slashedIn(quote string) func(string) string {
	escape := strings.NewReplacer(`\`, `\\`, quote, `\`+quote, "\n", `\n`)
	return func(s string) string { return quote + escape.Replace(s) + quote }
}

const (
	rowNames = "body,hash,key_id,previous_hash,signature,skip_hash"
	barNames = " body | hash | key_id | previous_hash | signature | skip_hash"
)

// spelledRows are tables with a column for each member.
var spelledRows = map[string]spelling{
	"names with dots":               eachLine(deepJSON),
	"columns with dots":             tableOf(",", deepColumns, quoteIfNeeded),
	"pairs of name and value":       eachLine(pairsJSON),
	"values with types":             eachLine(typedJSON),
	"CSV without a header":          delimitedBy("", "", ",", "\n", "", csvQuote),
	"CSV without a header, by SPEC": delimitedBy("", "", ",", "\n", bySpec, csvQuote),
	"CSV, the body last":            delimitedBy("", "", ",", "\n", bodyLast, csvQuote),
	"CSV with apostrophes":          delimitedBy("", "", ",", "\n", "", sqlQuote),
	"CSV with backslashes":          delimitedBy(rowNames+"\n", "", ",", "\n", "", slashedIn(`"`)),
	"INSERT of each row":            delimitedBy("", "INSERT INTO t ("+rowNames+") VALUES (", ", ", ");\n", "", sqlQuote),
	"psql":                          delimitedBy(barNames+"\n---+---\n", " ", " | ", "\n", "", plainOf),
	"Markdown":                      delimitedBy("|"+barNames+" |\n|---|\n", "| ", " | ", " |\n", "", plainOf),
	"a box":                         delimitedBy("┌──────┐\n", "│ ", " │ ", " │\n", "", plainOf),
	"JSON, a row a line":            delimitedBy("", "[", ", ", "]\n", "", jsonText),
	"bars, no header":               delimitedBy("", "", "|", "\n", bySpec, plainOf),
	"renamed members":               labelledAs("{", `"my_NAME":VALUE`, ",", "}\n", jsonText),
	"psql, expanded":                labelledAs("-[ RECORD 1 ]-+-----\n", "NAME | VALUE\n", "", "", plainOf),
	"mysql, vertical":               labelledAs("******* 1. row *******\n", "     NAME: VALUE\n", "", "", plainOf),
	"XML, elements":                 labelledAs("<row>\n", "  <NAME>VALUE</NAME>\n", "", "</row>\n", html.EscapeString),
	"XML, fields": labelledAs("<row>", "<field name='NAME'>VALUE</field>\n", "", "</row>\n",
		html.EscapeString),
	"logfmt":         labelledAs("time=2026-03-02T09:00:00Z ", "NAME=VALUE", " ", "\n", jsonText),
	"Java, toString": labelledAs("Event{", "NAME='VALUE'", ", ", "}\n", plainOf),
	"Go, %+v":        labelledAs("{", "NAME:VALUE", " ", "}\n", plainOf),
	"protobuf, text": labelledAs("events {\n", "  NAME: VALUE\n", "", "}\n", jsonText),
	"CEF, deep":      deepAs("CEF:0|svc|edge|1|100|audit|3|", "NAME=VALUE", " ", "\n", cefEscape),
	"LEEF, deep":     deepAs("LEEF:1.0|svc|edge|1|100|", "NAME=VALUE", "\t", "\n", plainOf),
	"InfluxDB, deep": deepAs("audit,node=berlin ", "NAME=VALUE", ",", " 1772442000\n", slashedIn(`"`)),
	"hstore, deep":   deepAs("", `"NAME"=>VALUE`, ", ", "\n", slashedIn(`"`)),
	"syslog, deep":   deepAs("<134>1 - berlin edge 7 a [audit@32473 ", "NAME=VALUE", " ", "] done\n", slashedIn(`"`)),
	"Windows, deep": deepAs("<Event><EventData>", `<Data Name="NAME">VALUE</Data>`, "",
		"</EventData></Event>\n", html.EscapeString),
	"PowerShell, deep":   deepAs("", "NAME : VALUE\n", "", "\n", plainOf),
	"C#, deep":           deepAs("Event { ", "NAME = VALUE", ", ", " }\n", plainOf),
	"properties, deep":   deepAs("", "event.0.NAME=VALUE\n", "", "", plainOf),
	"INI, deep":          deepAs("[event]\n", "NAME = VALUE\n", "", "", plainOf),
	"Redis, deep":        deepAs("1) 1) \"177-0\"\n", "   2)  1) \"NAME\"\n       2) VALUE\n", "", "", slashedIn(`"`)),
	"reStructured, deep": deepAs("", ":NAME: VALUE\n", "", "\n", plainOf),
	"Neo4j, deep":        deepAs("(:Event {", "`NAME`: VALUE", ", ", "})\n", slashedIn(`"`)),
	"CloudWatch, deep": cells{head: `{"results":[`, before: "[", cell: `{"field":"NAME","value":VALUE}`, join: ",",
		end: "]", between: ",", tail: "]}\n", quote: jsonText, deep: true}.writeCells,
	"INSERT of rows": cells{head: "INSERT INTO t (" + rowNames + ") VALUES\n", before: "(", cell: "VALUE", join: ", ",
		end: ")", between: ",\n", tail: ";\n", quote: sqlQuote}.writeCells,
	"INSERT of rows on one line": cells{head: "INSERT INTO `t` VALUES ", before: "(", cell: "VALUE", join: ",", end: ")",
		between: ",", tail: ";\n", quote: slashedIn("'"), order: bySpec}.writeCells,
	"HTML, a row a line": cells{head: "<table><tr><th>" + strings.ReplaceAll(rowNames, ",", "<th>") + "</tr>\n",
		before: "<tr>", cell: "<td>VALUE</td>", end: "</tr>\n", tail: "</table>\n", quote: html.EscapeString}.writeCells,
	"HTML, a cell a line": cells{head: "<table>\n<tr>" + strings.ReplaceAll(rowNames, ",", "\n<th align=\"center\">"),
		before: "\n<tr>\n", cell: "  <td align=\"left\">VALUE</td>\n", tail: "</table>\n", quote: html.EscapeString,
		order: bySpec}.writeCells,
	"HTML on one line": cells{head: "<TABLE BORDER=1>", before: "<TR>", cell: "<TD>VALUE</TD>", end: "</TR>",
		quote: html.EscapeString}.writeCells,
	"JSON, columns and rows": cells{head: `{"columns":["` + strings.ReplaceAll(rowNames, ",", `","`) + `"],"rows":[`,
		before: "[", cell: "VALUE", join: ",", end: "]", between: ",", tail: "]}\n", quote: jsonText}.writeCells,
	"JSON, cells in objects": cells{head: `{"rows":[`, before: `{"f":[`, cell: `{"v":VALUE}`, join: ",", end: "]}",
		between: ",", tail: "]}\n", quote: jsonText}.writeCells,
}

func cefEscape(s string) string { return strings.NewReplacer(`\`, `\\`, "=", `\=`).Replace(s) }

// TestAlteredRows: a row that was altered is an event whose hash does not hold, if another row shows
// the order of its values. A row that was cut, or of another order, leaves something open.
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

// pairsJSON writes the members of an event and of its body as pairs of a name and a value.
func pairsJSON(s string) string {
	return `{"Items":[` + deepMembers(s, func(name, value string) string {
		return `{"Name":` + name + `,"Value":` + value + "}"
	}) + "]}"
}

// typedJSON writes them with their types, as DynamoDB does.
func typedJSON(s string) string {
	return `{"Item":{` + deepMembers(s, func(name, value string) string {
		return name + `:{"S":` + jsonText(strings.Trim(value, `"`)) + "}"
	}) + "}}"
}

// deepMembers writes the members of an event and of its body, with dots in their names.
func deepMembers(s string, write func(name, value string) string) string {
	names, values := deepColumns(s)
	var out []string
	for _, n := range names {
		v := jsonText(values[n])
		if n == "body.sequence" || n == "body.data" {
			v = values[n]
		}
		out = append(out, write(jsonText(n), v))
	}
	return strings.Join(out, ",")
}
