package text

import (
	"encoding/hex"
	"strings"

	"github.com/svc-edge/svc-verify/answer"
	"github.com/svc-edge/svc-verify/internal/safetext"
	"github.com/svc-edge/svc-verify/trust"
	"github.com/svc-edge/svc-verify/trust/trustfile"
)

// ForgersNeeded names the holders that every way to forge a proof needs besides nodes.
const ForgersNeeded = "A proof of an issuance that never happened needs one holder of an audit key, one of a " +
	"signer key, and the holder of a CA key that a pinned registry gives that signer; and nodes:"

// TrustFile shows the pins of a trust file, and who could together forge a proof that it
// accepts. Its name is quoted already.
func TrustFile(v trustfile.Shown, file string) *answer.Doc {
	d := &answer.Doc{Title: file + ": compare these with the owners of the keys",
		Head: []answer.Block{fingerprintTable(v.Fingerprints, v.SHA256)}}
	ways, more := answer.Pairs{}, answer.Pairs{}
	for _, t := range v.Threats {
		if t.Nodes < 0 {
			ways = append(ways, answer.Value(t.Name, t.Needs))
			continue
		}
		ways = append(ways, answer.Value(t.Name, safetext.Count(t.Nodes, "node"), " ", t.Needs))
		more = append(more, answer.Value(t.Name, t.Combinations, " choices; it shows ", t.Shows))
	}
	d.Head = append(d.Head, answer.Paragraph(ForgersNeeded), ways)
	d.AddFold("Choices and demands", append(more, answer.Value("demanded", safetext.Count(v.MinimumWitnesses, "witness"),
		" and ", safetext.Count(v.MinimumApprovals, "approval"), " or more")))
	return d
}

// Notices shows the likely mistakes in a trust file. Its name is quoted already.
func Notices(notices []trustfile.Notice, file string) *answer.Doc {
	d := &answer.Doc{Title: file + ": no notices"}
	if len(notices) > 0 {
		d.Title = file + ": " + safetext.Count(len(notices), "notice")
	}
	for len(notices) > 0 {
		first, n := notices[0], 1
		for n < len(notices) && notices[n].Code == first.Code {
			n++
		}
		heading := answer.Say(answer.Strong(string(first.Severity), answer.ToneOf(first.Severity)), "  ",
			answer.Code(first.Code))
		left := answer.Rest{Command: "--output json"}.Left(0, "of them")
		d.Head = append(d.Head, answer.Card{Class: "finding", Heading: heading,
			Blocks: answer.FirstBlocks(notices[:n], left, func(n *trustfile.Notice) answer.Block {
				return answer.Entry(answer.Say(answer.Code(n.Path), ": ", n.Sentence))
			})})
		notices = notices[n:]
	}
	return d
}

// Fingerprints lists the fingerprints of the keys in a trust file, and of the file itself.
func Fingerprints(root *trust.Root) *answer.Doc {
	digest := root.SHA256()
	return &answer.Doc{Title: "Compare these with the owners of the keys.",
		Head: []answer.Block{fingerprintTable(trustfile.Fingerprints(root), hex.EncodeToString(digest[:]))}}
}

// fingerprintTable lists fingerprints, the one of the whole file last.
func fingerprintTable(all []trustfile.Fingerprint, file string) answer.Table {
	t := answer.Table{Columns: answer.Columns("Fingerprint", "", "Role", "", "ID", "")}
	for _, f := range append(all, trustfile.Fingerprint{Role: "whole file", SHA256: file}) {
		t.Rows = append(t.Rows, answer.Row(Grouped(f.SHA256, 8), f.Role, f.ID))
	}
	return t
}

// Grouped writes the first groups of four digits of a digest, as people compare it.
func Grouped(digest string, groups int) string {
	var all []string
	for i := 0; i < groups && i*4+4 <= len(digest); i++ {
		all = append(all, digest[i*4:i*4+4])
	}
	return strings.Join(all, " ")
}
