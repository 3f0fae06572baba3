package text

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/svc-edge/svc-verify/answer"
	"github.com/svc-edge/svc-verify/archive/record"
	"github.com/svc-edge/svc-verify/archive/seal"
	"github.com/svc-edge/svc-verify/internal/safetext"
	"github.com/svc-edge/svc-verify/outcome"
	"github.com/svc-edge/svc-verify/verify/text"
)

// Seal shows an answer about a seal or a proof. The name of its subject is quoted already.
func Seal(r *seal.Report, name string) *answer.Doc {
	d := startAnswer(r.Verdict, name, "the signatures hold, and nothing that was read differs", nil, nil)
	leaveOut(d, r.NotExamined)
	addReasons(d, r.Findings, inJSON.Left(r.More, "findings"))
	e := r.Examined
	d.Head = append(d.Head, append(sealPairs(r), answer.Value("examined", joinCounts(
		count(int64(e.Signatures), "signatures that hold"), counted(e.Leaves, "listed object"),
		count(e.Runs, "runs of the ledger")),
		"; ", objectsAndOctets(e.Objects, e.Octets), " read")))
	addContent(d, r)
	return d
}

// MadeSeal shows the result of sealing: the seal, or why there is none. The name of the
// archive is quoted already.
func MadeSeal(r *seal.Report, name string) *answer.Doc {
	if r.Verdict != outcome.Verified {
		return Seal(r, name)
	}
	d := &answer.Doc{Title: name, Verdict: "sealed", Tone: answer.Good}
	d.Head = []answer.Block{sealPairs(r)}
	leaveOut(d, r.NotExamined)
	addContent(d, r)
	return d
}

// leaveOut adds the unexamined parts.
func leaveOut(d *answer.Doc, all []seal.Limitation) {
	for _, l := range all {
		d.LeftOut = append(d.LeftOut, answer.Say(answer.Code(l.Code), ": ", l.Sentence))
	}
}

// sealPairs returns the facts of the seal, and the object that a proof is about.
func sealPairs(r *seal.Report) (pairs answer.Pairs) {
	if o := r.Object; o != nil {
		pairs = answer.Pairs{answer.Value("object", answer.Name(o.Path), ", ", safetext.Count(o.Size, "octet")),
			answer.Value("", answer.Code(o.Digest))}
	}
	f := r.Seal
	if f == nil {
		return pairs
	}
	return append(pairs, answer.Value("signed by", answer.Name(f.Signer), ", who says at ", f.SealedAt),
		answer.Value("contains", objectsAndOctets(f.Objects, f.Octets)),
		answer.Value("sha-512", answer.Code(f.SHA512)))
}

// addContent adds the content of a seal, and the limits of the answer.
func addContent(d *answer.Doc, r *seal.Report) {
	if f := r.Seal; f != nil {
		d.AddFold("Content of the seal", answer.Pairs{answer.Value(string(f.Hash)+" root", answer.Code(f.Root)),
			answer.Value("newest run", answer.Code(f.RunSHA256)),
			{Label: "trust files", Value: answer.Lines(f.TrustFiles)}, answer.Value("seal before", answer.Code(f.Previous)),
			{Label: "ignored", Value: answer.Lines(f.Ignored)}})
	}
	text.AddLimits(d, r.Limitations)
}

// Record shows an evidence record. The name of its object is quoted already.
func Record(r *record.Report, name string) *answer.Doc {
	d := startAnswer(r.Verdict, "evidence record of "+name, "every token of the record holds", nil, nil)
	addReasons(d, r.Findings, inJSON.Left(0, "findings"))
	addRecord(d, r, "")
	return d
}

// SealAndRecords shows a seal or a proof, and the records of the seal and of the object.
// Either record may be nil.
func SealAndRecords(r *seal.Report, ofSeal, ofObject *record.Report, name string) *answer.Doc {
	d := Seal(r, name)
	for _, one := range []struct {
		r    *record.Report
		what string
	}{{ofSeal, " of the seal"}, {ofObject, " of the object"}} {
		switch {
		case one.r == nil:
			continue
		case len(r.Findings) == 0:
			addReasons(d, one.r.Findings, inJSON.Left(0, "findings"))
		default:
			text.AddFindings(d, one.r.Findings, inJSON.Left(0, "findings"))
		}
		own := *one.r
		own.NotExamined = slices.DeleteFunc(slices.Clone(own.NotExamined), func(l seal.Limitation) bool {
			return slices.Contains(r.NotExamined, l)
		})
		addRecord(d, &own, one.what)
	}
	return d
}

// addRecord adds an evidence record: when its object existed, when to renew, each token, and
// the limitations. The last argument names one of two records; else it is empty.
func addRecord(d *answer.Doc, r *record.Report, of string) {
	leaveOut(d, r.NotExamined)
	pairs := answer.Pairs{answer.Value("judged at", r.At, nameTable(r.Algorithms))}
	if r.ExistedBefore != "" {
		pairs = append(pairs, answer.Value("existed before", r.ExistedBefore, ", by the first token", of))
	}
	if r.RenewBefore != "" {
		pairs = append(pairs, answer.Value("renew before", r.RenewBefore, ", when ", r.RenewBecause))
	}
	if r.Pending {
		pairs = append(pairs, answer.Value("waits", "a request has no token yet"))
	}
	d.Head = append(d.Head, pairs)
	for i := range r.Notices {
		d.Head = append(d.Head, answer.Para(answer.Say("not used:")), text.FindingCard(r.Notices[i]))
	}
	about := answer.Pairs{text.NotProved(r.Limitations)}
	if r.Algorithms.SHA256 != "" {
		about = append(about, answer.Value("--algorithms sha256", r.Algorithms.SHA256))
	}
	blocks := []answer.Block{about}
	for _, s := range r.Steps {
		blocks = append(blocks, tokenCard(s))
	}
	d.AddFold("Evidence record"+of+", "+safetext.Count(len(r.Steps), "token"), blocks...)
}

// nameTable names the table of dates of algorithms.
func nameTable(t record.Table) string {
	switch t.Source {
	case "":
		return ""
	case "file":
		return ", by the dates of --algorithms"
	}
	return ", by the built-in dates of " + t.AsOf
}

// tokenCard shows one token.
func tokenCard(s record.StepReport) answer.Card {
	card := answer.Card{Class: "log", Heading: answer.Say("token ", s.Number, "  ", s.Kind, "  ",
		answer.Strong(string(s.Standing), answer.ToneOf(s.Standing)))}
	if s.Time == "" {
		return card
	}
	accuracy := "its accuracy is not named"
	if s.Accuracy > 0 {
		accuracy = "give or take " + strconv.FormatFloat(float64(s.Accuracy)/1e6, 'g', -1, 64) + " s"
	}
	card.Blocks = []answer.Block{answer.Pairs{answer.Value("time", s.Time, ", ", accuracy),
		answer.Value("signed by", answer.Name(s.Authority), ": ", answer.Name(cmp.Or(s.Signer, "without a name"))),
		answer.Value("serial", answer.Code(s.Serial), ", policy ", s.Policy),
		answer.Value("judged at", s.JudgedAt, ", ends ", s.Ends),
		answer.Value("rests on", strings.Join(s.RestsOn, ", "), "; hash ", string(s.Hash))}}
	return card
}
