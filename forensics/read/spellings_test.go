package read_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/ascii85"
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"maps"
	"mime/quotedprintable"
	"slices"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/read"
	"github.com/svc-edge/svc-verify/forensics/unwrap"
	"github.com/svc-edge/svc-verify/harness/chance"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/must"
)

// spelledEvents are genuine events of different lengths, whose texts contain characters that
// encoders like to change.
func spelledEvents(n int) (all [][]byte) {
	texts := []string{"plain", `<b>&amp;</b> 'x' it''s`, "é 日本 \u2028 😀", `quote " backslash \ slash /`,
		"line\nfeed\ttab\u0001", "", "a, b; c: d", "padded", "padding", "x=1&y=2"}
	log, key := seal.NewLog("acme", "node/berlin"), seal.Key{ID: "berlin", Private: make([]byte, 64)}
	for i := range n {
		e := log.Append(seal.Entry{Type: "test.event",
			Data: seal.Object{"n": int64(i), "text": texts[i%len(texts)] + strings.Repeat("z", i%7)}}, key)
		all = append(all, seal.Canonical(e))
	}
	return all
}

// A spelling is a way to write events into a file.
type spelling func(events []string) string

// eachLine writes each event on a line of its own.
func eachLine(form func(string) string) spelling {
	return func(events []string) string {
		var out strings.Builder
		for _, e := range events {
			out.WriteString(form(e) + "\n")
		}
		return out.String()
	}
}

// together writes all lines as one text.
func together(form func(string) string) spelling {
	return func(events []string) string { return form(strings.Join(events, "\n") + "\n") }
}

// wrapText breaks a text after so many bytes.
func wrapText(width int, end, text string) string {
	var out strings.Builder
	for len(text) > width {
		out.WriteString(text[:width] + end)
		text = text[width:]
	}
	return out.String() + text
}

func base64Of(e *base64.Encoding) func(string) string {
	return func(s string) string { return e.EncodeToString([]byte(s)) }
}

func base32Of(e *base32.Encoding) func(string) string {
	return func(s string) string { return e.EncodeToString([]byte(s)) }
}

func wrapped(width int, end string, form func(string) string) func(string) string {
	return func(s string) string { return wrapText(width, end, form(s)) }
}

func surrounded(before string, form func(string) string, after string) func(string) string {
	return func(s string) string { return before + form(s) + after }
}

func hexOf(s string) string   { return hex.EncodeToString([]byte(s)) }
func hexUp(s string) string   { return strings.ToUpper(hexOf(s)) }
func plainOf(s string) string { return s }

// octetsAs writes each byte in a format.
func octetsAs(format, between string) func(string) string {
	return func(s string) string {
		all := make([]string, len(s))
		for i := range len(s) {
			all[i] = fmt.Sprintf(format, s[i])
		}
		return strings.Join(all, between)
	}
}

// xxdOf writes a dump as xxd does.
func xxdOf(s string) string {
	var out strings.Builder
	for i := 0; i < len(s); i += 16 {
		row := s[i:min(len(s), i+16)]
		digits := ""
		for k := range len(row) {
			digits += fmt.Sprintf("%02x", row[k])
			if k%2 == 1 {
				digits += " "
			}
		}
		shown := strings.Map(func(r rune) rune {
			if r < ' ' || r > '~' {
				return '.'
			}
			return r
		}, string([]rune(row)))
		fmt.Fprintf(&out, "%08x: %-40s %s\n", i, digits, shown)
	}
	return out.String()
}

// odOf writes a dump as od -A x -t x1 does.
func odOf(s string) string {
	var out strings.Builder
	for i := 0; i < len(s); i += 16 {
		fmt.Fprintf(&out, "%06x", i)
		for _, c := range []byte(s[i:min(len(s), i+16)]) {
			fmt.Fprintf(&out, " %02x", c)
		}
		out.WriteString("\n")
	}
	fmt.Fprintf(&out, "%06x\n", len(s))
	return out.String()
}

func uuencoded(s string) string {
	var out strings.Builder
	out.WriteString("begin 644 audit.ndjson\n")
	digit := func(v byte) byte {
		if v &= 63; v == 0 {
			return '`'
		}
		return v + ' '
	}
	for len(s) > 0 {
		row := s[:min(45, len(s))]
		s = s[len(row):]
		out.WriteByte(digit(byte(len(row))))
		for i := 0; i < len(row); i += 3 {
			var b [3]byte
			copy(b[:], row[i:])
			out.Write([]byte{digit(b[0] >> 2), digit(b[0]<<4 | b[1]>>4), digit(b[1]<<2 | b[2]>>6), digit(b[2])})
		}
		out.WriteByte('\n')
	}
	out.WriteString("`\nend\n")
	return out.String()
}

func ascii85Of(s string) string {
	out := make([]byte, ascii85.MaxEncodedLen(len(s)))
	return string(out[:ascii85.Encode(out, []byte(s))])
}

func printableOf(s string) string {
	var b bytes.Buffer
	w := quotedprintable.NewWriter(&b)
	must.Have(w.Write([]byte(s)))
	must.Have(0, w.Close())
	return b.String()
}

