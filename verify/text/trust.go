package text

import (
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/svc-edge/svc-verify/answer"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/internal/safetext"
	"github.com/svc-edge/svc-verify/trust"
	"github.com/svc-edge/svc-verify/trust/trustfile"
)

// ForgersNeeded is what every way to forge a proof needs beside nodes.
const ForgersNeeded = "A proof of an issuance that never happened needs one holder of an audit key, one of a " +
	"signer key, and the holder of a CA key that a pinned registry gives that signer; and nodes:"

// Exposure shows who could together forge a proof that a trust file accepts. Its name is quoted already.
func Exposure(e trustfile.Exposure, file string) *answer.Doc {
	d := &answer.Doc{Title: file + ": " + safetext.Count(len(e.Threats), "way") + " to forge a proof"}
	d.Lead = []answer.Block{answer.Para(answer.Say(ForgersNeeded))}
	var ways answer.Pairs
	for _, t := range e.Threats {
		if t.Nodes < 0 {
			ways = append(ways, answer.Value(t.Name, t.Needs))
			continue
		}
		ways = append(ways, answer.Pair{Label: t.Name, Value: answer.Cell{
			answer.Say(safetext.Count(t.Nodes, "node"), " ", t.Needs),
			answer.Say(t.Combinations, " choices; it shows ", t.Shows)}})
	}
	var nodes []string
	for _, h := range e.Nodes {
		name := safetext.Quote(h.Node)
		if len(h.Keys) > 1 {
			name += fmt.Sprintf(" (%d keys)", len(h.Keys))
		}
		nodes = append(nodes, name)
	}
	d.Head = []answer.Block{ways}
	keys := answer.Pairs{
		answer.Value("audit keys", answer.NameList(e.AuditKeys, answer.MostOnScreen)),
		answer.Value("signer keys", answer.NameList(e.SignerKeys, answer.MostOnScreen)),
		answer.Value("registries", "generation ", answer.NameList(e.Registries, answer.MostOnScreen)),
		answer.Value("nodes", fmt.Sprintf("%d: %s", len(nodes), strings.Join(nodes, ", "))),
		answer.Value("demanded", fmt.Sprintf("at least %s and %s", safetext.Count(e.MinimumWitnesses, "witness"),
			safetext.Count(e.MinimumApprovals, "approval")))}
	d.AddFold("Keys and demands", keys, answer.Para(answer.Say(
		"What the holder of one key can do alone: --output json")))
	return d
}

// noticeTones are the tones of notices about a trust file.
var noticeTones = map[finding.Severity]answer.Tone{trustfile.Warning: answer.Warn, finding.Info: answer.Soft}

// Notices shows what a trust file should not say. Its name is quoted already.
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
		heading := answer.Say(answer.Strong(string(first.Severity), noticeTones[first.Severity]), "  ",
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

// Fingerprints lists the fingerprints of a trust file, with that of the file itself.
func Fingerprints(root *trust.Root) *answer.Doc {
	digest := root.SHA256()
	t := answer.Table{Columns: answer.Columns("Fingerprint", "", "Role", "", "ID", "")}
	for _, f := range append(trustfile.Fingerprints(root),
		trustfile.Fingerprint{Role: "whole file", SHA256: hex.EncodeToString(digest[:])}) {
		t.Rows = append(t.Rows, answer.Row(Grouped(f.SHA256, 8), f.Role, f.ID))
	}
	return &answer.Doc{Title: "Compare these with the owners of the keys.", Head: []answer.Block{t}}
}

// Grouped writes the first groups of four digits of a digest, as people compare it.
func Grouped(digest string, groups int) string {
	var all []string
	for i := 0; i < groups && i*4+4 <= len(digest); i++ {
		all = append(all, digest[i*4:i*4+4])
	}
	return strings.Join(all, " ")
}
