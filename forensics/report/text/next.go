package text

import (
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/svc-edge/svc-verify/forensics/verdict"
	"github.com/svc-edge/svc-verify/internal/columns"
	"github.com/svc-edge/svc-verify/internal/page"
	"github.com/svc-edge/svc-verify/internal/safetext"
	"github.com/svc-edge/svc-verify/verify"
)

// placeholders are the words of a next step in whose place a user puts a name.
var placeholders = []string{"FILE", "TRUST", "PATH", "BUNDLE", "PLAN", "PART", "I"}

// writeNext writes one command that runs as it stands.
func writeNext(p *page.Page, r *verdict.Result, q Asked) {
	if r.Verdict == verify.Verified {
		return
	}
	line := "Next:"
	for _, word := range nextCommand(r, q) {
		if columns.Width(line)+1+columns.Width(word) > page.Width-2 {
			p.WriteString(line + " \\\n")
			line = "     "
		}
		line += " " + word
	}
	p.WriteString(line + "\n")
}

// nextCommand returns the words of the next step of the gravest incident with the names that are known in
// their places. If others remain, it lists the findings. Without a case it is the command that
// the caller gives.
func nextCommand(r *verdict.Result, q Asked) []string {
	if q.Case == "" {
		words := make([]string, len(q.Next))
		for i, word := range q.Next {
			words[i] = shellWord(word)
		}
		return words
	}
	findings := []string{"svc-verify", "findings", "--case", shellWord(q.Case)}
	step := ""
	if len(r.Incidents) > 0 {
		step = r.Incidents[0].Next
	} else if why := r.Why(); why != nil {
		step = why.Next
	}
	command, _, _ := strings.Cut(step, ": ")
	names := map[string]string{"FILE": q.Case, "TRUST": q.Trust}
	words := strings.Fields(command)
	for i, word := range words {
		if !slices.Contains(placeholders, word) {
			words[i] = safetext.Line(word)
			continue
		}
		if names[word] == "" {
			return findings
		}
		words[i] = shellWord(names[word])
	}
	if len(words) == 0 {
		return findings
	}
	return words
}

// plainWord is a word that no shell changes.
var plainWord = regexp.MustCompile(`^[A-Za-z0-9_@%+=:,./-]+$`)

// shellWord quotes a word for a POSIX shell. What a terminal would not show as it is cannot be
// in a command that people copy: it is written as an ANSI-C escape.
func shellWord(word string) string {
	if plainWord.MatchString(word) {
		return word
	}
	if strings.ContainsFunc(word, func(r rune) bool { return r < ' ' || r > '~' }) {
		return "$" + ansiQuoted(word)
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// ansiQuoted writes bytes that are not printable ASCII as octal escapes.
func ansiQuoted(word string) string {
	var b strings.Builder
	b.WriteByte('\'')
	for _, c := range []byte(word) {
		switch {
		case c == '\'' || c == '\\':
			b.WriteString(`\` + string(rune(c)))
		case c < ' ' || c > '~':
			b.WriteString(`\` + string([]byte{'0' + c>>6, '0' + c>>3&7, '0' + c&7}))
		default:
			b.WriteByte(c)
		}
	}
	return b.String() + "'"
}

// The form of times for people, to the second.
const (
	dayForm  = "2 Jan 2006 "
	timeForm = "15:04:05"
)

// formatClock writes a time for people.
func formatClock(at string) string {
	t, err := time.Parse(time.RFC3339, at)
	if err != nil {
		return safetext.Line(at)
	}
	return t.UTC().Format(dayForm + timeForm + " UTC")
}

// timeRange writes two times for people, the day once if it is the same.
func timeRange(from, to string) string {
	a, err := time.Parse(time.RFC3339, from)
	b, err2 := time.Parse(time.RFC3339, to)
	if err != nil || err2 != nil || a.UTC().Format(dayForm) != b.UTC().Format(dayForm) {
		return formatClock(from) + " to " + formatClock(to)
	}
	return a.UTC().Format(dayForm+timeForm) + " to " + b.UTC().Format(timeForm+" UTC")
}
