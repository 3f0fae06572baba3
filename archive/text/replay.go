package text

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/svc-edge/svc-verify/archive/replay"
	"github.com/svc-edge/svc-verify/internal/page"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

// MostReplayed is how many objects of each effect, and how many that were not judged, a page
// names. The JSON form has more.
const MostReplayed = 50

// Replay renders a replay: what was not examined, the verdict, and what changes.
func Replay(r *replay.Result) (*page.Page, error) {
	p := page.New()
	p.Answer(r.Verdict, fmt.Sprintf("%d lost, %d gained, %d changed in another way, of %s", r.Lost, r.Gained, r.Changed,
		safetext.Count(r.Objects, "object")))
	for _, sentence := range r.NotExamined {
		p.Prose(2, "not examined: "+sentence)
	}
	replayFaults(p, r)
	p.Heading("the archive")
	p.Pairs(replayNumbers(r)...)
	if err := errors.Join(replayVerdicts(p, r), replayCodes(p, r)); err != nil {
		return nil, err
	}
	for _, effect := range []string{replay.Lost, replay.Gained, replay.Changed} {
		replayChanges(p, r, effect)
	}
	if r.MoreChanges > 0 {
		p.Prose(2, fmt.Sprintf("and %d more changes, which are counted only", r.MoreChanges))
	}
	return p, nil
}

func replayFaults(p *page.Page, r *replay.Result) {
	if len(r.NotJudged) == 0 {
		return
	}
	p.Heading("not judged")
	for _, f := range r.NotJudged[:min(len(r.NotJudged), MostReplayed)] {
		line := f.What + " " + safetext.Quote(f.Path)
		if f.Reason != "" {
			line += ": " + f.Reason
		}
		p.Prose(2, line)
	}
	more(p, int64(len(r.NotJudged)-MostReplayed)+r.MoreFaults)
}

func replayNumbers(r *replay.Result) []page.Pair {
	pairs := []page.Pair{{"objects", strconv.FormatInt(r.Objects, 10)}}
	if r.Ledger {
		pairs = append(pairs, page.Pair{"verdicts from the ledger", strconv.FormatInt(r.Believed, 10)})
	}
	return append(pairs,
		page.Pair{"judged under the old file", strconv.FormatInt(r.JudgedBefore, 10)},
		page.Pair{"that the change can touch", strconv.FormatInt(r.Touched, 10)},
		page.Pair{"judged under the new file", strconv.FormatInt(r.JudgedAfter, 10)})
}

// replayVerdicts counts the evidence by its verdicts under both files.
func replayVerdicts(p *page.Page, r *replay.Result) error {
	if len(r.Verdicts) == 0 {
		return nil
	}
	p.Heading("verdicts")
	var rows [][]string
	for _, v := range r.Verdicts {
		rows = append(rows, []string{string(v.Before), string(v.After), strconv.FormatInt(v.Objects, 10)})
	}
	return p.Table([]string{"under the old file", "under the new file", "objects"}, rows)
}

// replayCodes says in which ways verdicts change, and how often.
func replayCodes(p *page.Page, r *replay.Result) error {
	if len(r.Codes) == 0 {
		return nil
	}
	p.Heading("by code")
	var rows [][]string
	for _, c := range r.Codes[:min(len(r.Codes), MostReplayed)] {
		rows = append(rows, []string{c.Effect, strconv.FormatInt(c.Objects, 10),
			cmp.Or(string(c.Before), string(c.BeforeVerdict)), cmp.Or(string(c.After), string(c.AfterVerdict))})
	}
	if err := p.Table([]string{"", "objects", "before", "after"}, rows); err != nil {
		return err
	}
	more(p, int64(len(r.Codes)-MostReplayed))
	return nil
}

// replayChanges names the objects whose verdicts change in one way.
func replayChanges(p *page.Page, r *replay.Result, effect string) {
	all := int64(0)
	for _, c := range r.Changes {
		if c.Effect != effect {
			continue
		}
		if all++; all == 1 {
			p.Heading(effect)
		}
		if all <= MostReplayed {
			replayChange(p, &c)
		}
	}
	more(p, all-MostReplayed)
}

func replayChange(p *page.Page, c *replay.Change) {
	p.Prose(2, safetext.Quote(c.Path))
	what := string(c.Before.Verdict) + " before, " + string(c.After.Verdict) + " after"
	if c.TransactionID != "" {
		what = c.TransactionID + ": " + what
	}
	if c.After.Code != "" {
		what += ": " + string(c.After.Code)
	}
	p.Prose(4, what)
	if len(c.Because) > 0 {
		p.Prose(4, "touched by "+strings.Join(c.Because, ", "))
	}
	if c.Reason != "" {
		p.Prose(4, c.Reason)
	}
}
