package read_test

import (
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/harness/chance"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/must"
)

// hardWrapped breaks each text into lines of a width: with a mark before the first, and one before
// the others. If trimmed is set, no line ends with a space, as in a mail.
func hardWrapped(texts []string, width int, first, others string, trimmed bool) string {
	var out strings.Builder
	for _, text := range texts {
		for mark := first; len(text) > 0; mark = others {
			n := min(len(text), width-len(mark))
			line := mark + text[:n]
			if trimmed {
				line = strings.TrimRight(line, " ")
			}
			out.WriteString(line + "\n")
			text = text[n:]
		}
	}
	return out.String()
}

// pastes are ways to paste events.
func pastes() map[string]func(events []string) string {
	codes := map[string]func(string) string{
		"text":   func(s string) string { return s },
		"base16": func(s string) string { return hex.EncodeToString([]byte(s)) },
		"base32": func(s string) string { return base32.StdEncoding.EncodeToString([]byte(s)) },
		"base64": func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) },
		"quoted": strconv.Quote,
	}
	all := map[string]func([]string) string{}
	for code, write := range codes {
		for form, marks := range map[string][2]string{"": {"", ""}, ", with indents": {"    ", "    "},
			", quoted": {"> ", "> "}, ", of a log": {"INFO ", ""}, ", hanging": {"", "  "}} {
			for _, width := range []int{76, 80, 100} {
				wrap := func(texts []string) string { return hardWrapped(texts, width, marks[0], marks[1], false) }
				all[fmt.Sprint(code, form, " ", width)] = func(events []string) string {
					var texts []string
					for _, event := range events {
						texts = append(texts, write(event))
					}
					return wrap(texts)
				}
				if code == "text" {
					all[fmt.Sprint("joined", form, " ", width)] = func(events []string) string {
						return wrap([]string{strings.Join(events, " and then ")})
					}
				}
			}
		}
	}
	return all
}

// TestEveryOffset: wherever a block ends, at any place around the first byte of an event in a paste,
// the same events are found: all of them.
func TestEveryOffset(t *testing.T) {
	var events []string
	for _, body := range genuineEvents(9) {
		events = append(events, string(body))
	}
	for name, paste := range pastes() {
		text := paste(events)
		want := inBlocks(t, text, 1<<20, 1<<20)
		must.That(t, len(want) == len(events), "%s: %d events in one block", name, len(want))
		for _, n := range []int{4, 6} {
			first := len(paste(events[:n]))
			for off := -64; off <= 64; off += chance.Sized(3, 43) {
				got := inBlocks(t, text, first+off, 1<<20)
				must.That(t, strings.Join(got, "\n") == strings.Join(want, "\n"),
					"%s, a block ends %d bytes from an event: %d events", name, off, len(got))
			}
		}
	}
}

// TestBreaksAtSpaces: lines that are broken before a space or behind one, which a mail loses, are
// joined with it, whether they have an indent or not.
func TestBreaksAtSpaces(t *testing.T) {
	log, key := seal.NewLog("acme", "node/berlin"), seal.Key{ID: "berlin", Private: make([]byte, 64)}
	var events []string
	for i := range 12 {
		text := strings.Repeat("x", i) + strings.Repeat(" what else there was to say of it", 9)
		events = append(events, string(seal.Canonical(log.Append(seal.Entry{Type: "test.event",
			Data: seal.Object{"text": text}}, key))))
	}
	for name, marks := range map[string][2]string{"as they are": {"", ""}, "with indents": {"    ", "    "},
		"quoted": {"> ", "> "}, "of a log": {"INFO ", ""}, "hanging": {"", "  "}} {
		for _, trimmed := range []bool{false, true} {
			got := inBlocks(t, hardWrapped(events, 76, marks[0], marks[1], trimmed), 1<<20, 1<<20)
			if len(got) != len(events) {
				t.Errorf("lines %s, without spaces at their ends %v: %d events", name, trimmed, len(got))
			}
		}
	}
}
