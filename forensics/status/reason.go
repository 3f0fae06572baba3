package status

import (
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/verify"
)

// Reason is the code of why an answer is not definite.
type Reason = finding.Code

// Says returns the meaning of a reason, and the next step. Log is the id of the log that it is
// about.
func Says(r Reason, log string) (sentence, next string) {
	entry := r.Entry()
	return entry.Sentence, finding.Fill(entry.Next, "{log}", log)
}

// verdictOf returns the verdict that a reason leads to; without one, the answer is
// definite.
func verdictOf(r Reason) verify.Verdict {
	if r == "" {
		return verify.Verified
	}
	if r.Entry().Effect == finding.Rejects {
		return verify.Rejected
	}
	return verify.Inconclusive
}

// Limitation is something that no answer from a log shows.
type Limitation struct {
	Code finding.Code `json:"code"`
	Text string       `json:"text"`
}

func limitationsOf() (all []Limitation) {
	for _, code := range []finding.Code{asOfCheckpoint, logAsWritten} {
		entry := code.Entry()
		all = append(all, Limitation{code, entry.Sentence})
	}
	return all
}
