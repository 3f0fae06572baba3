package unwrap

import (
	"bytes"
	"crypto/sha256"
	"encoding/ascii85"
	"encoding/base32"
	"encoding/base64"
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/check"
)

// TestUndecoded: bytes in digits are not taken for words, names, addresses and digests.
func TestUndecoded(t *testing.T) {
	digest := sha256.Sum256(nil)
	octets := strings.Repeat(string(digest[:]), 4)
	base85 := make([]byte, ascii85.MaxEncodedLen(len(octets)))
	base85 = base85[:ascii85.Encode(base85, []byte(octets))]
	b64 := base64.StdEncoding.EncodeToString([]byte(octets))
	for name, text := range map[string]string{
		"base16":              fmt.Sprintf("a word %x more", octets),
		"base16 in lines":     linesOf(60, "\n")(fmt.Sprintf("%x", octets)),
		"base32":              "x=" + base32.StdEncoding.EncodeToString([]byte(octets)),
		"base64":              "data: " + b64,
		"base64 with slashes": "data: /a/B/" + b64,
		"base64 in lines":     "here:\n" + linesOf(40, "\r\n")(b64),
		"base85":              "<~" + string(base85) + "~>",
		"uuencode":            "begin 644 x\nM" + strings.Repeat("1X<]", 15) + "\n",
		"octal with offsets":  "0000000 075173 067542\n0000020 075173 067542\n0000040 075173 067542\n",
		"base16 with offsets": "000000f0 7b22 626f 6479\n00000100 7b22 626f 6479\n00000110 7b22 626f 6479 22\n",
	} {
		whole := []byte("first line\n" + text + "\nlast line\n")
		part := Undecoded(whole)
		if at := cap(whole) - cap(part); part == nil || at < 0 || !bytes.HasPrefix(whole[min(at, len(whole)):], part) {
			t.Errorf("%s is not noticed, or not in its place: %.100q", name, text)
		}
	}
	for name, text := range map[string]string{
		"a digest":        fmt.Sprintf("sha256:%x  journal.ndjson", digest),
		"digests":         strings.Repeat(fmt.Sprintf("%x %x\n", digest, digest), 3),
		"prose":           strings.Repeat("It was a bad day at the facade, he said; deed done.\n", 9),
		"an address":      "https://example.com/a/b/c-d-e/" + strings.Repeat("very-long-path/", 8) + "index.html?a=b&c=12345",
		"a path":          "/var/lib/" + strings.Repeat("some-folder/", 8) + "file",
		"a path of words": "opened /dev/shm/TestProducersdebug2396476471/001/Queues/main/0001/Segment/17/x",
		"a ruler":         strings.Repeat("-", 100) + "\n" + strings.Repeat("=", 100) + "\n" + strings.Repeat("*", 100),
		"a trace":         "\tat com.fasterxml.jackson.databind.ObjectMapper._readMapAndClose(ObjectMapper.java:4013)",
		"JSON":            `{"level":"info","Msg":"Started","n":17,"list":[1,2,3,4],"host":"web-1.example.com","z":"Y"}`,
		"words in lines":  strings.Repeat("implementations\ncharacteristics\n", 9),
		"times":           "20260302 090000 started\n20260302 090016 stopped\n20260302 090032 started\n",
		"capital text":    "M" + strings.Repeat("ANY THANKS FOR ALL THE FISH ", 4),
	} {
		part := Undecoded([]byte(text + "\n"))
		check.That(t, part == nil, "%s is taken for digits: %q", name, part)
	}
}

// TestTracesBetween: digits that begin in the middle of a byte, behind others that were
// decoded, are pieces. Nothing is left of digits that are decoded.
func TestTracesBetween(t *testing.T) {
	all := genuine(3)
	digits := func(i int) string { return base64.RawStdEncoding.EncodeToString([]byte(all[i])) }
	for name, c := range map[string]struct {
		text  string
		whole bool
	}{
		"one more digit":  {digits(0)[:len(digits(0))/4*4] + "A" + digits(1), false},
		"a space between": {digits(0) + " " + digits(1), true},
		"a line between":  {digits(0) + "\n" + digits(1) + "\n" + digits(2), true},
		"words between":   {all[0] + strings.Repeat(" and what else there was to say of it", 20) + all[1], true},
	} {
		r := new(Finder).Find([]byte(c.text))
		if whole := len(r.Pieces) == 0; whole != c.whole || whole && len(r.Matches) < 2 {
			t.Errorf("%s: %d events, pieces %v", name, len(r.Matches), r.Pieces)
		}
	}
}

