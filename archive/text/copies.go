package text

import (
	"cmp"

	"github.com/svc-edge/svc-verify/answer"
	"github.com/svc-edge/svc-verify/archive/copies"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

// wholeWords say where objects are whole.
var wholeWords = map[string]string{copies.InArchive: "whole in the archive alone",
	copies.InCopy: "whole in the copy alone", copies.InNeither: "whole in neither",
	copies.InBoth: "different, and whole in both", copies.Unknown: "nothing shows which is whole"}

// Compare shows the comparison of an archive with its copy: the objects by where they are whole, each with the
// commands that copy it to the other folder.
func Compare(r *copies.Result) *answer.Doc {
	n := &r.Counts
	d := startAnswer(r.Verdict, safetext.Count(n.Objects, "object")+": "+answer.Number(n.Same)+" the same in both",
		cmp.Or(r.Reason(), "every object is the same in both, and whole"), nil, r.NotExamined)
	for _, whole := range []string{copies.InNeither, copies.InArchive, copies.InCopy, copies.InBoth, copies.Unknown} {
		var all []copies.Object
		for _, o := range r.Objects {
			if o.Whole == whole {
				all = append(all, o)
			}
		}
		if len(all) > 0 {
			heading := answer.Say(wholeWords[whole], ": ", safetext.Count(int64(len(all)), "object"))
			d.Head = append(d.Head, answer.Card{Class: "log", Heading: heading,
				Blocks: answer.FirstBlocks(all, inJSON.Left(0, "objects"), copyEntry)})
		}
	}
	if r.More > 0 {
		d.Head = append(d.Head, inJSON.Left(r.More, "objects that are in no answer; run the commands, and compare again"))
	}
	return d
}

// copyEntry shows an object in both folders, and the commands.
func copyEntry(o *copies.Object) answer.Block {
	side := func(name string, s *copies.Side) answer.Text {
		if s.Fault != "" || s.SHA256 == "" {
			return answer.Say(name, cmp.Or(s.Fault, "not there"))
		}
		verdict := ""
		if s.Verdict != "" {
			verdict = ", " + string(s.Verdict)
		}
		return answer.Say(name, safetext.Count(s.Size, "octet"), verdict, ", sha256 ", answer.Code(s.SHA256[:16]))
	}
	below := []answer.Text{side("archive  ", &o.Archive), side("copy     ", &o.Copy)}
	for _, words := range o.Words {
		below = append(below, answer.Command(words)...)
	}
	return answer.Entry(answer.Say(answer.Name(o.Path), ", ", o.State, ", by ", o.By), below...)
}
