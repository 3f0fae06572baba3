package shapes

import (
	"fmt"
	"strings"
)

// sheetShapes are tables as people keep them.
func sheetShapes() []Shape {
	const (
		rfc      = "RFC 4180: Common Format and MIME Type for CSV Files, https://www.rfc-editor.org/rfc/rfc4180"
		excelCSV = "Microsoft Excel: Import or export text files, " +
			"https://support.microsoft.com/en-us/office/import-or-export-text-txt-or-csv-files"
		limits = "Microsoft Excel: Specifications and limits, " +
			"https://support.microsoft.com/en-us/office/excel-specifications-and-limits"
		xml2003 = "Microsoft: XML Spreadsheet Reference, " +
			"https://learn.microsoft.com/en-us/previous-versions/office/developer/office-xp/aa140066(v=office.10)"
		odf    = "OASIS: OpenDocument 1.3, part 3, https://docs.oasis-open.org/office/OpenDocument/v1.3/"
		google = "Google Sheets: Download, https://support.google.com/docs/answer/40608"
		gfm    = "GitHub Flavored Markdown: Tables, https://github.github.com/gfm/#tables-extension-"
		html   = "WHATWG: HTML, the table element, https://html.spec.whatwg.org/multipage/tables.html"
		latex  = "LaTeX2e: verbatim, https://latexref.xyz/verbatim.html"
		short  = "A cell has 32767 characters at most; longer ones are cut."
		bom    = "\ufeff"
	)
	before := func(head string) func([]byte) []byte {
		return func(b []byte) []byte { return append([]byte(head), b...) }
	}
	return []Shape{
		{
			Name: "csv/rfc-4180", Document: rfc, Export: "the file as it is", Keeps: Octets, Batch: true,
			Write: encoded("audit.csv", table("", ",", csvCell), windowsLines),
		},
		{
			Name: "csv/semicolon", Document: excelCSV, Export: "CSV UTF-8", Keeps: Octets, Batch: true, Loses: short,
			Write: encoded("audit.csv", table("", ";", csvBetween(";")), windowsLines),
		},
		{
			Name: "csv/tab", Document: excelCSV, Export: "CSV UTF-8", Keeps: Octets, Batch: true, Loses: short,
			Write: encoded("audit.txt", table("", "\t", csvBetween("\t")), windowsLines),
		},
		{
			Name: "csv/pipe", Document: rfc, Export: "the file as it is", Keeps: Octets, Batch: true,
			Write: table("audit.csv", "|", csvBetween("|")),
		},
		{
			Name: "csv/without-names", Document: rfc, Export: "the file as it is", Keeps: Octets,
			Write: lined("audit.csv", func(r record) string { return r.id() + "," + r.stamp() + "," + csvCell(r.line) }),
		},
		{
			Name: "excel/csv-sep", Document: excelCSV, Export: "CSV UTF-8", Keeps: Octets, Batch: true, Loses: short,
			Write: encoded("audit.csv", encoded("", table("", ";", csvBetween(";")), windowsLines), before("sep=;\r\n")),
		},
		{
			Name: "excel/csv-utf-8", Document: excelCSV, Export: "CSV UTF-8", Keeps: Octets, Batch: true, Loses: short,
			Write: encoded("audit.csv", encoded("", table("", ",", csvCell), windowsLines), before(bom)),
		},
		{
			Name: "excel/unicode-text", Document: excelCSV, Export: "CSV UTF-8", Keeps: Octets, Batch: true, Loses: short,
			Write: encoded("audit.txt", encoded("", table("", "\t", csvBetween("\t")), windowsLines), utf16LE),
		},
		{
			Name: "excel/xlsx", Document: limits, Export: "CSV UTF-8", Keeps: Octets, Loses: short, Whole: true,
			Write: xlsxShared,
		},
		{
			Name: "excel/xlsx-inline", Document: limits, Export: "CSV UTF-8", Keeps: Octets, Loses: short, Whole: true,
			Write: xlsxInline,
		},
		{
			Name: "excel/xml-2003", Document: xml2003, Export: "CSV UTF-8", Keeps: Octets, Loses: short,
			Write: page{
				"audit.xml", `<?xml version="1.0"?>` + "\n" + `<?mso-application progid="Excel.Sheet"?>` + "\n" +
					`<Workbook xmlns="urn:schemas-microsoft-com:office:spreadsheet" ` +
					`xmlns:ss="urn:schemas-microsoft-com:office:spreadsheet">` + "\n" +
					` <Worksheet ss:Name="audit">` + "\n  <Table>\n", "", "  </Table>\n </Worksheet>\n</Workbook>\n",
			}.of(func(r record) string {
				return `   <Row>` + "\n" + `    <Cell><Data ss:Type="Number">` + r.id() + "</Data></Cell>\n" +
					`    <Cell><Data ss:Type="String">` + xmlAttribute(r.line) + "</Data></Cell>\n   </Row>\n"
			}),
		},
		{
			Name: "libreoffice/ods", Document: odf, Export: "Text CSV, with quotes around all text cells", Keeps: Octets,
			Whole: true,
			Write: ods,
		},
		{
			Name: "libreoffice/fods", Document: odf, Export: "Text CSV, with quotes around all text cells", Keeps: Octets,
			Write: func(l Log) Files { return file("audit.fods", []byte(odsContent("office:document", l))) },
		},
		{
			Name: "google-sheets/csv", Document: google, Export: "Comma-separated values", Keeps: Octets, Batch: true,
			Loses: "A cell has 50000 characters at most.", Write: encoded("audit.csv", table("", ",", csvCell), windowsLines),
		},
		{
			Name: "google-sheets/tsv", Document: google, Export: "Comma-separated values", Keeps: Octets, Batch: true,
			Loses: "Tabs and line feeds in cells become spaces.",
			Write: encoded("audit.tsv", table("", "\t", strings.NewReplacer("\t", " ", "\n", " ").Replace), windowsLines),
		},
		{
			Name: "google-sheets/html", Document: google, Export: "Comma-separated values", Keeps: Octets,
			Write: page{
				"audit.html", `<meta http-equiv="Content-Type" content="text/html; charset=utf-8"><div class="ritz ` +
					`grid-container" dir="ltr">` +
					`<table class="waffle" cellspacing="0" cellpadding="0"><tbody>`, "", "</tbody></table></div>",
			}.of(func(r record) string {
				return `<tr style="height: 20px"><th id="0R0" class="row-headers-background">` + r.id() +
					`</th><td class="s0" dir="ltr">` + htmlText(r.line) + "</td></tr>"
			}),
		},
		{
			Name: "html/table", Document: html, Export: "save the page's source", Keeps: Octets,
			Write: page{"audit.html", "<table>\n<tr><th>id</th><th>body</th></tr>\n", "", "</table>\n"}.of(
				func(r record) string {
					return "<tr><td>" + r.id() + "</td><td>" + goXML(r.line) + "</td></tr>\n"
				}),
		},
		{
			Name: "markdown/table", Document: gfm, Export: "a fenced code block", Keeps: Octets,
			Write: page{name: "audit.md", head: "| id | body |\n| --- | --- |\n"}.of(func(r record) string {
				return "| " + r.id() + " | `" + strings.ReplaceAll(r.line, "|", `\|`) + "` |\n"
			}),
		},
		{
			Name: "latex/listing", Document: latex, Export: "verbatim input of the file", Keeps: Octets,
			Write: page{"audit.tex", "\\begin{verbatim}\n", "\n", "\n\\end{verbatim}\n"}.of(
				func(r record) string { return r.line }),
		},
	}
}

// odsSpaces writes runs of spaces as OpenDocument keeps them.
func odsSpaces(text string) string {
	parts := strings.Split(text, "  ")
	out := parts[0]
	for _, part := range parts[1:] {
		out += ` <text:s text:c="1"/>` + part
	}
	return out
}

func odsContent(root string, l Log) string {
	out := `<?xml version="1.0" ` +
		`encoding="UTF-8"?>` + "\n<" + root + ` xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0"` +
		` xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0" ` +
		`xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0">` +
		`<office:body><office:spreadsheet><table:table table:name="audit">`
	for _, r := range l.records() {
		out += fmt.Sprintf(`<table:table-row><table:table-cell office:value-type="float" office:value="%d"><text:p>%d</`+
			`text:p></table:table-cell>`+
			`<table:table-cell office:value-type="string"><text:p>%s</text:p></table:table-cell></table:table-row>`,
			r.n, r.n, odsSpaces(xmlAttribute(r.line)))
	}
	return out + `</table:table></office:spreadsheet></office:body></` + root + ">"
}