// TestRepeatedRows: the rows behind an asterisk of a dump are read, and a short dump with
// many asterisks needs little memory.
func TestRepeatedRows(t *testing.T) {
	log, key := seal.NewLog("acme", "node/berlin"), seal.Key{ID: "berlin", Private: make([]byte, 64)}
	event := string(seal.Canonical(log.Append(seal.Entry{Type: "test.event",
		Data: seal.Object{"text": strings.Repeat("z", 200)}}, key)))
	var out strings.Builder
	last := ""
	for i := 0; i < len(event); i += 16 {
		row := event[i:min(i+16, len(event))]
		if row != last {
			fmt.Fprintf(&out, "%08x: %x\n", i, row)
		} else if !strings.HasSuffix(out.String(), "*\n") {
			out.WriteString("*\n")
		}
		last = row
	}
	if r := new(Finder).Find([]byte(out.String())); len(r.Matches) != 1 || string(r.Matches[0].Body) != event {
		t.Errorf("%d events of\n%s", len(r.Matches), out.String())
	}
	bomb := "00000000: 7a7a 7a7a 7a7a 7a7a\n" + strings.Repeat("*\nffffffff0: 7a7a 7a7a 7a7a 7a7a\n", 1000)
	var d decoding
	if decodeDump(&d, []byte(bomb)); len(d.decoded) > 2*len(bomb)+1<<17 {
		t.Errorf("%d octets of %d", len(d.decoded), len(bomb))
	}
}

// byteaInCopyOf writes a line as PostgreSQL copies a bytea with bytea_output = escape.
func byteaInCopyOf(s string) string {
	var b strings.Builder
	for _, c := range []byte(s) {
		switch {
		case c == '\\':
			b.WriteString(`\\\\`)
		case c < ' ' || c > '~':
			fmt.Fprintf(&b, `\\%03o`, c)
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

// TestFormOfSeveralValues: each value of a form is decoded by itself, however far from the
// others it is. There a plus sign is a space; in the path of a URL it is a plus sign.
func TestFormOfSeveralValues(t *testing.T) {
	const words = "plain words with a+b & c=d"
	want := eventsWith("a", "b", "c", "d", "e", "f", "g", "h", words, "i", words)
	var form []string
	for _, line := range want {
		form = append(form, "line[]="+url.QueryEscape(line))
	}
	for _, between := range []string{"&", "&n=1&"} {
		var f Finder
		var got []string
		for _, m := range f.Find([]byte("POST / body=x&" + strings.Join(form, between) + "&end=1")).Matches {
			got = append(got, string(m.Body))
		}
		diff := cmp.Diff(want, got)
		check.That(t, diff == "", "%q: %s", between, diff)
	}
}

var (
	extendedNumbers = regexp.MustCompile(`:(-?[0-9]+)([,}])`)
	extendedTimes   = regexp.MustCompile(`("[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+Z")`)
)

// TestExtendedJSON: numbers that were altered are reported, and times that cannot be read back
// are a piece. A text that only looks like extended JSON is not extended JSON.
func TestExtendedJSON(t *testing.T) {
	line := genuine(1)[0]
	altered := strings.Replace(line, `"n":0`, `"n":7`, 1)
	micros := strings.Replace(line, `Z","protocol"`, `55Z","protocol"`, 1)
	quotes := strings.Replace(line, "plain", `{\"$number`, 1)
	for name, c := range map[string]struct {
		text            string
		matches, pieces int
	}{
		"numbers, altered": {forms["MongoDB"](altered), 1, 0},
		"times, altered":   {forms["MongoDB, times"](altered), 0, 1},
		"times, finer":     {forms["MongoDB, times"](micros), 0, 1},
		"no value":         {strings.Replace(line, `"n":0`, `"n":{"$numberLong":"x"}`, 1), 0, 1},
		"in a text":        {quotes, 1, 0},
	} {
		r := new(Finder).Find([]byte(c.text))
		if len(r.Matches) != c.matches || len(r.Pieces) != c.pieces || c.matches > 0 && Holds(r.Matches[0].Body) {
			t.Errorf("%s: %d matches, %d pieces", name, len(r.Matches), len(r.Pieces))
		}
	}
}
