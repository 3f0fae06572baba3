package safetext

import (
	"strings"
	"testing"
)

func TestExcerpt(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"empty", "", `""`},
		{"plain", `a "b"`, `"a \"b\""`},
		{"hostile", "\x1b[m\u202e\xff", `"\x1b[m\u202e\xff"`},
		{"as long as may be", strings.Repeat("x", 8), `"xxxxxxxx"`},
		{"too long", strings.Repeat("x", 9), `"xxxxxxxx"...`},
		{"cut before a character", "xxxxxx\u20acx", `"xxxxxx"...`},
		{"cut behind a character", "xxxxx\u20acx", `"xxxxx\u20ac"...`},
		{"not UTF-8", strings.Repeat("\x80", 9), `"` + strings.Repeat(`\x80`, 8) + `"...`},
	} {
		if got := Excerpt(tt.text, 8); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
		if got := Excerpt([]byte(tt.text), 8); got != tt.want {
			t.Errorf("%s, octets: %s, want %s", tt.name, got, tt.want)
		}
	}
}

func TestPhrase(t *testing.T) {
	if got := Phrase("the key \"\x1b\" of Łódź"); got != "the key \"\\x1b\" of Łódź" {
		t.Error(got)
	}
	if got := Phrase(strings.Repeat("x", phrase)); got != strings.Repeat("x", phrase) {
		t.Errorf("cut to %d", len(got))
	}
	if got := Phrase(strings.Repeat("x", phrase-1) + "\u20ac"); got != strings.Repeat("x", phrase-1)+"..." {
		t.Errorf("%d octets end with %q", len(got), got[phrase-4:])
	}
}

func TestCut(t *testing.T) {
	for text, want := range map[string]string{"": "", "12345678": "12345678", "123456789": "12345678...",
		"1234567\u20ac": "1234567..."} {
		if got := Cut(text, 8); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
