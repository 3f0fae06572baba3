package messy

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"mime/quotedprintable"
	"path"
	"slices"
)

// textActs put lines into other text.
var textActs = []act{
	{"pasted from a terminal", (*Collection).pasteTerminal},
	{"captured packets", (*Collection).capturePackets},
	{"a core dump", (*Collection).dumpMemory},
}

// someLines are neighbouring lines of a log, or of a store.
func (c *Collection) someLines() [][]byte {
	lines := linesOf(c.Files[pickOne(c, append(c.lineFiles(), "checkpoints.ndjson"))])
	at := c.draw.Below(len(lines))
	return lines[at : at+1+c.draw.Below(len(lines)-at)]
}

// wrapText breaks text after a number of columns.
func wrapText(text []byte, columns int) []byte {
	var out bytes.Buffer
	for _, line := range linesOf(text) {
		line = bytes.TrimSuffix(line, []byte("\n"))
		for part := range slices.Chunk(line, columns) {
			out.Write(part)
			out.WriteByte('\n')
		}
	}
	return out.Bytes()
}

// pasteTerminal adds some lines as a terminal shows them: lines are wrapped, the first and the
// last are cut, and now and then one in the middle is cut at the width of the window.
func (c *Collection) pasteTerminal() {
	lines := slices.Clone(c.someLines())
	for range c.draw.Below(3) {
		i := c.draw.Below(len(lines))
		lines[i] = append(slices.Clone(lines[i][:len(lines[i])/(2+c.draw.Below(3))]), '\n')
	}
	text := joinLines(lines...)
	text = text[c.draw.Below(1+len(lines[0])):]
	text = text[:max(1, len(text)-c.draw.Below(600))]
	if columns := pickOne(c, []int{0, 80, 100, 132}); columns > 0 {
		text = wrapText(text, columns)
	}
	if c.draw.Below(2) == 0 {
		text = append([]byte("$ less audit.ndjson\n"), text...)
	}
	c.addFile(pickOne(c, []string{"paste.txt", "journals/screen", "mail/terminal.log"}), text)
}

// capturePackets adds a packet capture of some lines: not all of them, each between headers.
func (c *Collection) capturePackets() {
	out := []byte{0xd4, 0xc3, 0xb2, 0xa1, 2, 0, 4, 0}
	for _, line := range c.someLines() {
		if c.draw.Below(5) > 0 {
			out = slices.Concat(out, c.draw.Bytes(16), line, c.draw.Bytes(3))
		}
	}
	c.addFile("capture/net.pcap", out)
}

// dumpMemory is memory, in which some lines stand, others in part.
func (c *Collection) dumpMemory() {
	out := append([]byte("\x7fELF"), c.draw.Bytes(500)...)
	for range 1 + c.draw.Below(3) {
		text := joinLines(c.someLines()...)
		text = text[min(len(text)-1, 20+c.draw.Below(200)):]
		out = slices.Concat(out, text, make([]byte, c.draw.Below(900)), c.draw.Bytes(40))
	}
	c.addFile("core.4711", out)
}

// proofActs hand out proofs.
var proofActs = []act{
	{"mailed proofs", (*Collection).mailProofs},
	{"a proof, wrapped", func(c *Collection) { c.addFile("proofs/wrapped.txt", wrapText(pickOne(c, c.proofs), 76)) }},
	{"a proof, cut at its end", func(c *Collection) { c.addFile("proofs/cut.json", c.cutProof(pickOne(c, c.proofs))) }},
	{"a proof, cut at its beginning", func(c *Collection) {
		p := pickOne(c, c.proofs)
		c.addFile("proofs/rest.txt", p[c.draw.Below(len(p)):])
	}},
	{"proofs in one file", func(c *Collection) { c.addFile("proofs/all.ndjson", bytes.Join(c.proofs, []byte("\n"))) }},
}

func (c *Collection) cutProof(p []byte) []byte { return p[:1+c.draw.Below(len(p)-1)] }

// mailProofs is one mail with up to four proofs, each in its own state.
func (c *Collection) mailProofs() {
	const boundary = "next-part"
	var b bytes.Buffer
	fmt.Fprintf(&b, "From: a@example.org\r\nTo: b@example.org\r\nSubject: proofs\r\nMIME-Version: 1.0\r\n"+
		"Content-Type: multipart/mixed; boundary=%s\r\n", boundary)
	for i := range 1 + c.draw.Below(len(c.proofs)) {
		p := c.proofs[i]
		fmt.Fprintf(&b, "\r\n--%s\r\nContent-Type: application/json\r\n", boundary)
		encoding := pickOne(c, []string{"", "base64", "quoted-printable"})
		switch c.draw.Below(4) {
		case 0:
			p = c.cutProof(p)
		case 1:
			p = wrapText(p, 76)
		}
		if encoding != "" {
			fmt.Fprintf(&b, "Content-Transfer-Encoding: %s\r\n", encoding)
		}
		b.WriteString("\r\n")
		switch encoding {
		case "base64":
			b.Write(wrapText([]byte(base64.StdEncoding.EncodeToString(p)), 76))
		case "quoted-printable":
			w := quotedprintable.NewWriter(&b)
			_, _ = w.Write(p) // into memory
			_ = w.Close()
		default:
			b.Write(p)
		}
	}
	fmt.Fprintf(&b, "\r\n--%s--\r\n", boundary)
	c.addFile(path.Join("mail", fmt.Sprintf("proofs-%d.eml", len(c.Files))), b.Bytes())
}
