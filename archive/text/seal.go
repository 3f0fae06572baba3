package text

import (
	"fmt"
	"strconv"

	"github.com/svc-edge/svc-verify/archive/seal"
	"github.com/svc-edge/svc-verify/internal/page"
	"github.com/svc-edge/svc-verify/internal/safetext"
	"github.com/svc-edge/svc-verify/outcome"
)

// mostSealFindings is how many findings a page shows.
const mostSealFindings = 20

// Seal renders an answer about a seal or a proof. The name of what the answer is about
// is quoted already.
func Seal(r *seal.Report, name string) *page.Page {
	t := page.New()
	t.Answer(string(r.Verdict), name)
	if len(r.Findings) > 0 {
		f := r.Findings[0]
		t.Prose(2, fmt.Sprintf("decided by %s, %s; next: svc-verify explain %s", f.Code, sealPlace(f), f.Code))
	}
	limitations(t, "not examined", r.NotExamined)
	sealFacts(t, r)
	t.Heading("examined")
	e := r.Examined
	t.Pairs(page.Pair{"signatures that hold", strconv.Itoa(e.Signatures)},
		page.Pair{"leaves", strconv.FormatInt(e.Leaves, 10)},
		page.Pair{"objects read", fmt.Sprintf("%d, %d octets", e.Objects, e.Octets)},
		page.Pair{"runs of the ledger", strconv.FormatInt(e.Runs, 10)})
	sealFindings(t, r)
	limitations(t, "not proved", r.Limitations)
	return t
}

// MadeSeal renders what sealing came to: the seal, or why there is none. The name of the
// archive is quoted already.
func MadeSeal(r *seal.Report, name string) *page.Page {
	if r.Verdict != outcome.Verified {
		return Seal(r, name)
	}
	t := page.New()
	t.Answer("sealed", name)
	sealFacts(t, r)
	limitations(t, "not proved", r.Limitations)
	return t
}

// sealPlace says where a finding is.
func sealPlace(f seal.Finding) string {
	switch {
	case f.Path == "":
		return "the " + f.In
	case f.In == "archive":
		return safetext.Quote(f.Path)
	}
	return "the " + f.In + "#" + safetext.Line(f.Path)
}

// sealFacts shows what the seal says, and what object a proof is about.
func sealFacts(t *page.Page, r *seal.Report) {
	if o := r.Object; o != nil {
		t.Heading("object")
		t.Pairs(page.Pair{"path", safetext.Quote(o.Path)}, page.Pair{"octets", strconv.FormatInt(o.Size, 10)},
			page.Pair{"digest", o.Digest})
	}
	f := r.Seal
	if f == nil {
		return
	}
	t.Heading("seal")
	pairs := []page.Pair{{"signed by", safetext.Quote(f.Signer)}, {"claimed time", f.SealedAt},
		{"objects", fmt.Sprintf("%d, %d octets", f.Objects, f.Octets)}, {"hash", string(f.Hash)}, {"root", f.Root},
		{"newest run", f.RunSHA256}}
	for _, d := range f.TrustFiles {
		pairs = append(pairs, page.Pair{"trust file", d})
	}
	if f.Previous != "" {
		pairs = append(pairs, page.Pair{"seal before", f.Previous})
	}
	t.Pairs(append(pairs, page.Pair{"sha-512", f.SHA512})...)
}

func sealFindings(t *page.Page, r *seal.Report) {
	if len(r.Findings) == 0 {
		return
	}
	t.Heading("findings")
	shown := r.Findings[:min(len(r.Findings), mostSealFindings)]
	for _, f := range shown {
		t.Prose(2, fmt.Sprintf("%s  %s", f.Code, sealPlace(f)))
		t.Prose(4, f.Sentence())
	}
	if more := r.More + int64(len(r.Findings)-len(shown)); more > 0 {
		t.Prose(2, fmt.Sprintf("and %d more; --output json lists up to 1,000", more))
	}
}

// limitations lists them below a heading, if there are any.
func limitations(t *page.Page, heading string, list []seal.Limitation) {
	if len(list) == 0 {
		return
	}
	t.Heading(heading)
	for _, l := range list {
		t.Prose(2, string(l.Code))
		t.Prose(4, l.Sentence)
	}
}
