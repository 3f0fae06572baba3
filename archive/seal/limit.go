package seal

import "github.com/svc-edge/svc-verify/finding"

// limit returns a limitation by its code.
func limit(code finding.Code) Limitation {
	entry, known := finding.Lookup(code)
	if !known {
		panic("seal: no limitation " + code)
	}
	return Limitation{Code: code, Sentence: entry.Sentence}
}

// conclude says what is open after a seal was verified. What does not open is compared
// with nothing.
func (r *Report) conclude(opened bool, a Against) {
	for _, c := range []struct {
		read bool
		code finding.Code
	}{
		{a.Archive != nil, SealArchiveNotRead},
		{a.Leaves != nil, SealLeavesNotRead},
		{a.Runs != nil, SealLedgerNotRead},
	} {
		if !c.read || !opened {
			r.NotExamined = append(r.NotExamined, limit(c.code))
		}
	}
	r.unproven(SealTimeClaimed, SealKeyHolder, SealEvidenceNotAsked)
}

// concludeProof says what is open after a proof was verified.
func (r *Report) concludeProof() {
	r.NotExamined = append(r.NotExamined, limit(SealOthersNotRead))
	r.unproven(SealTimeClaimed, SealKeyHolder, SealEvidenceNotAsked)
}

// concludeMade says what is open after a seal was made.
func (r *Report) concludeMade() { r.unproven(SealTimeClaimed, SealEvidenceNotAsked) }

func (r *Report) unproven(codes ...finding.Code) {
	for _, code := range codes {
		r.Limitations = append(r.Limitations, limit(code))
	}
}