// ebcdicOf writes ASCII in code page 1047, as far as JSON needs it.
func ebcdicOf(s string) string {
	const letters = "abcdefghi\x00\x00\x00\x00\x00\x00\x00jklmnopqr\x00\x00\x00\x00\x00\x00\x00\x00stuvwxyz"
	table := map[byte]byte{' ': 0x40, '{': 0xc0, '}': 0xd0, '[': 0xad, ']': 0xbd, '"': 0x7f, ':': 0x7a, ',': 0x6b,
		'.': 0x4b, '_': 0x6d, '-': 0x60, '/': 0x61, '+': 0x4e, '=': 0x7e, '\\': 0xe0, '\n': 0x25, '<': 0x4c, '>': 0x6e,
		'&': 0x50, ';': 0x5e, '\'': 0x7d}
	for i := range len(letters) {
		if c := letters[i]; c != 0 {
			table[c], table[c-32] = 0x81+byte(i), 0xc1+byte(i)
		}
	}
	for c := range byte(10) {
		table['0'+c] = 0xf0 + c
	}
	out := make([]byte, len(s))
	for i := range len(s) {
		if out[i] = table[s[i]]; out[i] == 0 {
			out[i] = 0x6f
		}
	}
	return string(out)
}

// outcomeOf reads a file, and returns how many of the events came out as they are, and
// whether anything leaves the verdict open or is an event that was altered.
func outcomeOf(t testing.TB, dump string, events [][]byte) (genuine int, others, open int, says []string) {
	found := must.Get(Find(strings.NewReader(dump), read.Options{}))(t)
	seen := map[[32]byte]bool{}
	for _, e := range events {
		seen[sha256.Sum256(e)] = false
	}
	for _, r := range found.Records {
		body := canonicalOf(r.Body)
		digest := sha256.Sum256(body)
		if twice, ours := seen[digest]; ours {
			if !twice {
				genuine++
			}
			seen[digest] = true
			continue
		}
		others++
	}
	for _, s := range found.Skips {
		if s.Code.Entry().Effect != finding.None {
			open++
		}
		says = append(says, string(s.Code)+" "+fmt.Sprint(s.Place.Offset, "+", s.Place.Length)+" "+s.Detail)
	}
	return genuine, others, open, says
}

func canonicalOf(body []byte) []byte {
	if unwrap.Holds(body) {
		if o, err := seal.Parse(body); err == nil {
			return seal.Canonical(o)
		}
	}
	return body
}

func textsOf(all [][]byte) (out []string) {
	for _, b := range all {
		out = append(out, string(b))
	}
	return out
}

// TestSpellings: clean, every event is read, and nothing is open. If one is altered, the
// others are read, and something is open. If the file is cut, whole events are read, and
// something is open.
func TestSpellings(t *testing.T) {
	events := spelledEvents(24)
	texts := textsOf(events)
	altered := slices.Clone(texts)
	altered[11] = strings.Replace(altered[11], `"n":11`, `"n":12`, 1)
	for i, name := range slices.Sorted(maps.Keys(spellings)) {
		t.Run(name, func(t *testing.T) {
			write := spellings[name]
			dump := write(texts)
			if n, others, open, says := outcomeOf(t, dump, events); n < len(events) || others+open > 0 {
				t.Errorf("clean: %d events of %d, %d others, %d open: %.300q", n, len(events), others, open, says)
			}
			if i%chance.Sized(1, 3) != 0 {
				return
			}
			if n, others, open, says := outcomeOf(t, write(altered), events); n < len(events)-1 || others+open == 0 {
				t.Errorf("altered: %d events of %d, %d others, %d open: %.300q", n, len(events), others, open, says)
			}
			whole := len(write(texts[:14]))
			cut := dump[:whole+len(dump)/60]
			if n, others, open, says := outcomeOf(t, cut, events); n < 13 || others+open == 0 {
				t.Errorf("cut: %d events, %d others, %d open: %.300q", n, others, open, says)
			}
		})
	}
}

// TestEventsAcrossBlocks: each event is found, wherever a block of text ends near its
// first byte.
func TestEventsAcrossBlocks(t *testing.T) {
	step := chance.Sized(1, 41)
	events := textsOf(spelledEvents(7))
	for i, name := range slices.Sorted(maps.Keys(spellings)) {
		for _, around := range []string{"", "\x00\x01\x02\n"} {
			t.Run(name+strings.Repeat(", between octets", len(around)/4), func(t *testing.T) {
				dump := around + spellings[name](events) + around
				at := len(around) + len(spellings[name](events[:3]))
				want := inBlocks(t, dump, 16<<20, 16<<20)
				for first := at - 64 + i%step; first <= at+64; first += step {
					if got := inBlocks(t, dump, first, 1<<20); !slices.Equal(got, want) {
						t.Fatalf("a block of %d octets, an event at about %d: %d events, want %d", first, at, len(got), len(want))
					}
				}
			})
		}
	}
}

// TestNamedSpellings: a spelling that is not read leaves something open.
func TestNamedSpellings(t *testing.T) {
	events := spelledEvents(12)
	for name, write := range named {
		if _, others, open, says := outcomeOf(t, write(textsOf(events)), events); others+open == 0 {
			t.Errorf("%s: nothing is open: %.300q", name, says)
		}
	}
}
