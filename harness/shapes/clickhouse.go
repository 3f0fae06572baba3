package shapes

import (
	"fmt"
	"strings"
)

const clickhousePage = "ClickHouse: Formats for input and output data, https://clickhouse.com/docs/interfaces/formats/"

// What ClickHouse escapes.
var (
	clickhouseJSON = spelling{slash: true, lines: true, colon: ":", comma: ","}
	clickhouseText = strings.NewReplacer(`\`, `\\`, "'", `\'`, "\b", `\b`, "\f", `\f`, "\n", `\n`, "\r", `\r`, "\t", `\t`,
		"\x00", `\0`).Replace
	clickhouseXML = strings.NewReplacer("&", "&amp;", "<", "&lt;").Replace
)

// clickhouseForm is a shape of one format.
func clickhouseForm(format string, batch bool, write func(Log) Files) Shape {
	return Shape{
		Name: "clickhouse/" + format, Document: clickhousePage + format, Keeps: Octets, Batch: batch,
		Export: "clickhouse-client -q 'SELECT * FROM audit FORMAT " + format + "'", Write: write,
	}
}

// clickhouseShapes are the formats of ClickHouse.
func clickhouseShapes() []Shape {
	pretty := clickhouseForm("Pretty", false, clickhousePretty)
	pretty.Export = "clickhouse-client -q 'SELECT * FROM audit FORMAT JSONEachRow'"
	pretty.Loses = "Pretty cuts values after 10000 characters, and stops after 10000 rows."
	return []Shape{
		pretty,
		clickhouseForm("TSV", false, lined("audit.tsv", clickhouseRow)),
		clickhouseForm("TSVWithNames", true, table("audit.tsv", "\t", clickhouseText)),
		clickhouseForm("TSVRaw", false, lined("audit.tsv", func(r record) string {
			return r.id() + "\t" + r.stamp() + "\t" + r.line
		})),
		clickhouseForm("CSV", false, lined("audit.csv", func(r record) string {
			return r.id() + "," + quoted(r.stamp()) + "," + quoted(r.line)
		})),
		clickhouseForm("CSVWithNames", true, table("audit.csv", ",", quoted)),
		clickhouseForm("CustomSeparated", false, lined("audit.txt", clickhouseRow)),
		clickhouseForm("JSONCompact", false, page{
			"audit.json", "{\n\t\"meta\":\n\t[\n\t\t{\n\t\t\t\"name\": \"id\",\n\t\t\t\"type\": \"UInt64\"\n\t\t},\n\t\t{\n" +
				"\t\t\t\"name\": \"body\",\n\t\t\t\"type\": \"String\"\n\t\t}\n\t],\n\n\t\"data\":\n\t[\n", ",\n",
			"\n\t],\n\n\t\"rows\": 0\n}\n",
		}.of(func(r record) string { return "\t\t[" + `"` + r.id() + `", ` + clickhouseJSON.quote(r.line) + "]" })),
		clickhouseForm("JSONCompactEachRow", false, lined("audit.jsonl", func(r record) string {
			return `["` + r.id() + `", "` + r.stamp() + `", ` + clickhouseJSON.quote(r.line) + "]"
		})),
		clickhouseForm("JSONStringsEachRow", true, lined("audit.jsonl", func(r record) string {
			return clickhouseJSON.object("id", `"`+r.id()+`"`, "received_at", `"`+r.stamp()+`"`,
				batchName, clickhouseJSON.quote(r.batch), "body", clickhouseJSON.quote(r.line))
		})),
		clickhouseForm("JSONColumns", false, func(l Log) Files {
			var bodies []string
			for _, r := range l.records() {
				bodies = append(bodies, clickhouseJSON.quote(r.line))
			}
			return file("audit.json", []byte("{\n\t\"body\": ["+strings.Join(bodies, ", ")+"]\n}\n"))
		}),
		clickhouseForm("Values", false, page{name: "audit.txt", between: ",", foot: "\n"}.of(clickhouseTuple)),
		clickhouseForm("SQLInsert", false, page{
			name: "audit.sql", head: "INSERT INTO audit (`id`, `received_at`, `body`) VALUES ", between: ", ", foot: ";\n",
		}.of(clickhouseTuple)),
		clickhouseForm("Vertical", false, page{name: "audit.txt", between: "\n"}.of(func(r record) string {
			return fmt.Sprintf("Row %d:\n──────\nid:          %d\nreceived_at: %s\nbody:        %s\n", r.n, r.n,
				r.stamp(), r.line)
		})),
		clickhouseForm("XML", false, page{
			"audit.xml", "<?xml version='1.0' encoding='UTF-8' ?>\n<result>\n\t<data>\n", "",
			"\t</data>\n\t<rows>0</rows>\n</result>\n",
		}.of(func(r record) string {
			return "\t\t<row>\n\t\t\t<id>" + r.id() + "</id>\n\t\t\t<body>" + clickhouseXML(r.line) + "</body>\n\t\t</row>\n"
		})),
		clickhouseForm("Markdown", false, page{name: "audit.md", head: "| id | received\\_at | body |\n|-:|:-|:-|\n"}.of(
			func(r record) string {
				return "| " + r.id() + " | " + punctuated(r.stamp()) + " | " + punctuated(r.line) + " |\n"
			})),
	}
}

func clickhouseRow(r record) string { return r.id() + "\t" + r.stamp() + "\t" + clickhouseText(r.line) }

func clickhouseTuple(r record) string {
	return fmt.Sprintf("(%d,'%s','%s')", r.n, r.stamp(), clickhouseText(r.line))
}

// punctuated escapes all punctuation of ASCII, as Markdown allows.
func punctuated(text string) string {
	var out strings.Builder
	for i := range len(text) {
		if strings.IndexByte("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~", text[i]) >= 0 {
			out.WriteByte('\\')
		}
		out.WriteByte(text[i])
	}
	return out.String()
}

func clickhousePretty(l Log) Files {
	const limit = 10000
	return page{"audit.txt", "┏━━━━┳━━━━━━┓\n┃ id ┃ body ┃\n┡━━━━╇━━━━━━┩\n", "├────┼──────┤\n", "└────┴──────┘\n"}.of(
		func(r record) string {
			if line := []rune(r.line); len(line) > limit {
				r.line = string(line[:limit]) + "⋯"
			}
			return "│ " + r.id() + " │ " + r.line + " │\n"
		})(l)
}
