package main

import (
	"slices"
	"time"

	"github.com/svc-edge/svc-verify/answer"
	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/forensics/custody"
	"github.com/svc-edge/svc-verify/forensics/query"
	"github.com/svc-edge/svc-verify/forensics/report"
	"github.com/svc-edge/svc-verify/forensics/store"
	"github.com/svc-edge/svc-verify/forensics/verdict"
	"github.com/svc-edge/svc-verify/internal/progress"
	"github.com/svc-edge/svc-verify/internal/safetext"
	"github.com/svc-edge/svc-verify/internal/userkey"
)

// keptBy returns the keeper of the journal. It is called before each opening of a case: the heads that
// the user remembers must be older than the journal that is compared with them.
func (c *invocation) keptBy() *store.Custodian {
	if c.custodian == nil {
		c.custodian = &store.Custodian{Command: c.name, Version: version, Now: time.Now, Opened: c.takeJournal,
			Thorough: c.name == "note" && len(c.Args) == 1,
			Remember: func(at userkey.Head) { c.sayForgotten(userkey.KeepHead(at)) }}
	}
	known, err := userkey.Heads()
	c.sayForgotten(err)
	c.custodian.Known = known
	return c.custodian
}

// sayForgotten reports once why no journal is remembered.
func (c *invocation) sayForgotten(err error) {
	if err != nil && !c.forgetful {
		c.forgetful = true
		c.sayLine("the journals of cases are not remembered: %s", safetext.Line(err.Error()))
	}
}

// takeJournal reports once the first fault of the journal of the case. A fault that an entry states was
// reported when the entry was made.
func (c *invocation) takeJournal(j *custody.Journal) {
	first := c.journal == nil
	c.journal = j
	i := slices.IndexFunc(j.Faults, func(f custody.Fault) bool { return f.What != custody.CutEarlier })
	if first && i >= 0 {
		c.sayLine("the journal of custody does not fit: %s; svc-verify note lists all of it",
			safetext.Line(j.Faults[i].Sentence()))
	}
}

// showEntries answers with the journal of the case, or with the notes about a subject.
func (c *invocation) showEntries(about *custody.Subject) *reply {
	out := query.CustodyOf(c.journal, about)
	return &reply{code: anyOf(len(out.Entries) > 0), json: out,
		doc: func() *answer.Doc { return report.Custody(out, c.caseName()) }}
}

func noteCase(c *invocation) *reply {
	note := custody.Note{By: c.Text("by"), Text: c.Text("text"), Tags: c.List("tag"), Explained: c.Switch("explained")}
	if len(c.Args) == 1 || c.countGiven("text", "tag", "explained") == 0 {
		refuseIf(c.countGiven("by", "text", "tag", "explained") > 0, "a note has NAME, and --text, --tag or --explained")
		return c.showEntries(c.subjectIn(c.openCase()))
	}
	c.requirePaths(c.Args[:1])
	c.interruptContext()
	c.newMeter(progress.Number)
	w := closeLater(c, c.openWriter())
	c.sayStanding(w.Standing())
	note.Subject = *c.subjectIn(mustHave(w.Case(c.ctx, store.Judging{})))
	err := note.Check()
	refuseIf(err != nil, "the note cannot be kept: %s", err)
	stopOn(c.caseFault(store.AddNote(w, note)))
	return c.showEntries(&note.Subject)
}

// subjectIn returns the subject in a case that the argument NAME names, nil without it.
func (c *invocation) subjectIn(in *store.Case) *custody.Subject {
	if len(c.Args) == 1 {
		return nil
	}
	about := mustHave(query.FindSubject(c.ctx, in, c.lastWalk(in, chain.Hash{}), c.Args[1]))
	refuseIf(about == nil, "the case has no incident, event, source or transaction %s: walk prints the names of "+
		"incidents, and an event is LOG:SEQUENCE", safetext.Quote(c.Args[1]))
	return about
}

func showChanges(c *invocation) *reply {
	in, since := c.openCase(), int64(0)
	if c.Given("since") {
		since = int64(c.Number("since"))
	}
	out := mustHave(verdict.ChangesSince(c.ctx, in, since))
	if out == nil {
		c.sayLine("there are no two walks of yours to compare, of this version of the program: svc-verify walk")
		return &reply{code: exitInconclusive}
	}
	return &reply{json: out, doc: func() *answer.Doc { return report.Changes(out, c.askedOf()) }}
}
