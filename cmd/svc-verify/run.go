package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"sync"
	"syscall"

	"github.com/svc-edge/svc-verify/answer"
	"github.com/svc-edge/svc-verify/forensics/custody"
	"github.com/svc-edge/svc-verify/forensics/query"
	"github.com/svc-edge/svc-verify/forensics/store"
	"github.com/svc-edge/svc-verify/internal/access"
	"github.com/svc-edge/svc-verify/internal/cliapp"
	"github.com/svc-edge/svc-verify/internal/progress"
	"github.com/svc-edge/svc-verify/internal/safetext"
	"github.com/svc-edge/svc-verify/internal/sqlite"
	"github.com/svc-edge/svc-verify/outcome"
	"github.com/svc-edge/svc-verify/outcome/form"
	"github.com/svc-edge/svc-verify/verify"
)

// invocation is one call of a command. The first error ends the command, by a panic that
// [action.runCommand] catches, so that no command handles errors of its reads. Opened files
// are closed when the command is over.
type invocation struct {
	*cliapp.Context
	name      string // of the command
	ctx       context.Context
	meter     *progress.Meter
	lastTrust store.TrustFile // of the last walk, where --trust was not given
	custodian *store.Custodian
	journal   *custody.Journal // of the case, as it was opened last
	forgetful bool             // it was said why nothing is remembered of journals
	reports   *form.Reports
	where     *query.Where   // of --where and --actor, nil without
	evidence  []string       // the paths that are read
	late      error          // a failure after the answer was there: the answer is given all the same
	ends      []func() error // in the order in which they were opened
}

// action answers a command.
type action func(*invocation) *reply

// reply is the result of a command. It excludes output that the command itself writes to
// standard output.
type reply struct {
	code   int
	says   []string           // on standard error, after the reports
	json   any                // with --output json
	doc    func() *answer.Doc // otherwise
	text   string             // printed unchanged, without either
	report *outcome.Report
}

// replyTo answers with a value: as JSON, or as the document that is made of it.
func replyTo[T any](verdict outcome.Class, v T, doc func(T) *answer.Doc) *reply {
	return &reply{code: exitCode(verdict), json: v, doc: func() *answer.Doc { return doc(v) }}
}

// withName adds the name of the subject to a function that makes a document.
func withName[T any](doc func(T, string) *answer.Doc, name string) func(T) *answer.Doc {
	return func(v T) *answer.Doc { return doc(v, safetext.Quote(name)) }
}

// runAs returns an action that runs a command of a name.
func (act action) runAs(name string) cliapp.Action {
	return func(c *cliapp.Context) (int, error) { return act.runCommand(&invocation{Context: c, name: name}) }
}

// runCommand runs a command. A failure to report is no reason to withhold the answer.
func (act action) runCommand(in *invocation) (code int, err error) {
	defer func() {
		for i := range in.ends {
			err = errors.Join(err, in.ends[len(in.ends)-1-i]())
		}
	}()
	var a *reply
	err = catchFailure(func() { a = act(in) })
	if in.meter != nil {
		in.meter.Clear()
	}
	if err != nil {
		return 0, err
	}
	err = errors.Join(in.late, in.commitReports(a))
	for _, sentence := range a.says {
		in.sayLine("%s", sentence)
	}
	return a.code, errors.Join(err, catchFailure(func() { stopOn(in.writeAnswer(a)) }))
}

// failure is an error that ends a command where it occurs. No other package sees it.
type failure struct{ error }

// stopOn ends the command if there is an error.
func stopOn(err error) {
	if err != nil {
		panic(failure{err})
	}
}

// stopInterrupted is stopOn for work that has no result if it is interrupted.
func stopInterrupted(err error, said string) {
	stopIf(errors.Is(err, context.Canceled), "interrupted%s", said)
	stopOn(err)
}

// stopWith is stopOn for a command that has no answer.
func stopWith(err error) *reply {
	stopOn(err)
	return nil
}

// refuseIf ends the command with a mistake in its command line, if it is one.
func refuseIf(wrong bool, format string, args ...any) {
	if wrong {
		stopOn(cliapp.Usagef(format, args...))
	}
}

// stopIf ends the command with a message on a condition.
func stopIf(failed bool, format string, args ...any) {
	if failed {
		stopOn(fmt.Errorf(format, args...))
	}
}

// mustHave returns a value, or ends the command with the error.
func mustHave[T any](v T, err error) T {
	stopOn(err)
	return v
}

// catchFailure returns the error that ended a function.
func catchFailure(f func()) (err error) {
	defer func() {
		switch cause := recover().(type) {
		case nil:
		case failure:
			err = cause.error
		default:
			panic(cause)
		}
	}()
	f()
	return nil
}

