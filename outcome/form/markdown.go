package form

import (
	"fmt"
	"io"
	"strings"

	"github.com/svc-edge/svc-verify/internal/safetext"
	"github.com/svc-edge/svc-verify/outcome"
)

// The limits of Markdown on GitHub: a comment has at most 65,536 characters, and the
// summary of a step that is above 1 MiB is not shown at all.
const (
	mostMarkdown = 65_000
	mostSummary  = 1_000_000
)

// markdown is Markdown of GitHub's kind, short enough for a comment.
var markdown = Form{
	Name:   "markdown",
	Reader: "people, as a comment on GitHub or GitLab",
	Limits: []Limit{{mostMarkdown, "octets", "below the 65,536 characters of a comment on GitHub"}},
	Write:  func(w io.Writer, r *outcome.Report, o Options) error { return writeMarkdown(w, r, o, mostMarkdown) },
}

// summary is the same for the summary of a step.
var summary = Form{
	Name:   "github-summary",
	Reader: "people, as what GITHUB_STEP_SUMMARY names",
	Limits: []Limit{{mostSummary, "octets", "below the 1 MiB above which GitHub shows nothing of a summary"}},
	Write:  func(w io.Writer, r *outcome.Report, o Options) error { return writeMarkdown(w, r, o, mostSummary) },
}

// mostRows is more than the longest Markdown has room for.
const mostRows = 10_000

// writeMarkdown writes at most so many octets: a quarter for what was not examined,
// a quarter for what stands after the tables, and what is left for them.
func writeMarkdown(w io.Writer, r *outcome.Report, o Options, most int) error {
	list, err := gather(r, mostRows, true)
	if err != nil {
		return err
	}
	head, tail := markdownHead(&r.Run, most/4), markdownTail(&r.Run, o, most/4)
	room := most - len(head) - len(tail)
	problems := ofRun(&r.Run)
	wrong, proofs := list.wrong(), list.proofs()
	half := room
	if len(wrong) > 0 {
		half = room / 2
	}
	set := table{"## What is wrong with the run\n\n| Class | Code | Problem |\n|---|---|---|\n",
		"problems of the run", int64(len(problems)), len(problems), func(i int) string {
			one := problems[i]
			return fmt.Sprintf("| %s | %s | %s |\n", one.word, cellCode(one.code), safetext.MarkdownCell(one.said()))
		}}.within(half, o.Rest)
	body := table{"## What is wrong\n\n| Class | Item | Code | Problem |\n|---|---|---|---|\n",
		"items with problems", list.failed, len(wrong), func(i int) string {
			one := wrong[i].first()
			one.item = ""
			return fmt.Sprintf("| %s | %s | %s | %s |\n", safetext.MarkdownCell(one.word),
				safetext.MarkdownCellCode(label(wrong[i].Name)),
				cellCode(one.code), safetext.MarkdownCell(one.said()))
		}}.within(room-len(set), o.Rest)
	said := table{"## What the verified evidence says\n\n| Item | Statement |\n|---|---|\n",
		"statements of verified evidence", list.proven, len(proofs), func(i int) string {
			return fmt.Sprintf("| %s | %s |\n", safetext.MarkdownCellCode(label(proofs[i].Name)),
				safetext.MarkdownCell(sentence(proofs[i].Proof)))
		}}.within(room-len(set)-len(body), o.Rest)
	_, err = io.WriteString(w, head+set+body+said+tail)
	return err
}

// cellCode is a code in a table, or nothing.
func cellCode(code string) string {
	if code == "" {
		return ""
	}
	return safetext.MarkdownCellCode(code)
}

// table is rows below a head, of which there may be fewer than there are things.
type table struct {
	head, of string
	all      int64
	rows     int
	row      func(int) string
}

// within writes as many rows as there is room for, and how many of all were left out.
func (t table) within(room int, rest Rest) string {
	if t.all == 0 {
		return ""
	}
	room -= len(t.head) + mostName + 200 // for what is left out
	var b strings.Builder
	b.WriteString(t.head)
	shown := 0
	for ; shown < t.rows; shown++ {
		text := t.row(shown)
		if room -= len(text); room < 0 {
			break
		}
		b.WriteString(text)
	}
	b.WriteString("\n")
	if left := t.all - int64(shown); left > 0 {
		b.WriteString("**Left out:** " + safetext.Markdown(rest.left(left, t.of)) + ".\n\n")
	}
	return b.String()
}

// fitting returns the first texts that take no more than so many octets.
func fitting(all []string, octets int) []string {
	for i, text := range all {
		if octets -= len(text); octets < 0 {
			return all[:i]
		}
	}
	return all
}

func markdownHead(r *outcome.Run, room int) string {
	text := "# " + safetext.Markdown(sentence(r.Command)) + "\n\n"
	notes := notExamined(r)
	for i, note := range notes {
		notes[i] = "**Not examined.** " + safetext.Markdown(note) + "\n\n"
	}
	shown := fitting(notes, room-2*mostSentence)
	text += strings.Join(shown, "")
	if left := len(notes) - len(shown); left > 0 {
		text += fmt.Sprintf("**Not examined:** %s.\n\n", safetext.Count(left, "more sentence"))
	}
	return text + "**" + string(verdict(r)) + ".** " + verdictSentence(verdict(r)) + "\n\n"
}

func markdownTail(r *outcome.Run, o Options, room int) string {
	text := "## Counts\n\n| What | Number |\n|---|---:|\n"
	var rows []string
	for _, c := range counts(r) {
		rows = append(rows, fmt.Sprintf("| %s | %d |\n", safetext.MarkdownCell(c.What), c.N))
	}
	text += strings.Join(fitting(rows, room/2), "") + "\n"
	var not []string
	for _, l := range limitations(r) {
		not = append(not, "- "+safetext.Markdown(l)+"\n")
	}
	if shown := fitting(not, room/2-1_000); len(shown) > 0 {
		text += "## What this does not prove\n\n" + strings.Join(shown, "")
		if left := len(not) - len(shown); left > 0 {
			text += "- " + safetext.Count(left, "more limitation") + "\n"
		}
		text += "\n"
	}
	if r.TrustSHA256 != "" {
		text += "Trust file, SHA-256: " + safetext.MarkdownCode(sentence(r.TrustSHA256)) + "  \n"
	}
	return text + safetext.Markdown("Made by: svc-verify "+sentence(o.Tool)) + "\n"
}

// verdictSentence says what a verdict means.
func verdictSentence(c outcome.Class) string {
	switch c {
	case outcome.Verified:
		return "Everything that was examined is verified."
	case outcome.Inconclusive:
		return "There was nothing to check, or not enough to decide."
	case outcome.Unreadable:
		return "Something could not be read."
	}
	return "Something in the evidence is wrong, missing or contradicted."
}
