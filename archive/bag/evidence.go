package bag

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"

	"github.com/svc-edge/svc-verify/archive/object"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/internal/safetext"
	"github.com/svc-edge/svc-verify/outcome"
)

// Evidence contains the verdicts on the objects in the payload under a trust file. Only
// objects that have their digests are judged.
type Evidence struct {
	Verdict      outcome.Class `json:"verdict"`
	TrustSHA256  string        `json:"trust_sha256"`
	Verified     int64         `json:"verified"`
	Rejected     int64         `json:"rejected"`
	Inconclusive int64         `json:"inconclusive"`
	Other        int64         `json:"other"` // that are no evidence
	object.Said                // its names are names of files in the bag
	NotVerified  []Object      `json:"not_verified"` // the first
	More         int64         `json:"more_not_verified"`

	all   []Object
	facts map[string]*object.Facts // the facts of the first objects, by their names
}

// Object is an object that did not verify. Name is the name of its file in the bag, as text
// (SPEC 15.1). Reason is a sentence.
type Object struct {
	Name    string        `json:"name"`
	Kind    object.Kind   `json:"kind"`
	Verdict outcome.Class `json:"verdict"`
	Code    finding.Code  `json:"code"`
	Pointer string        `json:"pointer"`
	Reason  string        `json:"reason"`
}

// evidence returns the results on the evidence so far.
func (c *checker) evidence() *Evidence {
	if c.result.Evidence == nil {
		c.result.Evidence = &Evidence{Said: object.NewSaid(), facts: map[string]*object.Facts{}}
	}
	return c.result.Evidence
}

// judge judges an object of the payload, if requested.
func (c *checker) judge(ctx context.Context, name string, o octets, size int64, s *sums) error {
	if c.options.Judge == nil {
		return nil
	}
	var judged object.Judgement
	var err error
	if size <= object.Most {
		content := make([]byte, size)
		if _, err = o.ReadAt(content, 0); err == nil || errors.Is(err, io.EOF) {
			judged, err = c.options.Judge.Octets(ctx, content)
		}
	} else {
		f := object.File{Octets: o, Size: size}
		s[ofSHA256].Sum(f.SHA256[:0])
		judged, err = c.options.Judge.File(ctx, f)
	}
	if errors.Is(err, object.ErrChanged) {
		c.say(Unreadable, name, 0, "%s", safetext.Line(err.Error()))
		return nil
	}
	if err == nil {
		c.evidence().add(name, &judged)
		err = c.evidence().say(name, &judged)
	}
	return err
}

// mostSaid limits the number of objects whose facts a report contains.
const mostSaid = 10_000

// say keeps the facts of an object.
func (e *Evidence) say(name string, j *object.Judgement) error {
	if j.Verdict == "" {
		return nil
	}
	if len(e.facts) < mostSaid {
		e.facts[object.PathText(name)] = &j.Facts
	}
	return e.Said.Add(name, j.Facts.Tally(), func() (*object.Facts, error) { return &j.Facts, nil })
}

// add counts a judgement.
func (e *Evidence) add(name string, j *object.Judgement) {
	switch j.Verdict {
	case outcome.Verified:
		e.Verified++
		return
	case "":
		e.Other++
		return
	case outcome.Rejected:
		e.Rejected++
	default:
		e.Inconclusive++
	}
	e.all = append(e.all, Object{object.PathText(name), j.Kind, j.Verdict, j.Code, j.Pointer, j.Reason})
}

// conclude decides. A bag without evidence is no proof of anything.
func (e *Evidence) conclude(j *object.Judge) {
	trust := j.Context().Trust
	e.TrustSHA256 = hex.EncodeToString(trust[:])
	switch {
	case e.Rejected > 0:
		e.Verdict = outcome.Rejected
	case e.Inconclusive > 0 || e.Verified == 0:
		e.Verdict = outcome.Inconclusive
	default:
		e.Verdict = outcome.Verified
	}
	e.Said.Conclude()
	e.NotVerified = append([]Object{}, e.all[:min(len(e.all), shown)]...)
	e.More = int64(len(e.all) - len(e.NotVerified))
}

// reason explains in one sentence why the evidence is not verified.
func (e *Evidence) reason() string {
	if e.Verified+e.Rejected+e.Inconclusive == 0 {
		return "no evidence in the bag was verified"
	}
	return fmt.Sprintf("of the evidence in the bag, %d verified, %d rejected and %d inconclusive", e.Verified, e.Rejected,
		e.Inconclusive)
}
