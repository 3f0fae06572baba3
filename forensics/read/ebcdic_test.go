package read

import (
	"bytes"
	"testing"
)

// TestEBCDIC: frames and letters of other character sets are no text in EBCDIC, wherever the
// looked-at part of them ends.
func TestEBCDIC(t *testing.T) {
	text := func(s string) []byte { return bytes.Repeat([]byte(s), 100) }
	genuine := text("\xc1\x40\x93\x89\x95\x85\x40\x96\x86\x40\xa3\x85\xa7\xa3\x25")
	if !isEBCDIC(genuine) {
		t.Error("text in EBCDIC is none")
	}
	for skipped := range 4 {
		for name, b := range map[string][]byte{
			"a frame in UTF-8":       text("\u250c\u2500\u2500\u2500\u252c\u2500\u2500\u2510"),
			"a frame of a codepage":  text("\xda\xc4\xc4\xc4\xc2\xc4\xc4\xc5\xc1\xbf"),
			"text in Japanese":       text("\u8a3c\u660e\u66f8\u306f\u767a\u884c"),
			"text in Russian, 1251":  text("\xcf\xf0\xe8\xe2\xe5\xf2, \xec\xe8\xf0! "),
			"text in French, latin1": text("\xe9t\xe9 \xe0 la plage "),
		} {
			if isEBCDIC(b[skipped:]) {
				t.Errorf("%s, from %d on", name, skipped)
			}
		}
	}
}
