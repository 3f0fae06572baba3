package record

import (
	"slices"
	"strings"
	"time"

	"github.com/svc-edge/svc-verify/archive/seal"
	"github.com/svc-edge/svc-verify/archive/timestamp"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/internal/form"
	"github.com/svc-edge/svc-verify/outcome"
	"github.com/svc-edge/svc-verify/verify"
)

// judgeSeal judges the signatures of the seal at the time of the first token.
func (j *judge) judgeSeal() {
	sealed := j.subject.Sealed
	if sealed == nil {
		return
	}
	at := j.until(0)
	if pin := sealed.Pin; len(j.all) > 0 && !pin.ValidAt(at) {
		j.add(0, finding.At(SealTooLate, sealName,
			"a token from when the keys of "+pin.Name+" are pinned, "+pin.Validity(), form.FormatTime(at)))
	}
	var failed *finding.InDocument
	for _, name := range []string{"ed25519", "ml-dsa-65"} { // each alone would do
		f := j.believed(timestamp.Algorithm{Name: name}, at, sealName)
		if f == nil {
			return
		}
		if failed == nil || f.Code == Unlisted {
			failed = f
		}
	}
	j.add(0, *failed)
}

// sealName is the path of a finding about the signatures of the seal.
const sealName = "seal"

// judgeToken judges a token at the time of the next one, by the revocation data in it and, for
// the last, by the caller's.
func (j *judge) judgeToken(i int) {
	l, number := j.all[i], i+1
	token := l.chain.Token
	at, newest := j.until(number), number == len(j.all)
	var evidence []timestamp.Evidence
	if newest {
		evidence = j.options.Revocation
	}
	standing := l.chain.Judge(at, evidence)
	step := &j.Steps[i]
	step.Time, step.Accuracy = form.FormatTime(token.Time), token.Accuracy.Microseconds()
	step.Authority, step.Signer, step.Policy = l.chain.Authority.Name, l.chain.Way[0].Subject.String(), token.Policy
	step.Serial, step.JudgedAt, step.Ends = token.Serial.Text(16), form.FormatTime(at), form.FormatTime(standing.Until)
	j.order(i)
	if standing.Fault != nil {
		j.add(number, finding.InDocument(*standing.Fault))
	}
	for _, f := range standing.Open {
		j.add(number, finding.InDocument(*f))
	}
	for _, f := range standing.Unused {
		j.notice(number, f)
	}
	rests := append([]timestamp.Algorithm{{Name: string(l.hash)}}, l.chain.RestsOn...)
	for _, a := range timestamp.Distinct(append(rests, standing.RestsOn...)) {
		step.RestsOn = append(step.RestsOn, a.String())
		if f := j.believed(a, at, placeOf(number)); f != nil {
			j.add(number, *f)
		}
		if newest {
			j.dueBy(a)
		}
	}
	if newest {
		j.due(standing.Until, "a certificate of the newest token, or the pin of its authority, ends")
	}
}

// order adds a finding unless a token is later than the one before and than the seal,
// and not later than the check.
func (j *judge) order(i int) {
	token := j.all[i].chain.Token
	wrong := func(expected string) {
		j.add(i+1, finding.At(TokenOrder, placeOf(i+1), expected, form.FormatTime(token.Time)))
	}
	if sealed := j.subject.Sealed; i == 0 && sealed != nil &&
		token.Latest().Before(sealed.SealedAt.Truncate(time.Second)) { // many name whole seconds
		wrong("a time after the seal's, " + form.FormatTime(sealed.SealedAt))
	}
	if i > 0 {
		if before := j.all[i-1].chain.Token.Time; !token.Time.After(before) {
			wrong("a time after the token before, " + form.FormatTime(before))
		}
	}
	if token.Time.Add(-token.Accuracy).After(j.options.At) {
		wrong("a time up to the check, " + form.FormatTime(j.options.At))
	}
}

// judgeHashes judges the hash of each chain when the next one took over. Without a record it
// judges the hash of the seal's tree.
func (j *judge) judgeHashes() {
	if len(j.all) == 0 && j.subject.Sealed != nil {
		j.judgeHash(0, 0, j.subject.Sealed.Hash)
	}
	number := 0
	for c := range j.record.Chains {
		chain := &j.record.Chains[c]
		first := number + 1
		number += len(chain.Stamps)
		j.judgeHash(first, number, chain.Hash)
	}
}

// judgeHash judges a hash from its first time stamp to the last one under it.
func (j *judge) judgeHash(first, last int, h timestamp.Hash) {
	a := timestamp.Algorithm{Name: string(h)}
	if f := j.believed(a, j.until(last), "the tree over the objects"); f != nil {
		j.add(first, *f)
	}
	if last == len(j.all) {
		j.dueBy(a)
	}
}

// believed returns a finding unless an algorithm is believed at a time.
func (j *judge) believed(a timestamp.Algorithm, at time.Time, place string) *finding.InDocument {
	end, listed := j.options.Algorithms.Until(a)
	switch {
	case at.Before(end):
		return nil
	case !listed:
		f := &finding.InDocument{Code: Unlisted, Path: place, Expected: "a row for " + a.String(), Found: "none"}
		if !end.IsZero() {
			f.Found = "none after " + form.FormatTime(end)
		}
		return f
	default:
		return &finding.InDocument{Code: Retired, Path: place, Expected: a.String() + " before " +
			form.FormatTime(end), Found: form.FormatTime(at)}
	}
}

// dueBy notes the end of an algorithm.
func (j *judge) dueBy(a timestamp.Algorithm) {
	end, _ := j.options.Algorithms.Until(a)
	j.due(end, a.String()+" is believed no more")
}

func (j *judge) notice(step int, f *timestamp.Fault) {
	notice := finding.InDocument(*f)
	notice.Step = step
	j.Notices = append(j.Notices, notice)
}

// conclude adds the unexamined parts and the limitations.
func (j *judge) conclude() {
	if len(j.record.Chains) == 0 {
		j.Limitations = append(j.Limitations, verify.LimitationOf(seal.NoToken))
	} else {
		j.Limitations = append(j.Limitations, verify.LimitationOf(TimeRestsOnToken))
		if j.Verdict == outcome.Verified {
			j.ExistedBefore = form.FormatTime(j.all[0].chain.Token.Latest())
		}
	}
	if n := len(j.all); n > 0 && n == j.record.Stamps() && classical(j.all[n-1].chain) {
		j.Limitations = append(j.Limitations, verify.LimitationOf(ClassicalToken))
	}
	if table := j.Algorithms; table.AsOf != "" {
		j.Limitations = append(j.Limitations, verify.LimitationOf(AlgorithmsBuiltIn, "{day}", table.AsOf))
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
