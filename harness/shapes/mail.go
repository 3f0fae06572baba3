package shapes

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"mime/quotedprintable"
	"strings"
	"unicode/utf16"
)

// mailShapes are mails and documents of word processors.
func mailShapes() []Shape {
	const (
		mime = "RFC 2045: Multipurpose Internet Mail Extensions, https://www.rfc-editor.org/rfc/rfc2045"
		mbox = "RFC 4155: The application/mbox Media Type, https://www.rfc-editor.org/rfc/rfc4155"
		word = "ECMA-376: Office Open XML, WordprocessingML, " +
			"https://ecma-international.org/publications-and-standards/standards/ecma-376/"
		rtf = "Microsoft: Rich Text Format Specification 1.9.1, " +
			"https://interoperability.blob.core.windows.net/files/Archive_References/[MSFT-RTF].pdf"
		pdf  = "ISO 32000-2: Portable Document Format, https://www.pdfa.org/resource/iso-32000-2/"
		send = "attach the log, compressed"
	)
	return []Shape{
		{Name: "mail/plain", Document: mime, Export: send, Keeps: Octets, Write: mailed("8bit",
			func(b []byte) []byte { return b })},
		{Name: "mail/quoted-printable", Document: mime, Export: send, Keeps: Octets, Write: mailed("quoted-printable",
			quotedPrintable)},
		{Name: "mail/base64", Document: mime, Export: send, Keeps: Octets, Write: mailed("base64", base64Lines)},
		{Name: "mail/attachment", Document: mime, Export: send, Keeps: Octets, Write: attachment("audit.jsonl",
			func(b []byte) []byte { return b })},
		{Name: "mail/attachment-gzip", Document: mime, Export: send, Keeps: Octets, Write: attachment("audit.jsonl.gz",
			gzipped)},
		{Name: "mail/mbox", Document: mbox, Export: send, Keeps: Octets, Write: mboxFile},
		{
			Name: "mail/reply", Document: mime, Export: send, Keeps: Octets,
			Write: page{"reply.eml", mailHead("8bit", "text/plain; charset=utf-8") +
				"On Mon, 2 Mar 2026 at 09:00, Edge wrote:\r\n", "", ""}.of(
				func(r record) string { return "> " + r.line + "\r\n" }),
		},
		{Name: "word/docx", Document: word, Export: send, Keeps: Octets, Whole: true, Write: docx(oneRun)},
		{
			Name: "word/docx-runs", Document: word, Export: send, Keeps: Less, Whole: true,
			Loses: "Word breaks the text into runs where it checks spelling.", Write: docx(manyRuns),
		},
		{
			Name: "word/rtf", Document: rtf, Export: send, Keeps: Octets,
			Write: page{"audit.rtf", `{\rtf1\ansi\ansicpg1252\deff0{\fonttbl{\f0 Courier New;}}` + "\n" + `\f0\fs20 `,
				"\\par\n", "\\par\n}\n"}.of(
				func(r record) string { return rtfText(r.line) }),
		},
		{
			Name: "pdf/print", Document: pdf, Export: send, Keeps: Less,
			Loses: "A page breaks lines, and its fonts lack characters.", Write: pdfPrint,
		},
	}
}

func mailHead(encoding, kind string) string {
	return "Return-Path: <edge@example.org>\r\nDate: Mon, 2 Mar 2026 09:00:00 +0000\r\nFrom: Edge <edge@example.org>\r\n" +
		"To: Response <response@example.org>\r\nSubject: audit log\r\nMIME-Version: 1.0\r\nContent-Type: " + kind +
		"\r\nContent-Transfer-Encoding: " + encoding + "\r\n\r\n"
}

// mailed is a message whose text is the log.
func mailed(encoding string, encode func([]byte) []byte) func(Log) Files {
	return encoded("audit.eml", plain(""), func(b []byte) []byte {
		text := bytes.ReplaceAll(b, []byte("\n"), []byte("\r\n"))
		return append([]byte(mailHead(encoding, "text/plain; charset=utf-8")), encode(text)...)
	})
}

// attachment is a message with the log beside a text.
func attachment(name string, pack func([]byte) []byte) func(Log) Files {
	return encoded("audit.eml", plain(""), func(b []byte) []byte {
		const boundary = "=_a1b2"
		return []byte(mailHead("7bit", `multipart/mixed; boundary="`+boundary+`"`) +
			"--" + boundary + "\r\nContent-Type: text/plain\r\n\r\nHere is the log.\r\n\r\n--" + boundary +
			"\r\nContent-Type: application/octet-stream; name=\"" + name + "\"\r\nContent-Disposition: attachment; " +
			"filename=\"" + name +
			"\"\r\nContent-Transfer-Encoding: base64\r\n\r\n" + string(base64Lines(pack(b))) + "\r\n--" + boundary + "--\r\n")
	})
}

func quotedPrintable(text []byte) []byte {
	var out bytes.Buffer
	w := quotedprintable.NewWriter(&out)
	must(w.Write(text))
	must(0, w.Close())
	return out.Bytes()
}

// base64Lines is base64 in lines of 76 characters.
func base64Lines(content []byte) []byte {
	return []byte(wrapped(base64.StdEncoding.EncodeToString(content), 76, "\r\n") + "\r\n")
}

// mboxFile is a folder of messages, one for each event.
func mboxFile(l Log) Files {
	return page{name: "audit.mbox"}.of(func(r record) string {
		return "From edge@example.org Mon Mar  2 09:00:00 2026\n" +
			strings.ReplaceAll(mailHead("8bit", "text/plain; charset=utf-8"), "\r\n", "\n") + r.line + "\n>From the edge.\n\n"
	})(l)
}

// rtfText writes what is not ASCII as units of UTF-16, which are signed.
func rtfText(text string) string {
	var out strings.Builder
	for _, r := range strings.NewReplacer(`\`, `\\`, "{", `\{`, "}", `\}`).Replace(text) {
		switch {
		case r < 0x80:
			out.WriteRune(r)
		case r >= 0xa0 && r <= 0xff:
			fmt.Fprintf(&out, `\'%02x`, r)
		default:
			for _, unit := range utf16.Encode([]rune{r}) {
				fmt.Fprintf(&out, `\u%d?`, int16(unit))
			}
		}
	}
	return out.String()
}

// pdfPrint is one page with the log as text.
func pdfPrint(l Log) Files {
	var text strings.Builder
	for _, line := range l.Lines {
		for _, part := range strings.Split(wrapped(string(line), 90, "\n"), "\n") {
			part = strings.Map(func(r rune) rune {
				if r > 0x7e {
					return '?'
				}
				return r
			}, part)
			text.WriteString("(" + strings.NewReplacer(`\`, `\\`, "(", `\(`, ")", `\)`).Replace(part) + ") Tj T*\n")
		}
	}
	stream := "BT /F1 8 Tf 36 800 Td 10 TL\n" + text.String() + "ET\n"
	return file("audit.pdf", []byte("%PDF-1.4\n1 0 obj\n<</Type/Catalog/Pages 2 0 R>>\nendobj\n"+
		"2 0 obj\n<</Type/Pages/Kids[3 0 R]/Count 1>>\nendobj\n"+
		"3 0 obj\n<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 4 0 R>>\nendobj\n"+
		fmt.Sprintf("4 0 obj\n<</Length %d>>\nstream\n%sendstream\nendobj\n", len(stream), stream)+
		"trailer\n<</Root 1 0 R>>\n%%EOF\n"))
}
