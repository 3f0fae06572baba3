package record

import (
	"slices"
	"strings"

	"github.com/svc-edge/svc-verify/archive/seal"
	"github.com/svc-edge/svc-verify/archive/timestamp"
	"github.com/svc-edge/svc-verify/internal/form"
	"github.com/svc-edge/svc-verify/outcome"
	"github.com/svc-edge/svc-verify/verify"
)

// conclude says what was not examined, and what is not proven.
func (j *judge) conclude() {
	if len(j.record.Chains) == 0 {
		j.Limitations = append(j.Limitations, verify.LimitationOf(NoToken))
	} else {
		j.Limitations = append(j.Limitations, verify.LimitationOf(TimeRestsOnToken))
		if j.Verdict == outcome.Verified {
			j.ExistedBefore = form.FormatTime(j.all[0].chain.Token.Latest())
		}
	}
	if n := len(j.all); n > 0 && n == j.record.Stamps() && classical(j.all[n-1].chain) {
		j.Limitations = append(j.Limitations, verify.LimitationOf(ClassicalToken))
	}
	if j.options.Algorithms == nil {
		j.NotExamined = append(j.NotExamined, verify.LimitationOf(AlgorithmsNotGiven))
	}
	if !j.options.DataRead && j.subject.Sealed != nil {
		j.NotExamined = append(j.NotExamined, verify.LimitationOf(seal.NotRead, "{what}", "object of the archive"))
	}
	if len(j.all) < j.record.Stamps() {
		j.NotExamined = append(j.NotExamined, verify.LimitationOf(NotJudged))
	}
}

// classical reports whether a token falls to a quantum computer.
func classical(c *timestamp.Chain) bool {
	return slices.ContainsFunc(c.RestsOn, func(a timestamp.Algorithm) bool {
		return a.Name == "rsa" || a.Name == "ecdsa" || strings.HasPrefix(a.Name, "ed25519")
	})
}