// closeLater closes a thing when the command is over.
func closeLater[T io.Closer](c *invocation, v T) T {
	c.atEnd(v.Close)
	return v
}

func (c *invocation) atEnd(end func() error) { c.ends = append(c.ends, end) }

// sayLine writes a sentence to standard error.
func (c *invocation) sayLine(format string, args ...any) {
	fmt.Fprintf(c.Stderr, "svc-verify: "+format+"\n", args...)
}

// interruptContext returns a context that ends when the user interrupts. A second interrupt
// ends the program.
func (c *invocation) interruptContext() context.Context {
	if c.ctx == nil {
		ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
		context.AfterFunc(ctx, stop)
		c.ctx = ctx
		c.atEnd(func() error { stop(); return nil })
	}
	return c.ctx
}

// interruptContextWith is interruptible for a command that has something to remove: a second
// interrupt calls remove before it ends the program. A terminal or a reader that goes away
// does not end the program by itself.
func (c *invocation) interruptContextWith(remove func()) context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	signals, closed := make(chan os.Signal, 2), make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) {
		signal.Notify(signals, syscall.SIGHUP)
	}
	signal.Notify(closed, syscall.SIGPIPE)
	over := make(chan struct{})
	go func() {
		for range cap(signals) {
			select {
			case <-over:
				return
			case <-signals:
			}
			if ctx.Err() != nil {
				remove()
				os.Exit(cliapp.ExitFailure)
			}
			cancel()
		}
	}()
	c.ctx = ctx
	c.atEnd(sync.OnceValue(func() error {
		signal.Stop(signals)
		signal.Stop(closed)
		close(over)
		cancel()
		return nil
	}))
	return ctx
}

// wasStopped reports whether the user interrupted, or the time was up.
func (c *invocation) wasStopped() bool { return c.ctx != nil && c.ctx.Err() != nil }

// newMeter begins to show that the command works. A command has one meter at a time.
func (c *invocation) newMeter(unit func(int64) string) *progress.Meter {
	if c.meter != nil {
		c.meter.Clear()
	}
	c.meter = progress.New(c.Context, unit, sqlite.Reads)
	return c.meter
}

// countShown returns a function that shows which thing is being read, and how many were.
func (c *invocation) countShown() func(doing string, done int64) {
	m := c.newMeter(progress.Number)
	return func(doing string, done int64) { m.Show(progress.Done{Doing: doing, Events: done}) }
}

// bufferedOut returns standard output with a buffer, for long lists. Nearly all of such a list is
// garbage at once, so that it is collected less often: that saves a third of the time.
func (c *invocation) bufferedOut() *bufio.Writer {
	const seldom = 400
	before := debug.SetGCPercent(seldom)
	c.atEnd(func() error { debug.SetGCPercent(before); return nil })
	return bufio.NewWriterSize(c.Stdout, 1<<20)
}

// jobsOf reads --jobs.
func (c *invocation) jobsOf() int {
	if c.Given("jobs") {
		return c.Number("jobs")
	}
	return runtime.GOMAXPROCS(0)
}

// limitMemory sets the memory from which on the garbage collector works harder, and returns a
// function that restores it. Commands with a limit use less: without it, garbage would double
// it.
func limitMemory(most int64) (restore func()) {
	before := debug.SetMemoryLimit(-1)
	if before <= most {
		return func() {}
	}
	debug.SetMemoryLimit(most)
	return func() { debug.SetMemoryLimit(before) }
}

// openOut begins the file of a flag, which is moved to its path when it is committed.
func (c *invocation) openOut(name string) *access.AsideFile {
	f := mustHave(access.OpenAside(keptFile(name)))
	c.atEnd(func() error { f.Discard(); return nil })
	return f
}

// writeOut writes a file whole, or not at all.
func (c *invocation) writeOut(name string, write func(io.Writer) error) {
	f := c.openOut(name)
	stopOn(write(f))
	stopOn(f.Commit())
}

// unknownKeys returns the sentence on keys that the trust file lacks, if any.
func unknownKeys(u *verify.UnknownKeys) []string {
	if u == nil {
		return nil
	}
	return []string{fmt.Sprintf("%s (%s)", u.Sentence, u.Code)}
}

// sayingsOf returns the sentences on unknown keys and unexamined evidence, and the reason why
// a result is not verified.
func sayingsOf(u *verify.UnknownKeys, notExamined []string, verdict outcome.Class, reason string) []string {
	all := unknownKeys(u)
	for _, sentence := range notExamined {
		all = append(all, "not examined: "+safetext.Line(sentence))
	}
	if verdict != outcome.Verified {
		all = append(all, fmt.Sprintf("%s: %s", verdict, safetext.Line(reason)))
	}
	return all
}
