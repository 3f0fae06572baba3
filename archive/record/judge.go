package record

import (
	"fmt"
	"time"

	"github.com/svc-edge/svc-verify/archive/timestamp"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/internal/form"
)

// until returns the time at which a step is judged; step 0 is the seal.
func (j *judge) until(step int) time.Time {
	if step < len(j.links) {
		return j.links[step].chain.Token.Latest()
	}
	return j.options.At
}

// judgeSeal judges the signatures of the seal at the time of the first token.
func (j *judge) judgeSeal() {
	at := j.until(0)
	if pin := j.sealed.Pin; len(j.links) > 0 && !pin.ValidAt(at) {
		j.add(0, finding.InDocument{Code: SealTooLate, Path: sealName,
			Expected: "a token from when the keys of " + pin.Name +
				" are pinned, " + pin.Validity(), Found: form.FormatTime(at)})
	}
	if j.options.Algorithms == nil {
		return
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

// judgeLink judges a token at the time of the next one.
func (j *judge) judgeLink(i int) {
	l, number := j.links[i], i+1
	token := l.chain.Token
	at := j.until(number)
	evidence := j.options.Revocation
	if number < len(j.links) {
		evidence = j.links[number].evidence
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
	rests := append([]timestamp.Algorithm{{Name: string(l.tree.Hash)}}, l.chain.RestsOn...)
	for _, a := range timestamp.Distinct(append(rests, standing.RestsOn...)) {
		step.RestsOn = append(step.RestsOn, a.String())
		if f := j.believed(a, at, stepName(number)+"/"+tokenName); f != nil {
			j.add(number, *f)
		}
		if number == len(j.links) {
			j.dueBy(a)
		}
	}
	if number == len(j.links) {
		j.due(standing.Until, "a certificate of the newest token, or the pin of its authority, ends")
	}
}

// order adds a finding unless a token is later than the one before and than the seal,
// and not later than the check.
func (j *judge) order(i int) {
	token := j.links[i].chain.Token
	wrong := func(expected string) {
		j.add(i+1, finding.InDocument{Code: TokenOrder, Path: stepName(i+1) + "/" + tokenName, Expected: expected,
			Found: form.FormatTime(token.Time)})
	}
	if second := j.sealed.SealedAt.Truncate(time.Second); i == 0 &&
		token.Latest().Before(second) { // many name whole seconds
		wrong("a time after that of the seal, " + form.FormatTime(j.sealed.SealedAt))
	}
	if i > 0 {
		if before := j.links[i-1].chain.Token.Time; !token.Time.After(before) {
			wrong("a time after that of the token before, " + form.FormatTime(before))
		}
	}
	if token.Time.Add(-token.Accuracy).After(j.options.At) {
		wrong("a time up to that of the check, " + form.FormatTime(j.options.At))
	}
}

// judgeTrees judges the hash of each tree when the next one took over, and compares
// the trees with the data.
func (j *judge) judgeTrees() {
	for step := 0; step <= len(j.links); step++ {
		tree := j.tree(step)
		if step > 0 && tree.Hash == j.tree(step-1).Hash {
			continue
		}
		end := step
		for end < len(j.links) && j.tree(end+1).Hash == tree.Hash {
			end++
		}
		if f := j.believed(timestamp.Algorithm{Name: string(tree.Hash)}, j.until(end), "the tree over the data"); f != nil {
			j.add(step, *f)
		}
		if end == len(j.links) {
			j.dueBy(timestamp.Algorithm{Name: string(tree.Hash)})
		}
		for _, now := range j.options.Trees {
			if now.Hash == tree.Hash && !now.Equal(tree) {
				j.add(step, finding.InDocument{Code: ChainData, Path: "the data", Expected: describeTree(tree),
					Found: describeTree(now)})
			}
		}
	}
}

func describeTree(t Tree) string {
	return fmt.Sprintf("%d objects of %d octets, %s root %.16x", t.Objects, t.Octets, t.Hash, t.Root)
}

// believed returns a finding unless an algorithm is believed at a time. Without a file
// of dates all are.
func (j *judge) believed(a timestamp.Algorithm, at time.Time, place string) *finding.InDocument {
	if j.options.Algorithms == nil {
		return nil
	}
	end, listed := j.options.Algorithms.Until(a)
	switch {
	case !listed:
		return &finding.InDocument{Code: Unlisted, Path: place, Expected: "a row for " + a.String(), Found: "none"}
	case !at.Before(end):
		return &finding.InDocument{Code: Retired, Path: place, Expected: a.String() + " before " +
			form.FormatTime(end), Found: form.FormatTime(at)}
	}
	return nil
}

// dueBy notes the end of an algorithm.
func (j *judge) dueBy(a timestamp.Algorithm) {
	if j.options.Algorithms != nil {
		end, _ := j.options.Algorithms.Until(a)
		j.due(end, a.String()+" is believed no more")
	}
}

func (j *judge) notice(step int, f *timestamp.Fault) {
	notice := finding.InDocument(*f)
	notice.Step = step
	j.Notices = append(j.Notices, notice)
}
