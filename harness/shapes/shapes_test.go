package shapes

import (
	"bytes"
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/svc-edge/svc-verify/internal/check"
)

// TestShapesAreDescribed: the table of formats states the origin of each shape, its losses,
// and the export that loses least.
func TestShapesAreDescribed(t *testing.T) {
	names, products := map[string]bool{}, map[string]bool{}
	for _, s := range All() {
		check.That(t, !names[s.Name], "%s: the name is taken", s.Name)
		names[s.Name], products[s.Product()] = true, true
		product, form, ok := strings.Cut(s.Name, "/")
		check.That(t, ok && product != "" && form != "", "%s: is no product and form", s.Name)
		check.That(t, s.Document != "" && s.Export != "" && !strings.Contains(s.Document+s.Export+s.Loses, "\n"),
			"%s: no document, no export, or one of several lines", s.Name)
		check.That(t, (s.Loses == "" || strings.HasSuffix(s.Loses, ".")) && (s.Keeps != Less || s.Loses != ""),
			"%s: loses %q", s.Name, s.Loses)
		check.That(t, s.Keeps >= Octets && s.Keeps <= Less && (s.Lost == nil || s.Keeps == Less),
			"%s: keeps %d", s.Name, s.Keeps)
	}
	check.That(t, len(names) >= 200 && len(products) >= 60, "%d shapes of %d products", len(names), len(products))
}

// TestShapesDependOnTheirLines: the same log gives the same files, and another one
// gives others.
func TestShapesDependOnTheirLines(t *testing.T) {
	log := Log{Batch: strings.Repeat("ab", 32), Time: time.Date(2026, time.March, 2, 9, 0, 1, 0, time.UTC)}
	for i := range 4 {
		log.Lines = append(log.Lines,
			fmt.Appendf(nil, `{"body":{"data":{"n":%d,"text":"é \u0001"},"sequence":%d},"hash":"%064x"}`, i, i+1, i))
	}
	for _, s := range All() {
		once, again := s.Write(log), s.Write(log)
		for name, content := range once {
			check.That(t, bytes.Equal(content, again[name]), "%s: %s differs", s.Name, name)
		}
		shorter := log
		shorter.Lines = log.Lines[:3]
		check.That(t, len(once) != 0 && !maps.EqualFunc(once, s.Write(shorter), bytes.Equal),
			"%s: the fourth line adds nothing", s.Name)
		check.That(t, s.Write(Log{Time: log.Time}) != nil, "%s: writes no files of an empty log", s.Name)
	}
}
