package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/forensics/custody"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// TestHostileNotes: a note that would act on a terminal, is no text or is too long is refused,
// and the case stays as it was.
func TestHostileNotes(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	dir := sceneIn(t, "issued")
	file := filepath.Join(dir, "case.db")
	code, _, said := call(nil, "ingest", file, filepath.Join(dir, "tenant.ndjson"), "--quiet")
	must.That(t, code == exitVerified, "%d: %s", code, said)
	long := func(n int) string { return strings.Repeat("a", n+1) }
	for what, flags := range map[string][]string{
		"an escape sequence": {"--text", "\x1b[2J"},
		"two lines":          {"--text", "a\nb"},
		"no UTF-8":           {"--text", "\xff"},
		"a noncharacter":     {"--text", "\uffff"},
		"a long text":        {"--text", long(custody.MaxText)},
		"a long tag":         {"--tag", long(custody.MaxTag)},
		"a tag in two lines": {"--tag", "a\rb"},
		"many tags":          strings.Fields(strings.Repeat("--tag a ", custody.MaxTags+1)),
		"a long author":      {"--text", "a", "--by", long(custody.MaxName)},
		"an author":          {"--explained", "--by", "\u2028"},
	} {
		code, _, said := call(nil, append([]string{"note", file, "tx-2026-0001", "--quiet"}, flags...)...)
		check.That(t, code == 2 && strings.Contains(said, "the note cannot be kept") && unsafeAt(said) < 0, "%s: %d, %s",
			what, code, said)
	}
	for _, flags := range [][]string{
		{"--text", long(custody.MaxText - 1), "--by", long(custody.MaxName - 1), "--tag", long(custody.MaxTag - 1)},
		{"--text", "\u202e quoted \u200b"},
	} {
		code, shown, said := call(nil, append([]string{"note", file, "tx-2026-0001", "--quiet"}, flags...)...)
		check.That(t, code == exitVerified && unsafeAt(shown) < 0, "%.20q: %d, %s", flags, code, said)
	}
	_, shown, _ := call(nil, "note", file, "--output", "json", "--quiet")
	check.Equal(t, strings.Count(shown, `"command": "note"`), 2, "notes")
}
