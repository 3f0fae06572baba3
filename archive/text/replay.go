package text

import (
	"fmt"
	"slices"
	"strings"

	"github.com/svc-edge/svc-verify/answer"
	"github.com/svc-edge/svc-verify/archive/replay"
	"github.com/svc-edge/svc-verify/internal/safetext"
	"github.com/svc-edge/svc-verify/outcome"
	"github.com/svc-edge/svc-verify/trust/change"
)

// Replay shows a replay of a change: the unexamined parts, and the verdicts that change.
func Replay(r *replay.Result, c change.Difference) *answer.Doc {
	reason := "no verdict changes"
	if n := r.Lost + r.Gained + r.Changed; n > 0 {
		reason = safetext.Count(n, "changed verdict")
	}
	d := startAnswer(outcome.Class(r.Verdict), fmt.Sprintf("%d lost, %d gained, %d changed in another way, of %s",
		r.Lost, r.Gained,
		r.Changed, safetext.Count(r.Objects, "object")), reason, nil, r.NotExamined)
	d.Head = append(d.Head, answer.FirstBlocks(r.NotJudged, inJSON.Left(r.MoreFaults, "objects that were not judged"),
		func(f *replay.Fault) answer.Block {
			return answer.Para(answer.Say(f.What, " ", answer.Name(f.Path), "  ", f.Reason))
		})...)
	for _, effect := range []string{replay.Lost, replay.Gained, replay.Changed} {
		d.Head = append(d.Head, changedVerdicts(r, effect)...)
	}
	if r.MoreChanges > 0 {
		d.Head = append(d.Head, answer.Para(answer.Say("and ", r.MoreChanges, " more changes, which are counted only")))
	}
	verdicts := answer.Table{Columns: answer.Columns("Under the old file", "", "Under the new file", "", "Objects",
		"number")}
	for _, v := range r.Verdicts {
		verdicts.Rows = append(verdicts.Rows, answer.Row(string(v.Before), string(v.After), v.Objects))
	}
	d.Head = append(d.Head, verdicts, replayPairs(r))
	difference := Difference(c)
	d.AddSections(answer.Section{Heading: difference.Title, Blocks: difference.Head})
	d.AddSections(difference.Sections...)
	return d
}

// replayPairs counts the judged objects.
func replayPairs(r *replay.Result) answer.Pairs {
	believed := ""
	if r.Ledger {
		believed = safetext.Count(r.Believed, "verdict") + " of the ledger, "
	}
	return answer.Pairs{answer.Value("judged",
		fmt.Sprintf("%s%d under the old file, %d under the new file; the change can touch %d",
			believed, r.JudgedBefore, r.JudgedAfter, r.Touched))}
}

// changedVerdicts name the objects whose verdicts change in one way.
func changedVerdicts(r *replay.Result, effect string) []answer.Block {
	changes := slices.DeleteFunc(slices.Clone(r.Changes), func(c replay.Change) bool { return c.Effect != effect })
	return answer.FirstBlocks(changes, inJSON.Left(0, effect), func(c *replay.Change) answer.Block {
		because := answer.Say("touched by ", strings.Join(c.Because, ", "))
		if len(c.Because) == 0 {
			because = nil
		}
		return answer.Entry(answer.Say(effect, "  ", answer.Name(c.Path), "  ", safetext.Line(c.TransactionID)),
			answer.Say(string(c.Before.Verdict), " before, ", string(c.After.Verdict), " after  ", answer.Code(c.After.Code)),
			because, answer.Say(c.Reason))
	})
}
