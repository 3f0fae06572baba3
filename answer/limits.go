package answer

import (
	"crypto/sha256"
	"fmt"
	"strings"

	"github.com/svc-edge/svc-verify/internal/safetext"
)

// How many bytes of a text are shown.
const (
	mostName     = 1_000
	MostSentence = 1_000
	mostFile     = 250 // of the file that has the rest
)

// MostItems bounds the lists of a page, so that a browser is quick.
const MostItems = 2_000

// The limits of lists in the forms for people.
const (
	MostDetails  = 20  // problems of an item, findings of one code, causes
	MostRows     = 200 // sources and proofs
	MostLogs     = 100 // with pictures
	MostFindings = 300
	MostPlaces   = 6 // of a finding
)

// The limits of Markdown on GitHub: a comment has at most 65,536 characters, and the
// summary of a step that is above 1 MiB is not shown at all.
const (
	MostComment = 65_000
	MostSummary = 1_000_000
)

// MostOnScreen bounds each list of a screen.
const MostOnScreen = 5

// MostNotes bounds each list of the run's own texts: notes, counts and limitations.
const MostNotes = 50

// Rest is where the whole list is: a file, or else the command or flag that writes it.
type Rest struct{ File, Command string }

// Left records that so many things are left out.
func (r Rest) Left(n int64, of string) Left { return Left{max(n, 0), of, r} }

// Sentence returns how much is left out and where it is, "" if nothing is.
func (l Left) Sentence() string {
	if l.N == 0 {
		return ""
	}
	text := fmt.Sprintf("%d more", l.N)
	if l.Of != "" {
		text += " " + l.Of
	}
	switch {
	case l.Rest.File != "":
		return text + ", in " + labelCell(l.Rest.File, mostFile)
	case strings.HasPrefix(l.Rest.Command, "--"):
		return text + ": " + l.Rest.Command
	case l.Rest.Command != "":
		return text + ", in what " + l.Rest.Command + " writes"
	}
	return text
}

// LeftOut returns a sentence for each list that leaves something out.
func LeftOut(all ...Left) []string {
	var sentences []string
	for _, l := range all {
		if l.N > 0 {
			sentences = append(sentences, "Left out: "+l.Sentence()+".")
		}
	}
	return sentences
}

// Cut returns the first of a list, and how many it leaves out.
func Cut[T any](all []T, most int) ([]T, int64) {
	n := min(len(all), most)
	return all[:n], int64(len(all) - n)
}

// CutTables cuts the tables of a document, as far as it has names for their rows.
func (d *Doc) CutTables(most int, rest Rest) {
	for _, s := range d.Sections {
		for i, b := range s.Blocks {
			t, ok := b.(Table)
			if !ok || t.Left.Of == "" {
				continue
			}
			rows, more := Cut(t.Rows, most)
			if t.Rows = rows; more > 0 {
				t.Left = rest.Left(t.Left.N+more, t.Left.Of)
			}
			s.Blocks[i] = t
		}
	}
}

// Noted returns a text for each of a list. If there are too many, the last text counts the rest.
func Noted[T any](list []T, text func(T) string, more string) []string {
	var all []string
	for i, one := range list {
		if i == MostNotes-1 && len(list) > MostNotes {
			return append(all, safetext.Count(len(list)-i, more)+".")
		}
		all = append(all, text(one))
	}
	return all
}

// Label is a name, quoted. One that is very long is cut, with its digest in place of
// the rest, so that two names never look the same.
func Label(name string) string { return labelCell(name, mostName) }

func labelCell(name string, most int) string {
	if len(name) <= most {
		return safetext.Quote(name)
	}
	return fmt.Sprintf("%s (SHA-256 %x)", safetext.Excerpt(name, most), sha256.Sum256([]byte(name)))
}

// Sentence is text as one safe line, cut if it is very long.
func Sentence(text string) string { return safetext.Line(safetext.Cut(text, MostSentence)) }

// Count is a number of things, with their name.
type Count struct {
	What string // such as "verified"
	N    int64
}

// CountOf makes a count.
func CountOf(n int64, what string) Count { return Count{what, n} }

// JoinCounts names the counts above 0; "" if there are none.
func JoinCounts(all ...Count) string {
	var parts []string
	for _, one := range all {
		if one.N > 0 {
			parts = append(parts, Number(one.N)+" "+one.What)
		}
	}
	return strings.Join(parts, ", ")
}

// Number writes a number with a comma between thousands.
func Number(n any) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// fittingTexts returns the first texts that together have at most so many bytes.
func fittingTexts(all []string, octets int) []string {
	for i, text := range all {
		if octets -= len(text); octets < 0 {
			return all[:i]
		}
	}
	return all
}
