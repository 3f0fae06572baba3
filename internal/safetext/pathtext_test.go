package safetext_test

import (
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

func TestPathText(t *testing.T) {
	for path, want := range map[string]string{
		"2026/11/tx-1.json":                 "2026/11/tx-1.json",
		"Köln %1":                           "Köln %251",
		"a\nb":                              "a%0Ab",
		"latin-\xe9":                        "latin-%E9",
		"left\u202eright":                   "left%E2%80%AEright",
		"a\uffffb\ufdd0c\u16add\U0001fffee": "a%EF%BF%BFb%EF%B7%90c%E1%9A%ADd%F0%9F%BF%BEe",
	} {
		check.Equal(t, safetext.PathText(path), want, "%q is written", path)
	}
	for _, text := range []string{"%", "%4", "%41", "%e9", "a\nb", "%zz", "\xe9", "% 1"} {
		path, ok := safetext.ParsePathText(text)
		check.That(t, !ok, "%q is read as %q", text, path)
	}
}

func TestPathTextBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		path := string(rapid.SliceOf(rapid.Byte()).Draw(t, "path"))
		text := safetext.PathText(path)
		if got, ok := safetext.ParsePathText(text); !ok || got != path || !utf8.ValidString(text) {
			t.Fatalf("%q is written %q and read as %q", path, text, got)
		}
	})
}
