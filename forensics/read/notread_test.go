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
		if c.want == "" && len(codes) > 0 || c.want != "" && !slices.Equal(codes, []finding.Code{c.want}) {
			t.Errorf("%s: want %q: %+v", name, c.want, found.Skips)
		}
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
		if codes := found.Codes(); len(codes) != 1 || codes[0] != c.want {
			t.Errorf("%s: %+v, want %s", name, found.Skips, c.want)
		}
	}
}
