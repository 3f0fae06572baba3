package text

import (
	"cmp"
	"strings"

	"github.com/svc-edge/svc-verify/answer"
	"github.com/svc-edge/svc-verify/archive/bag"
	"github.com/svc-edge/svc-verify/archive/handover"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/internal/safetext"
	"github.com/svc-edge/svc-verify/verify/text"
)

// Bag shows the check of a bag: why it is not verified, the unexamined parts, the faults, the
// verdict on its evidence, and the sender's information. The name of the bag is quoted
// already.
func Bag(r *bag.Result, place string) *answer.Doc {
	d := startAnswer(r.Verdict, place, cmp.Or(r.Reason(), "every file is listed and has its digests"),
		r.UnknownKeys(), r.NotExamined)
	addReasons(d, r.Findings, inJSON.Left(r.MoreFindings, "findings"))
	pairs := answer.Pairs{answer.Value("payload", safetext.Count(r.Payload.Files, "file"), ", ",
		safetext.Count(r.Payload.Octets, "octet"), "; ", r.Payload.Intact, " intact")}
	if e := r.Evidence; e != nil {
		text.AddEntries(d, e.NotVerified, inJSON.Left(e.More, ""), func(o *bag.Object) (finding.Code, answer.Block) {
			return o.Code, answer.Entry(answer.Say(answer.Strong(string(o.Verdict), answer.Bad), "  ", answer.Name(o.Name)),
				text.FoundAt(o.Code, o.Pointer, o.Reason))
		})
		d.Head = append(d.Head, saidBlocks(&e.Said)...)
		addSaid(d, &e.Said)
		pairs = append(pairs, answer.Value("evidence", string(e.Verdict), ": ", joinCounts(count(e.Verified, "verified"),
			count(e.Rejected, "rejected"), count(e.Inconclusive, "inconclusive"), count(e.Other, "no evidence"))),
			proofsPair(&e.Said), answer.Value("trust sha256", answer.Code(e.TrustSHA256)))
	}
	d.Head = append(d.Head, pairs)
	d.AddFold("How the bag was compared", answer.Pairs{answer.Value("digests", strings.Join(r.Algorithms, ", ")),
		answer.Value("tag files", r.TagFiles), answer.Value("version", answer.Name(r.Version))})
	if len(r.Info) > 0 {
		var info answer.Pairs
		shown, more := answer.Cut(r.Info, answer.MostRows)
		for _, tag := range shown {
			info = append(info, answer.Value(safetext.Quote(tag.Label), answer.Name(tag.Value)))
		}
		d.AddFold("Statements of the sender", info, inJSON.Left(more, ""))
	}
	return d
}

// Export shows an export: the unexamined parts, the obstacles, and the place of the bag.
func Export(r *handover.Result) *answer.Doc {
	d := startAnswer(r.Verdict, safetext.Count(r.Payload.Files, "object")+" in the bag",
		cmp.Or(r.Reason(), "the bag has every object as the ledger has it"), r.UnknownKeys, r.NotExamined)
	addReasons(d, r.Findings, inJSON.Left(r.MoreFindings, "findings"))
	var pairs answer.Pairs
	if r.Bag != "" {
		pairs = answer.Pairs{answer.Value("bag", answer.Name(r.Bag)), answer.Value("octets", r.Payload.Octets),
			answer.Value("archive", answer.Code(r.Archive))}
	}
	pairs = append(pairs, proofsPair(&r.Said), answer.Value("newest run", r.Run), answer.Value("run sha256",
		answer.Code(r.RunSHA256)))
	d.Head = append(append(d.Head, pairs), saidBlocks(&r.Said)...)
	return d
}
