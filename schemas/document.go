package schemas

import (
	"fmt"

	"github.com/svc-edge/svc-verify/answer"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

// Document shows a report: each file with its faults, and the limits of the verdict.
func (r *Report) Document() *answer.Doc {
	d := &answer.Doc{Title: safetext.Count(len(r.Files), "file") + ": " + string(r.Verdict)}
	for _, f := range r.Files {
		d.Head = append(d.Head, f.fileCard())
	}
	d.Foot = []answer.Block{answer.Remark("Valid is about form only: it does not show that a document is genuine. ",
		"Names that occur twice, null and numbers that are no plain integers are refused too (specification, ",
		"section 1). Not examined: rules between members, the order of lists, hashes and signatures.")}
	if len(r.Files) == 1 && len(r.Files[0].Forms) == 1 {
		d.Next = []string{"svc-verify", "schema", r.Files[0].Forms[0].Name}
	}
	return d
}

// fileCard shows a file.
func (f *File) fileCard() answer.Block {
	heading := answer.Say(answer.Strong(string(f.Verdict), answer.ToneOf(f.Verdict)), "  ", answer.Name(f.Name),
		f.formsText())
	left := answer.Rest{Command: "--output json"}.Left(int64(f.MoreFaults), "of them")
	return answer.Card{Class: "finding", Heading: heading,
		Blocks: answer.FirstBlocks(f.Faults, left, func(x *Fault) answer.Block {
			return answer.Entry(answer.Say(x.placeText(),
				": expected ", x.Expected, ", found ", x.Found))
		})}
}

// formsText names the schemas of the documents in a file, with their numbers if there is one on each line.
func (f *File) formsText() (text string) {
	before := ": "
	for _, form := range f.Forms {
		if text += before; f.Lines {
			text += fmt.Sprint(form.Documents) + " "
		}
		text, before = text+form.Name, ", "
	}
	return text
}

// placeText names the place of a fault.
func (f *Fault) placeText() answer.Text {
	if f.Path == "" {
		return answer.Say(fmt.Sprintf("%d:%d the document", f.Line, f.Column))
	}
	return answer.Say(fmt.Sprintf("%d:%d ", f.Line, f.Column), answer.Name(f.Path))
}
