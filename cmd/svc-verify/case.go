package main

import (
	"context"
	"runtime"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/forensics/examine"
	"github.com/svc-edge/svc-verify/forensics/report"
	"github.com/svc-edge/svc-verify/forensics/store"
	"github.com/svc-edge/svc-verify/forensics/verdict"
	"github.com/svc-edge/svc-verify/internal/access"
	"github.com/svc-edge/svc-verify/internal/progress"
	"github.com/svc-edge/svc-verify/internal/safetext"
	"github.com/svc-edge/svc-verify/internal/userkey"
	"github.com/svc-edge/svc-verify/trust"
)

// caseFile is the file of the case: the first argument of a command on a case, or --case.
func (c *invocation) caseFile() string {
	if c.Declares("case") {
		return keptFile(c.Text("case"))
	}
	return keptFile(c.Args[0])
}

// keptFile refuses a stream in the place of a file that the command writes or keeps.
func keptFile(name string) string {
	refuseIf(name == "-", "- is no file, and one is needed for what is written or kept: ./- is a file of this name")
	return name
}

// openCase opens the case for reading, and shows that the command works.
func (c *invocation) openCase() *store.Case {
	c.interruptContext()
	c.newMeter(progress.Number)
	in := closeLater(c, c.readCase())
	c.sayStanding(in.Standing())
	return in
}

// readCase opens the case for reading. The caller closes it.
func (c *invocation) readCase() *store.Case {
	in, err := store.OpenCase(c.caseFile(), c.caseOptions(c.interruptContext())...)
	stopOn(c.caseFault(err))
	return in
}

// caseName is the name of the case as it is shown.
func (c *invocation) caseName() string { return safetext.Quote(c.caseFile()) }

// askedOf returns the question of a command.
func (c *invocation) askedOf() report.Asked {
	q := report.Asked{Name: c.caseName(), Case: c.caseFile()}
	if c.Declares("trust") {
		q.Trust = c.trustPath()
	}
	return q
}

// caseFault returns which case an error is about.
func (c *invocation) caseFault(err error) error {
	if err == nil {
		return nil
	}
	return &fileFault{"case " + c.caseName(), access.WithoutPath(err)}
}

// fileFault is an error about a file, whose name is quoted.
type fileFault struct {
	file string
	err  error
}

func (f *fileFault) Error() string { return f.file + ": " + safetext.Line(f.err.Error()) }
func (f *fileFault) Unwrap() error { return f.err }

// lastWalk returns the newest walk of a case under a trust file, or under any; nil without
// one. It reports how many sources came into the case after that walk.
func (c *invocation) lastWalk(in *store.Case, trust chain.Hash) *verdict.Result {
	r := mustHave(verdict.Last(c.ctx, in, trust))
	if r == nil {
		return nil
	}
	for _, l := range r.LeftOut {
		if l.What == verdict.Later {
			c.sayLine("%s came into the case after this walk and were not examined: svc-verify walk",
				safetext.Count(len(l.Items), "source"))
		}
	}
	return r
}

// examinedCase opens the case for reading, and returns the result of its last examination under a
// trust file, or of a new one if that was not of everything in it.
func (c *invocation) examinedCase(root *trust.Root) (*store.Case, *verdict.Result) {
	o, told := c.examineOptions(), false
	say := o.Remembered
	o.Remembered = func(s store.Standing, signatures int64) {
		told = true
		say(s, signatures)
	}
	examined, err := examine.Examined(c.ctx, c.caseFile(), root, o)
	c.meter.Clear()
	stopOn(c.caseFault(err))
	in := closeLater(c, c.readCase())
	if !told {
		c.sayStanding(in.Standing())
	}
	return in, examined
}

// examineOptions returns the options of all commands that can examine a case.
func (c *invocation) examineOptions() examine.Options {
	o := examine.Options{Workers: runtime.GOMAXPROCS(0), Case: c.caseOptions(c.interruptContext()),
		Remembered: func(s store.Standing, signatures int64) {
			c.sayStanding(s)
			if signatures > 0 {
				c.sayLine("not verified again: %s that held in an earlier walk under your key",
					safetext.Count(signatures, "signature"))
			}
		}}
	o.Progress = walkShownBy(c.newMeter(progress.Number))
	return o
}

// walkShownBy returns a function that shows the progress of a walk.
func walkShownBy(m *progress.Meter) func(examine.Progress) {
	return func(p examine.Progress) {
		m.Show(progress.Done{Doing: p.LogID, Read: int64(p.Sequences), Of: int64(p.Of), Events: int64(p.Sequences)})
	}
}

// caseOptions returns how a command opens its case: under the user's key, if there can be one.
// The key affects only the running time and standard error.
func (c *invocation) caseOptions(ctx context.Context) []store.Option {
	say := func(text string) { c.sayLine("%s", safetext.Line(text)) }
	options := []store.Option{store.Notify(say), store.Until(ctx), store.Custody(c.keptBy())}
	secret, err := userkey.Load()
	if err == nil {
		var key *store.Key
		if key, err = store.NewKey(secret); err == nil {
			return append(options, store.With(key))
		}
	}
	say("nothing is remembered, as there is no key: " + err.Error())
	return options
}

// standings say how far a case is believed, where that is less than if this user had made it.
var standings = map[store.Standing]string{
	store.Unknown: "your key does not vouch for the present content of this case: all of it was checked, and no " +
		"earlier walk counts",
	store.Interrupted: "a command of yours that wrote to this case was interrupted, so your key does not vouch for " +
		"its present content: all of it was checked, and no earlier walk counts",
	store.Resumed: "a command of yours that wrote to this case was interrupted; the case has not changed since your " +
		"last walk",
	store.Checked: "this case came from elsewhere, and has not changed since your last walk",
}

func (c *invocation) sayStanding(s store.Standing) {
	if said := standings[s]; said != "" {
		c.sayLine("%s. A case file does not show whether rows were removed from it, nor how its evidence arrived: "+
			"to find out, ingest the sources again", said)
	}
}
