package report

import (
	"cmp"
	"slices"
	"strings"

	"github.com/svc-edge/svc-verify/answer"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/verdict"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

// placeholders are the words of a next step in whose place a user puts a name.
var placeholders = []string{"CASE", "FILE", "TRUST", "PATH", "BUNDLE", "PLAN", "PART", "I"}

// nextCommand returns the words of the next command. Of a gravest incident that rejects and touches
// transactions, it lists these. Of others it is their next step, with the names that are known in
// their places; if others remain, it lists the findings. Without a case it is the command that the
// caller gives.
func nextCommand(r *verdict.Result, q Asked) []string {
	if q.Case == "" {
		return q.Next
	}
	findings := []string{"svc-verify", "show", "findings", q.Case}
	step := ""
	if len(r.Incidents) > 0 {
		one := r.Incidents[0]
		touches := one.Transactions.Count > 0 || one.Code.Entry().SignOf == finding.BesideJournal
		if touches && one.Effect == finding.Rejects && q.Trust != "" {
			return []string{"svc-verify", "affected", q.Case, one.Name, "--trust", q.Trust}
		}
		step = one.Next
	} else if why := r.Why(); why != nil {
		step = why.Next
	}
	if words := fillStep(step, q); words != nil {
		return words
	}
	return findings
}

// fillStep returns the words of a next step with the names that are known in their places. It is nil if
// others remain.
func fillStep(step string, q Asked) []string {
	command, _, _ := strings.Cut(step, ": ")
	words := strings.Fields(command)
	for i, word := range words {
		if words[i] = q.nameFor(word); words[i] == word && slices.Contains(placeholders, word) {
			return nil
		}
	}
	return words
}

// nameFor returns the name for a word of a command: of the case or the trust file, if it is known, or the word.
func (q Asked) nameFor(word string) string {
	return cmp.Or(map[string]string{"CASE": q.Case, "TRUST": q.Trust}[word], word)
}

// stepText returns a next step with the names that are known in their places: a command, and its remark.
func (q Asked) stepText(step string) answer.Text {
	command, remark, found := strings.Cut(step, ": ")
	if !found {
		return answer.Say(answer.Code(q.commandFor(command)))
	}
	return answer.Say(answer.Code(q.commandFor(command)), ": ", remark)
}

// commandFor returns a command with the names that are known in their places.
func (q Asked) commandFor(command string) string {
	words := strings.Split(command, " ")
	for i, word := range words {
		if name := q.nameFor(word); name != word {
			words[i] = safetext.ShellWord(name)
		}
	}
	return strings.Join(words, " ")
}
