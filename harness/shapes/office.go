package shapes

import (
	"archive/zip"
	"bytes"
	"fmt"
	"regexp"
	"strings"
)

// part is one file of a zip archive.
type part struct {
	name    string
	content string
	stored  bool
}

// zipped packs parts in their order.
func zipped(parts ...part) []byte {
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, p := range parts {
		method := zip.Deflate
		if p.stored {
			method = zip.Store
		}
		must(must(w.CreateHeader(&zip.FileHeader{Name: p.name, Method: method})).Write([]byte(p.content)))
	}
	must(0, w.Close())
	return out.Bytes()
}

const xmlHead = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>` + "\r\n"

// xlsxParts are the files that every workbook has.
func xlsxParts(sheet string, more ...part) []part {
	const spreadsheet = "application/vnd.openxmlformats-officedocument.spreadsheetml."
	return append([]part{
		{name: "[Content_Types].xml", content: xmlHead + `<Types xmlns="http://schemas.openxmlformats.org/package/2006/` +
			`content-types">` +
			`<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>` +
			`<Override PartName="/xl/workbook.xml" ContentType="` + spreadsheet + `sheet.main+xml"/>` +
			`<Override PartName="/xl/worksheets/sheet1.xml" ContentType="` + spreadsheet + `worksheet+xml"/></Types>`},
		{name: "_rels/.rels", content: xmlHead + `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/` +
			`relationships">` +
			`<Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/` +
			`officeDocument" Target="xl/workbook.xml"/></Relationships>`},
		{name: "xl/workbook.xml", content: xmlHead + `<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/` +
			`2006/main">` +
			`<sheets><sheet name="audit" sheetId="1"/></sheets></workbook>`},
		{name: "xl/worksheets/sheet1.xml", content: xmlHead + `<worksheet xmlns="http://schemas.openxmlformats.org/` +
			`spreadsheetml/2006/main">` +
			"<sheetData>" + sheet + "</sheetData></worksheet>"},
	}, more...)
}

// xlsxShared is a workbook as Excel writes it: texts stand in a list of their own.
func xlsxShared(l Log) Files {
	var sheet, texts strings.Builder
	for i, r := range l.records() {
		fmt.Fprintf(&sheet, `<row r="%d"><c r="A%d"><v>%d</v></c><c r="B%d" t="s"><v>%d</v></c></row>`, r.n, r.n, r.n, r.n,
			i)
		texts.WriteString("<si><t>" + xlsxText(r.line) + "</t></si>")
	}
	shared := fmt.Sprintf(`<sst xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" count="%d" `+
		`uniqueCount="%d">%s</sst>`,
		len(l.Lines), len(l.Lines), texts.String())
	return file("audit.xlsx", zipped(xlsxParts(sheet.String(), part{name: "xl/sharedStrings.xml", content: xmlHead + shared})...))
}

// xlsxInline is a workbook as libraries write it that stream.
func xlsxInline(l Log) Files {
	var sheet strings.Builder
	for _, r := range l.records() {
		fmt.Fprintf(&sheet, `<row r="%d"><c r="A%d"><v>%d</v></c><c r="B%d" t="inlineStr"><is><t>%s</t></is></c></row>`,
			r.n, r.n, r.n, r.n, xlsxText(r.line))
	}
	return file("audit.xlsx", zipped(xlsxParts(sheet.String())...))
}

// xlsxCode is what stands for a character that XML cannot have, in a workbook.
var xlsxCode = regexp.MustCompile(`_(x[0-9A-Fa-f]{4}_)`)

func xlsxText(text string) string { return xmlText(xlsxCode.ReplaceAllString(text, "_x005F_$1")) }

func ods(l Log) Files {
	return file("audit.ods", zipped(
		part{name: "mimetype", content: "application/vnd.oasis.opendocument.spreadsheet", stored: true},
		part{name: "content.xml", content: odsContent("office:document-content", l)},
		part{name: "META-INF/manifest.xml", content: `<manifest:manifest ` +
			`xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"/>`},
	))
}

// docx is a document of Word with a paragraph for each event; run writes its text.
func docx(run func(string) string) func(Log) Files {
	return func(l Log) Files {
		var text strings.Builder
		for _, r := range l.records() {
			text.WriteString(`<w:p w:rsidR="00A77B3E">` + run(r.line) + "</w:p>")
		}
		return file("audit.docx", zipped(
			part{name: "[Content_Types].xml", content: xmlHead + `<Types xmlns="http://schemas.openxmlformats.org/package/` +
				`2006/content-types">` +
				`<Override PartName="/word/document.xml" ContentType="application/` +
				`vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>`},
			part{name: "word/document.xml", content: xmlHead + `<w:document xmlns:w="http://schemas.openxmlformats.org/` +
				`wordprocessingml/2006/main"><w:body>` +
				text.String() + "</w:body></w:document>"},
		))
	}
}

// oneRun is a paragraph that Word did not touch.
func oneRun(line string) string {
	return `<w:r><w:t xml:space="preserve">` + xmlText(line) + "</w:t></w:r>"
}

// manyRuns is a paragraph with marks of the spelling checker.
func manyRuns(line string) string {
	var out strings.Builder
	for i, word := range strings.SplitAfter(line, ":") {
		if i > 0 {
			out.WriteString(`<w:proofErr w:type="spellStart"/>`)
		}
		out.WriteString(oneRun(word))
	}
	return out.String()
}
