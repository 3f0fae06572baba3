package unwrap

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/internal/check"
)

// radix writes bytes as one number in the base that the digits are for.
func radix(digits, octets string) (out string) {
	n, base, digit := new(big.Int).SetBytes([]byte(octets)), big.NewInt(int64(len(digits))), new(big.Int)
	for n.Sign() > 0 {
		n.DivMod(n, base, digit)
		out = string(digits[digit.Int64()]) + out
	}
	return out
}

// TestStrange: an event in a code that nothing decodes is noticed, in any lines and within
// any text. Names, ids, digests, words, and bytes in a known code are not.
func TestStrange(t *testing.T) {
	event := genuine(1)[0]
	codes := map[string]string{
		"Crockford's base32": radix("0123456789ABCDEFGHJKMNPQRSTVWXYZ", event),
		"z-base-32":          radix("ybndrfg8ejkmcpqxot1uwisza345h769", event),
		"base36":             radix("0123456789"+lower, event),
		"base58":             radix("123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz", event),
		"base62":             radix("0123456789"+upper+lower, event),
		"xxencode":           radix("+-0123456789"+upper+lower, event),
		"bcrypt's base64":    radix("./"+upper+lower+"0123456789", event),
		"BinHex":             radix("!\"#$%&'()*+,-012345689@ABCDEFGHIJKLMNPQRSTUVXYZ[`abcdefhijklmpqr", event),
		"base94":             radix("!\"#$%&'()*+,-./0123456789:;<=>?@"+upper+"[\\]^_`"+lower+"{|}", event),
		"a number":           radix("0123456789", event+event),
		"base26":             radix(lower, event),
		"base16 in letters":  radix(lower[:16], event),
		"base4 in letters":   radix("ACGT", event),
		"proquint":           proquint(event),
		"base64, short":      base64.StdEncoding.EncodeToString([]byte(event)),
	}
	forms := map[string]func(string) string{
		"a line":     func(s string) string { return s + "\n" },
		"a field":    func(s string) string { return "2026-03-02 09:00:00 INFO copy=" + s + " done\n" },
		"JSON":       func(s string) string { return strconv.Quote(linesOf(70, "\n")(s)) },
		"40 digits":  linesOf(40, "\n"),
		"quotations": linesOf(64, "\r\n> "),
		"numbered":   func(s string) string { return " 1: " + linesOf(60, "\n 2: ")(s) },
		"in fives":   func(s string) string { return linesOf(72, "\n")(linesOf(5, " ")(s)) },
	}
	for code, digits := range codes {
		for form, write := range forms {
			text := []byte("here it is:\n" + write(digits) + "\nthat was it\n")
			part := Strange(text)
			at := cap(text) - cap(part)
			ok := part != nil && at >= 0 && bytes.HasPrefix(text[min(at, len(text)):], part)
			check.That(t, ok, "%s, %s: not noticed", code, form)
		}
	}
	for _, text := range []string{rot13(event), backwards(event), "a copy: " + strconv.Quote(rot13(event)) + "\n"} {
		check.That(t, Strange([]byte(text)) != nil, "not noticed: %s", text)
	}
	for name, text := range map[string]string{
		"prose": strings.Repeat("It was a bad day at the facade, he said; deed done.\n", 99),
		"a log": strings.Repeat(`2026-03-02T09:00:00.123Z INFO [main] c.e.Foo - GET /a/b?c=D4 200 17ms`+"\n", 99),
		"JSON":  `{"a":[` + strings.Repeat(`{"level":"info","Msg":"Started","n":17,"host":"a.example.com"},`, 99) + "1]}",
		"UUIDs": repeated(99, func(sum string) string {
			return sum[:8] + "-" + sum[8:12] + "-4" + sum[12:15] + "-" + sum[20:36]
		}),
		"digests":        repeated(99, func(sum string) string { return sum }),
		"digests, names": repeated(99, func(sum string) string { return sum + "  journal.ndjson" }),
		"a table":        repeated(99, func(sum string) string { return "| " + sum + " | " + sum[:40] + " |" }),
		"ULIDs": repeated(99, func(sum string) string {
			return "01ARZ3" + strings.ToUpper(radix("0123456789ABCDEFGHJKMNPQRSTVWXYZ", sum[:12]))
		}),
		"CIDs": repeated(99, func(sum string) string {
			return "Qm" + radix("123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz", sum[:32])
		}),
		"bytes in base64": base64.StdEncoding.EncodeToString([]byte(repeated(99, octetsOf))),
		"text in base64":  base64.StdEncoding.EncodeToString([]byte(strings.Repeat("what else there is. ", 50))),
		"bytes in base16": fmt.Sprintf("%x", repeated(99, octetsOf)),
		"a token": "Bearer " + base64.RawURLEncoding.EncodeToString([]byte(strings.Repeat(`{"sub":"someone"}`, 40))) + "." +
			base64.RawURLEncoding.EncodeToString([]byte(repeated(20, octetsOf))),
		"an address":    "https://example.com/" + strings.Repeat("very-long-path/A1/", 99),
		"names":         strings.Repeat("com.fasterxml.jackson.databind.ObjectMapper2\n", 99),
		"words":         strings.Repeat("implementations\ncharacteristics\n", 99),
		"padding":       strings.Repeat(lower, 40),
		"one long word": strings.Repeat("thereisnothingtobesaidofthequickbrownfoxthatjumpsoverthelazydog", 20),
		"marked words":  strings.Repeat("nothing-to-be-said-of-the-quick-brown-fox-that-", 20),
		"a ruler":       strings.Repeat("=", 999) + "\n" + strings.Repeat("1", 999) + "\n",
		"short ids":     repeated(99, func(sum string) string { return radix("0123456789"+upper+lower, sum[:9]) }),
		"a symbol":      strings.Repeat("GetInstrumentationRegistryMeasurement2", 30),
		"small names":   strings.Repeat("measurement12345", 50),
		"ids in a log":  repeated(99, func(sum string) string { return "opened " + radix(upper+lower, sum[:30]) }),
		"a script":      strings.Repeat(`function(a,b){return a.prototype.b(c[0])}`, 99),
		"no event":      rot13(strings.Replace(event, "previous_hash", "previous_hush", 1)),
		"a short code":  codes["base58"][:leastStrange-1],
	} {
		part := Strange([]byte(text + "\n"))
		check.That(t, part == nil, "%s: taken for an event: %.200q", name, part)
	}
}

