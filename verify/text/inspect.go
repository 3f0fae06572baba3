package text

import (
	"fmt"
	"strings"

	"github.com/svc-edge/svc-verify/answer"
	"github.com/svc-edge/svc-verify/internal/safetext"
	"github.com/svc-edge/svc-verify/verify"
	"github.com/svc-edge/svc-verify/verify/inspect"
)

// Unverified is the verdict of an overview.
const Unverified = "unverified"

// Overview shows the content of a bundle. Its name is quoted already.
func Overview(o inspect.Overview, file string) *answer.Doc {
	d := answer.NewAnswer(Unverified, file)
	reason := "The bundle says this of itself. No signature was checked."
	if len(o.Faults) > 0 {
		reason = safetext.Count(len(o.Faults), "fault") + " in the form of the bundle. No signature was checked."
		AddNextStep(d, o.Faults[0].Code)
	}
	d.Lead = []answer.Block{answer.Paragraph(reason)}
	pairs := answer.Pairs{answer.Value("sha256", answer.Code(o.SHA256)), answer.Value("form", o.Form)}
	faults := answer.Left{Of: "faults", Rest: answer.Rest{Command: "--output json"}}
	d.Lead = append(d.Lead, answer.FirstBlocks(o.Faults, faults, func(f *verify.Finding) answer.Block {
		return FindingCard(*f)
	})...)
	if o.Parts != nil {
		pairs = append(pairs, partsPairs(o.Parts)...)
		d.AddFold("Issuer, manifest, path and registries", backgroundPairs(o.Parts))
	}
	d.Head = []answer.Block{pairs}
	if len(o.Signed) > 0 {
		var list answer.Pairs
		for _, s := range o.Signed {
			list = append(list, answer.Value(safetext.Quote(s.Path), answer.Name(s.KeyID), mainClaims(s)))
		}
		d.AddFold(safetext.Count(len(o.Signed), "signed statement"), list)
	}
	return d
}

// mainClaims returns a statement's decision and its time.
func mainClaims(s inspect.Signed) string {
	text := ""
	for _, c := range s.Says {
		switch {
		case c.Member == "node_id" || c.Member == "expires_at":
		case strings.HasSuffix(c.Member, "_at"):
			text += ", " + safetext.Quote(c.Value)
		default:
			text += ", " + c.Member + " " + safetext.Quote(c.Value)
		}
	}
	return text
}

// partsPairs are the main parts of a bundle.
func partsPairs(b *inspect.Parts) answer.Pairs {
	t, c := b.Terms, b.Checkpoint
	pairs := answer.Pairs{
		answer.Value("transaction", answer.Name(b.TransactionID), " of tenant ", answer.Name(b.TenantID)),
		answer.Value("status", answer.Name(b.Status)),
		answer.Value("terms", answer.Name(t.WorkloadProfile), ", ", answer.Name(t.Algorithm),
			fmt.Sprintf(", for %d s, at least "+
				"%s, policy version %d", t.LifetimeSeconds, safetext.Count(t.RequiredApprovals, "approval"), t.PolicyVersion)),
		answer.Value("names", answer.NameList(t.Names, answer.MostOnScreen)),
	}
	if len(b.Certificates) > 0 {
		pairs = append(pairs, certificatePairs("certificate", &b.Certificates[0])...)
	}
	return append(pairs, answer.Value("checkpoint", fmt.Sprintf("event %d of ", c.Sequence), answer.Name(c.LogID), ", ",
		c.CreatedAt), answer.Value("head", answer.Code(c.Head)))
}

func certificatePairs(label string, c *inspect.Certificate) answer.Pairs {
	return answer.Pairs{answer.Value(label, answer.Name(c.Subject), ", serial ", answer.Name(c.Serial), ", valid ",
		c.NotBefore, " to ", c.NotAfter), answer.Value("", answer.Code(c.SHA256))}
}

// backgroundPairs are the other parts of a bundle.
func backgroundPairs(b *inspect.Parts) answer.Pairs {
	c := b.Checkpoint
	pairs := answer.Pairs{answer.Value("manifest", answer.Code(b.Manifest)),
		answer.Value("usages", answer.NameList(b.Terms.ExtendedKeyUsages, answer.MostOnScreen)),
		answer.Value("path", safetext.Count(len(b.Path), "link")),
		answer.Value("checkpoint", answer.Name(c.Protocol), fmt.Sprintf(", %s demanded", safetext.Count(c.RequiredWitnesses,
			"witness")))}
	if len(b.Certificates) > 1 {
		pairs = append(pairs, certificatePairs("issuer", &b.Certificates[1])...)
	}
	for _, r := range b.Registries {
		pairs = append(pairs, answer.Value("registry", fmt.Sprintf("generation %d of %s, signers ", r.Generation,
			r.CreatedAt),
			answer.NameList(r.Signers, answer.MostOnScreen)), answer.Value("", answer.Code(r.SHA256)))
	}
	return pairs
}
