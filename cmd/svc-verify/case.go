package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"sync"
	"syscall"

	"github.com/svc-edge/svc-verify/forensics/casefile"
	"github.com/svc-edge/svc-verify/forensics/examine"
	"github.com/svc-edge/svc-verify/forensics/verdict"
	"github.com/svc-edge/svc-verify/internal/access"
	"github.com/svc-edge/svc-verify/internal/cliapp"
	"github.com/svc-edge/svc-verify/internal/progress"
	"github.com/svc-edge/svc-verify/internal/safetext"
	"github.com/svc-edge/svc-verify/internal/sqlite"
	"github.com/svc-edge/svc-verify/internal/userkey"
)

// interruptible returns a context that ends when the user interrupts. A second
// interrupt ends the program.
func interruptible() (context.Context, context.CancelFunc) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	return ctx, stop
}

// interruptibleWith is [interruptible] for a command that has something to remove: a
// second interrupt calls remove before it ends the program. A terminal or a reader
// that goes away does not end the program by itself.
func interruptibleWith(remove func()) (context.Context, context.CancelFunc) {
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
	return ctx, sync.OnceFunc(func() {
		signal.Stop(signals)
		signal.Stop(closed)
		close(over)
		cancel()
	})
}

// newMeter returns the meter of a command that works on a case.
func newMeter(c *cliapp.Context, unit func(int64) string) *progress.Meter {
	return progress.New(c, unit, sqlite.Reads)
}

// withCase calls f with the case of --case, opened for reading. It shows that the
// command works.
func withCase(c *cliapp.Context, f func(context.Context, *casefile.Case) (int, error)) (code int, err error) {
	ctx, stop := interruptible()
	defer stop()
	defer newMeter(c, progress.Number).Clear()
	opened, err := casefile.OpenRead(c.Text("case"), caseOptions(ctx, c.Stderr)...)
	if err != nil {
		return 0, caseFault(c, err)
	}
	sayStanding(c, opened.Standing())
	defer func() { err = errors.Join(err, opened.Close()) }()
	return f(ctx, opened)
}

// caseName is the name of the case as it is shown.
func caseName(c *cliapp.Context) string { return safetext.Quote(c.Text("case")) }

// caseFault says which case an error is about.
func caseFault(c *cliapp.Context, err error) error {
	return &fileFault{"case " + caseName(c), access.WithoutPath(err)}
}

// fileFault is an error about a file, whose name is quoted.
type fileFault struct {
	file string
	err  error
}

func (f *fileFault) Error() string { return f.file + ": " + safetext.Line(f.err.Error()) }
func (f *fileFault) Unwrap() error { return f.err }

// warnOfLater says on standard error how many sources came into the case after
// it was examined.
func warnOfLater(c *cliapp.Context, r *verdict.Result) {
	if r == nil {
		return
	}
	for _, l := range r.LeftOut {
		if l.What == verdict.Later {
			fmt.Fprintf(c.Stderr,
				"svc-verify: %s came into the case after this walk and were not examined: svc-verify walk\n",
				safetext.Count(len(l.Items), "source"))
		}
	}
}

// examineOptions are what every command has in common that can examine a case.
func examineOptions(ctx context.Context, c *cliapp.Context, m *progress.Meter) examine.Options {
	options := examine.Options{Workers: runtime.GOMAXPROCS(0), Case: caseOptions(ctx, c.Stderr),
		Remembered: func(s casefile.Standing, signatures int64) {
			sayStanding(c, s)
			if signatures > 0 {
				fmt.Fprintf(c.Stderr,
					"svc-verify: not verified again: %s that held in an earlier walk under your key\n",
					safetext.Count(signatures, "signature"))
			}
		}}
	options.Progress = walkShownBy(m)
	return options
}

// walkShownBy returns what shows the progress of a walk.
func walkShownBy(m *progress.Meter) func(examine.Progress) {
	return func(p examine.Progress) {
		m.Show(progress.Done{Doing: p.LogID, Read: int64(p.Sequences), Of: int64(p.Of), Events: int64(p.Sequences)})
	}
}

// caseOptions says how a command opens its case: under the user's key, if there
// can be one. What it decides is how long the command takes, and what stands on
// standard error.
func caseOptions(ctx context.Context, stderr io.Writer) []casefile.Option {
	say := func(text string) { fmt.Fprintln(stderr, "svc-verify: "+safetext.Line(text)) }
	options := []casefile.Option{casefile.Notify(say), casefile.Until(ctx)}
	secret, err := userkey.Load()
	if err != nil {
		say("nothing is remembered, as there is no key: " + err.Error())
		return options
	}
	key, err := casefile.NewKey(secret)
	if err != nil {
		say("nothing is remembered, as there is no key: " + err.Error())
		return options
	}
	return append(options, casefile.With(key))
}

// sayStanding says on standard error how far a case is believed, where that is
// less than if this user had made it.
func sayStanding(c *cliapp.Context, s casefile.Standing) {
	const removed = "A case file does not show whether rows were removed from it, nor how its evidence arrived: " +
		"to find out, ingest the sources again"
	switch s {
	case casefile.Unknown:
		fmt.Fprintln(c.Stderr, "svc-verify: your key does not vouch for the present content of this case: "+
			"all of it was checked, and no earlier walk counts. "+removed)
	case casefile.Interrupted:
		fmt.Fprintln(c.Stderr, "svc-verify: a command of yours that wrote to this case was interrupted, so your key "+
			"does not vouch for its present content: all of it was checked, and no earlier walk counts. "+removed)
	case casefile.Resumed:
		fmt.Fprintln(c.Stderr, "svc-verify: a command of yours that wrote to this case was interrupted; the case has not "+
			"changed since your last walk. "+removed)
	case casefile.Checked:
		fmt.Fprintln(c.Stderr,
			"svc-verify: this case came from elsewhere, and has not changed since your last walk. "+removed)
	}
}
