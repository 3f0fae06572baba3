package answer

import (
	"cmp"

	"github.com/svc-edge/svc-verify/internal/safetext"
)

// VerdictWord returns a verdict as people read it: inconclusive in JSON is open.
func VerdictWord[V ~string](verdict V) string {
	if verdict == "inconclusive" {
		return "open"
	}
	return string(verdict)
}

// NewAnswer returns a document with a verdict, in its tone, and a title.
func NewAnswer[V ~string](verdict V, title string) *Doc {
	return &Doc{Title: title, Verdict: string(verdict), Tone: ToneOf(verdict)}
}

// tones are the tones of verdicts, states and severities.
var tones = map[string]Tone{"verified": Good, "valid": Good, "holds": Good, "complete": Good, "faithful": Good,
	"rejected": Bad, "invalid": Bad, "broken": Bad, "incomplete": Bad, "altered": Bad, "differs": Bad, "critical": Bad,
	"high": Bad, "info": Soft}

// ToneOf returns the tone of a verdict, a state or a severity. Any other word is a warning.
func ToneOf[V ~string](word V) Tone { return cmp.Or(tones[string(word)], Warn) }

// safeText returns the text of a span, safe to show. Names of the evidence are quoted if they could be
// taken for anything else.
func (s Span) safeText() string {
	switch s.Style {
	case quoted:
		return Label(s.Text)
	case Answered:
		return safetext.Line(VerdictWord(s.Text))
	}
	return safetext.Line(s.Text)
}

// colors are the parameters of the escape sequences of tones (ECMA-48, 8.3.117).
var colors = map[Tone]string{Good: "32", Bad: "31", Warn: "33", Soft: "36"}

// colouredText returns a part of a line, with its colour if colours are requested.
func (s Span) colouredText(color bool) string {
	code := colors[s.Tone]
	switch s.Style {
	case Answered, loud:
		code = "1;" + code
	case Tagged, Toned:
	default:
		color = false
	}
	if !color || s.Tone == "" {
		return s.Text
	}
	return "\x1b[" + code + "m" + s.Text + "\x1b[0m"
}
