package form

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/svc-edge/svc-verify/answer"
	"github.com/svc-edge/svc-verify/internal/safetext"
	"github.com/svc-edge/svc-verify/outcome"
)

// mostAnnotations is how many annotations of a kind GitHub shows of a step.
const mostAnnotations = 10

// annotations are commands to GitHub's runner, which reads them in the output of a
// step.
var annotations = Form{
	Name:   "github-annotations",
	Reader: "GitHub, next to a step and in the files of a pull request",
	Stream: true,
	Limits: []Limit{
		{mostAnnotations, "errors", "what GitHub shows of a step"},
		{mostAnnotations, "warnings", "what GitHub shows of a step"},
		{mostAnnotations, "notices", "what GitHub shows of a step"},
	},
	Write: writeAnnotations,
}

// annotation is one command.
type annotation struct {
	level, title, text string
	place              outcome.Place
}

func writeAnnotations(w io.Writer, r *outcome.Report, o Options) error {
	list, err := gatherItems(r, 2*mostAnnotations)
	if err != nil {
		return err
	}
	var all strings.Builder
	answer := annotation{level: loudnessOf(runVerdict(&r.Run)), title: r.Command, text: verdictLine(&r.Run)}
	for _, kind := range []string{"notice", "error", "warning"} {
		slots := mostAnnotations
		if kind == answer.level {
			slots--
		}
		if kind == "notice" {
			shown := fitAnnotations(noteTexts(&r.Run, &list), int64(len(r.NotExamined))+list.proven, slots, kind, o.Rest)
			all.WriteString(writeCommands(append(shown, answer), o))
			continue
		}
		shown, n := worstOfLevel(&r.Run, &list, kind, slots-1)
		all.WriteString(writeCommands(fitAnnotations(shown, n, slots, kind, o.Rest), o))
	}
	_, err = io.WriteString(w, all.String())
	return err
}

// loudnessOf is how loud a class is. An undecided result must not look decided.
func loudnessOf(c outcome.Class) string {
	switch c {
	case outcome.Verified:
		return "notice"
	case outcome.Inconclusive:
		return "warning"
	}
	return "error"
}

// noteTexts returns notes on unexamined evidence, and on the statements of the verified
// evidence.
func noteTexts(r *outcome.Run, list *shortlist) []annotation {
	var all []annotation
	for _, text := range r.NotExamined {
		all = append(all, annotation{level: "notice", title: "not examined", text: text})
	}
	for _, one := range list.saidProofs() {
		all = append(all, annotation{"notice", one.stateWord(), one.saidProof(), one.Place})
	}
	return all
}

// worstOfLevel returns the annotations of a level, the worst first, and how many there are of
// all. There is one for each problem of the run and for each item, but no more than there is
// room for once something is left out.
func worstOfLevel(r *outcome.Run, list *shortlist, kind string, room int) ([]annotation, int64) {
	others := func(r row) bool { return loudnessOf(r.Class) != kind }
	problems, items := slices.DeleteFunc(ofRun(r), others), slices.DeleteFunc(list.decidingRows(), others)
	n := int64(len(problems))
	for class, count := range list.classes {
		if loudnessOf(class) == kind {
			n += count
		}
	}
	if n > int64(room+1) {
		problems = problems[:min(len(problems), problemShare(room, len(items)))]
	}
	var all []annotation
	for _, one := range worstFirst(problems, items) {
		all = append(all, annotation{kind, one.titleWithCode(), one.said(), one.Place})
	}
	return all, n
}

// titleWithCode is the title of a row, and its code.
func (r row) titleWithCode() string { return strings.TrimSpace(r.word + " " + string(r.Code)) }

// fitAnnotations returns as many of n annotations as there is room for. The last states how
// many more there are.
func fitAnnotations(all []annotation, n int64, slots int, kind string, rest answer.Rest) []annotation {
	if n == int64(len(all)) && len(all) <= slots {
		return all
	}
	all = all[:min(len(all), slots-1)]
	return append(all, annotation{level: kind, title: "left out", text: rest.Left(n-int64(len(all)), kind+"s").Sentence()})
}

// writeCommands writes annotations as the runner reads them, one a line.
func writeCommands(all []annotation, o Options) string {
	var b strings.Builder
	for _, a := range all {
		var properties []string
		if address := o.pathBelow(a.place.File); address != "" {
			properties = append(properties, "file="+escapeProperty(safetext.Line(address)))
			if a.place.Line > 0 {
				properties = append(properties, fmt.Sprintf("line=%d", a.place.Line))
			}
		}
		properties = append(properties, "title="+escapeProperty(answer.Sentence(a.title)))
		fmt.Fprintf(&b, "::%s %s::%s\n", a.level, strings.Join(properties, ","), escapeData(answer.Sentence(a.text)))
	}
	return b.String()
}

// escapeData escapes the text of a command.
func escapeData(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(s)
}

// escapeProperty escapes the value of a property, which a comma or a colon would end.
func escapeProperty(s string) string {
	return strings.NewReplacer(":", "%3A", ",", "%2C").Replace(escapeData(s))
}
