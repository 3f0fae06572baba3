package seal

import (
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/verify"
)

// conclude says what is open after a seal was verified. What does not open is compared
// with nothing.
func (r *Report) conclude(opened bool, a Against) {
	for _, c := range []struct {
		read bool
		what string
	}{
		{a.Archive != nil, "object of the archive"},
		{a.Leaves != nil, "list of leaves"},
		{a.Runs != nil, "ledger"},
	} {
		if !c.read || !opened {
			r.notRead(c.what)
		}
	}
	r.unproven(NoToken, SealKeyHolder, SealEvidenceNotAsked)
}

// concludeProof says what is open after a proof was verified.
func (r *Report) concludeProof() {
	r.notRead("other object of the archive")
	r.unproven(NoToken, SealKeyHolder, SealEvidenceNotAsked)
}

// concludeMade says what is open after a seal was made.
func (r *Report) concludeMade() { r.unproven(NoToken, SealEvidenceNotAsked) }

func (r *Report) notRead(what string) {
	r.NotExamined = append(r.NotExamined, verify.LimitationOf(NotRead, "{what}", what))
}

func (r *Report) unproven(codes ...finding.Code) {
	for _, code := range codes {
		r.Limitations = append(r.Limitations, verify.LimitationOf(code))
	}
}