// proquint writes each two bytes as a word of five letters.
func proquint(octets string) string {
	const consonants, vowels = "bdfghjklmnprstvz", "aiou"
	var words []string
	for i := 0; i+1 < len(octets); i += 2 {
		n := uint(octets[i])<<8 | uint(octets[i+1])
		words = append(words, string([]byte{consonants[n>>12], vowels[n>>10&3], consonants[n>>6&15], vowels[n>>4&3],
			consonants[n&15]}))
	}
	return strings.Join(words, "-")
}

// repeated returns lines that are made of digests.
func repeated(n int, line func(sum string) string) string {
	var out strings.Builder
	for i := range n {
		out.WriteString(line(fmt.Sprintf("%x", sha256.Sum256([]byte{byte(i)}))) + "\n")
	}
	return out.String()
}

func octetsOf(sum string) string {
	octets, _ := hex.DecodeString(sum)
	return string(octets)
}

// rot13 turns letters by thirteen.
func rot13(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z':
			return 'a' + (r-'a'+13)%26
		case r >= 'A' && r <= 'Z':
			return 'A' + (r-'A'+13)%26
		}
		return r
	}, s)
}

// backwards writes the last byte first.
func backwards(s string) string {
	b := []byte(s)
	slices.Reverse(b)
	return string(b)
}
