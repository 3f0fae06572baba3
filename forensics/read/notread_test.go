package read_test

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/png"
	"slices"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/read"
	"github.com/svc-edge/svc-verify/harness/dumps"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// TestDigitsAroundEvents: digits that nothing decodes leave a text open in which events
// stand, before and behind them. They are listed in other text.
func TestDigitsAroundEvents(t *testing.T) {
	event := string(genuineEvents(1)[0])
	digits := strings.Repeat("5Hq7RtzLmE9", 9)
	digest := strings.Repeat("0123456789abcdef", 4)
	for name, c := range map[string]struct {
		text string
		want finding.Code // of all but text of other services
	}{
		"before an event":     {"key: " + digits + "\nlog: " + event + " done\n", finding.SourceUnparseable},
		"behind an event":     {"log: " + event + " done\nkey: " + digits + "\n", finding.SourceUnparseable},
		"between events":      {"log: " + event + "\n" + digits + "\nlog: " + event + "\n", finding.SourceUnparseable},
		"without an event":    {"key: " + digits + "\nlog: none\n", finding.SourceListed},
		"in strings":          {`["` + digits + `", "` + digits + `"]` + "\n", finding.SourceListed},
		"a digest":            {"log: " + event + " done\nsha256:" + digest + "\n", ""},
		"a digest alone":      {"sha256:" + digest + "\n", ""},
		"a digest in strings": {`["` + digest + `"]` + "\n", ""},
		"words":               {"log: " + event + " done\nwhat else is there\n", ""},
		"in a value":          {event + "\n" + `{"key":"` + digits + `"}` + "\n", ""},
		"in the event's line": {"key=" + digest + " log: " + event + "\n", ""},
		"a ruler":             {"log: " + event + " done\n" + strings.Repeat("=", 90) + "\n", ""},
	} {
		found := sound(t, []byte(c.text), read.Options{})
		codes := slices.DeleteFunc(found.Codes(), func(c finding.Code) bool { return c == finding.SourceNoRecord })
		check.That(t, (c.want != "" || len(codes) == 0) && (c.want == "" || slices.Equal(codes, []finding.Code{c.want})),
			"%s: want %q: %+v", name, c.want, found.Skips)
	}
}

// TestImages: an image in PNG is understood, up to its end. Bytes behind the end, and
// compressed text, leave it open.
func TestImages(t *testing.T) {
	var b bytes.Buffer
	picture := image.NewGray(image.Rect(0, 0, 200, 200))
	for i := range picture.Pix {
		picture.Pix[i] = byte(i * i >> 3)
	}
	must.Do(t, png.Encode(&b, picture))
	whole := b.String()
	last := whole[len(whole)-12:]
	text := "zTXtComment\x00\x00x"
	compressed := string(binary.BigEndian.AppendUint32(nil, uint32(len(text)-4))) + text +
		string(binary.BigEndian.AppendUint32(nil, crc32.ChecksumIEEE([]byte(text))))
	for name, c := range map[string]struct {
		file string
		want finding.Code
	}{
		"whole":             {whole, finding.SourceNoRecord},
		"something behind":  {whole + "x", finding.SourceUnknownFormat},
		"twice":             {whole + whole, finding.SourceUnknownFormat},
		"cut":               {whole[:len(whole)-1], finding.SourceUnknownFormat},
		"without an end":    {whole[:len(whole)-12], finding.SourceUnknownFormat},
		"changed":           {strings.Replace(whole, "IDAT", "IDAU", 1), finding.SourceUnknownFormat},
		"compressed text":   {whole[:len(whole)-12] + compressed + last, finding.SourceUnknownFormat},
		"only a signature":  {whole[:8], finding.SourceUnknownFormat},
		"an event as it is": {whole + string(genuineEvents(1)[0]), finding.SourceUnknownFormat},
	} {
		found := sound(t, []byte(c.file), read.Options{})
		codes := found.Codes()
		check.That(t, len(codes) == 1 && codes[0] == c.want, "%s: %+v, want %s", name, found.Skips, c.want)
	}
}

type keeperFile struct{ what, content string }

// keepers are files that are kept alongside logs, each with its name.
var keepers = []keeperFile{
	{"checksums", strings.Repeat("a", 64) + "  journal.ndjson\n" + strings.Repeat("0", 64) + " *b.gz\n"},
	{"checksums", "SHA256 (journal.ndjson) = " + strings.Repeat("a", 64) + "\n"},
	{"positions", "/var/log/containers/edge.log\t0000000000001a2b\t00000000000003e7\n"},
	{"positions", "positions:\n  /var/log/a.log: \"123\"\n  cursor-journal: '5'\n"},
	{"logrotate", "logrotate state -- version 2\n\"/var/log/edge.log\" 2026-3-2-9:0:0\n"},
	{"queue", "<OPB:1:qqueue:1:\n+iQueueSize:2:1:3:\n>End\n.\n"},
	{"process", "4711\n"},
	{"macOS", "\x00\x00\x00\x01Bud1\x00\x00\x10\x00"},
	{"macOS", "\x00\x05\x16\x07\x00\x02\x00\x00Mac OS X        "},
	{"buffer", "\xc1\x00\x00\x00\x00\x05\x81\xa2id\x01"},
	{"Docker",
		`{"StreamConfig":{},"State":{"Running":true},"ID":"c0ffee","Config":{},"Image":"sha256:1","Driver":"overlay2"}`},
	{"Docker", `{"Binds":["/a:/b"],"ContainerIDFile":"","LogConfig":{"Type":"json-file"},"NetworkMode":"bridge"}`},
	{"Vector", `{"version":"1","checkpoints":[{"fingerprint":{},"position":5,"modified":"2026-03-02T09:00:00Z"}]}`},
	{"Filebeat", `{"op":"set","id":1}` + "\n" + `{"k":"filebeat::logs::native::1-2","v":{"offset":5}}` + "\n"},
}

// Files that are kept alongside logs are reported as such, and leave nothing open.
func TestKeepers(t *testing.T) {
	for _, k := range keepers {
		found := &sound(t, []byte(k.content), read.Options{}).Found
		for _, s := range found.Skips {
			check.That(t, s.Code == finding.SourceNoRecord && strings.Contains(s.Detail, k.what),
				"%q: %s %s, want %s", k.content, s.Code, s.Detail, k.what)
		}
		check.That(t, len(found.Skips) != 0 && len(found.Records) == 0, "%q: %+v", k.content, found)
	}
}

// A file that looks like one of them, and contains more, is not passed over.
func TestNoKeepers(t *testing.T) {
	event := string(dumps.Bodies(1)[0])
	for name, content := range map[string]string{
		"an event behind checksums": strings.Repeat("a", 64) + "  journal\n" + event,
		"a name of checksums":       strings.Repeat("a", 64) + "  " + event + "\n",
		"an event in the settings": `{"State":1,"ID":1,"Config":` + dumps.Quote(dumps.Quote(event)) +
			`,"Image":1,"Driver":1}`,
		"an event behind positions": "positions:\n  a: \"1\"\n" + event,
		"text":                      "4711 is the number\n",
		"other octets":              "\xc1\x00\x00\x00\x00\x04\x81\xa2id\x01",
	} {
		found := &sound(t, []byte(content), read.Options{}).Found
		for _, s := range found.Skips {
			if s.Code == finding.SourceNoRecord && s.Place.Length == int64(len(content)) && slices.ContainsFunc(keepers,
				func(k keeperFile) bool { return strings.Contains(s.Detail, k.what) }) {
				t.Errorf("%s: %+v", name, s)
			}
		}
	}
}
