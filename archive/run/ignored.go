package run

import (
	"fmt"
	"strings"

	"github.com/svc-edge/svc-verify/archive/codec"
	"github.com/svc-edge/svc-verify/archive/object"
	"github.com/svc-edge/svc-verify/internal/form"
	"github.com/svc-edge/svc-verify/internal/ijson"
	"github.com/svc-edge/svc-verify/internal/listing"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

// The limits of the member ignored of a record (SPEC 15.2).
const (
	MaxPatterns     = 16
	MaxIgnoredPaths = 64
	maxIgnoredText  = 16 << 10 // bytes of the paths together
)

// Ignored are the files that a run passed over, by the patterns that were in force.
type Ignored struct {
	Patterns listing.Patterns `json:"patterns"` // ascending
	Objects  int64            `json:"objects"`  // how many files were passed over
	Paths    []string         `json:"paths"`    // the first of them, as [object.PathText] writes paths
}

// IsPattern reports whether a text can be a pattern of a record.
func IsPattern(text string) bool {
	_, err := listing.ParsePatterns([]string{text})
	return err == nil && IsText(text)
}

// Again returns the same patterns, without a file that they cover; nil if there are none.
func (g *Ignored) Again() *Ignored {
	if g == nil || len(g.Patterns) == 0 {
		return nil
	}
	return &Ignored{Patterns: g.Patterns, Paths: []string{}}
}

// Covers reports whether the patterns match a path. No patterns match none.
func (g *Ignored) Covers(path string) bool {
	return g != nil && len(g.Patterns) > 0 && g.Patterns.Match(path)
}

// Count counts a file that was passed over. Files are counted in the order of their paths.
func (g *Ignored) Count(path string) {
	if g.Objects == int64(len(g.Paths)) && len(g.Paths) < MaxIgnoredPaths { // none was left out
		text := object.PathText(path)
		if len(strings.Join(g.Paths, ""))+len(text) <= maxIgnoredText {
			g.Paths = append(g.Paths, text)
		}
	}
	g.Objects++
}

// PassedOver names the files in a sentence, which is empty if no pattern was in force.
func (g *Ignored) PassedOver() string {
	if g == nil || len(g.Patterns) == 0 {
		return ""
	}
	return "Passed over, under the patterns " + g.PatternList() + ": " + g.FileList() + "."
}

// PatternList lists the patterns.
func (g *Ignored) PatternList() string {
	var all []string
	for _, pattern := range g.Patterns {
		all = append(all, safetext.Quote(pattern))
	}
	return strings.Join(all, ", ")
}

// FileList counts the files, and names the first.
func (g *Ignored) FileList() string {
	text := safetext.Count(g.Objects, "file")
	shown := g.Paths[:min(len(g.Paths), 3)]
	if len(shown) > 0 {
		text += ", " + strings.Join(shown, ", ")
	}
	if more := g.Objects - int64(len(shown)); more > 0 && len(shown) > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// describeMembers describes the member ignored of a record.
func (g *Ignored) describeMembers(m *codec.Members) {
	codec.Number(m, "objects", &g.Objects, 0, form.MaxInt)
	m.Texts("paths", g.Paths, 0, MaxIgnoredPaths, func(list []*ijson.Value) {
		var paths []string
		for _, v := range list {
			path := readPath(m.Reader, v)
			paths, g.Paths = append(paths, path), append(g.Paths, object.PathText(path))
		}
		m.Ascending(list, paths)
		if g.Objects < int64(len(paths)) {
			m.Fault(m.Value, form.BadValue, "at least as many objects as paths", "fewer")
		}
	})
	PackPatterns(m, "patterns", &g.Patterns)
}

// PackPatterns packs a list of patterns, in its one order.
func PackPatterns(m *codec.Members, name string, patterns *listing.Patterns) {
	m.Texts(name, *patterns, 1, MaxPatterns, func(list []*ijson.Value) {
		for _, v := range list {
			*patterns = append(*patterns, m.Reader.Text(v, "a pattern of names (SPEC 15.2)", IsPattern))
		}
		m.Ascending(list, *patterns)
	})
}
