package main

import (
	"context"
	"errors"
	"math"
	"os"
	"os/signal"
	"strconv"
	"strings"

	"github.com/svc-edge/svc-verify/forensics/store"
	"github.com/svc-edge/svc-verify/internal/cliapp"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

// caseCommands are the commands around a case file.
func caseCommands() []*cliapp.Command {
	return []*cliapp.Command{
		ingestCommand(), walkCommand(), findingsCommand(), exportCommand(),
	}
}

func caseFlag() cliapp.Flag {
	return cliapp.Flag{Name: "case", Value: "FILE", Usage: "The case file", Required: true}
}

// The flags of selections, by name.
func logFlag() cliapp.Flag {
	return cliapp.Flag{Name: "log", Value: "ID", Usage: "Only this log, such as tenant/acme-corp or node/mesh-oslo-1"}
}

func sequenceFlag() cliapp.Flag {
	return cliapp.Flag{Name: "sequence", Value: "A..B", Usage: "Only events from sequence A to B; A alone is one event, A.. has no end"}
}

// interruptible returns a context that ends when the user interrupts.
func interruptible() (context.Context, context.CancelFunc) {
	return signal.NotifyContext(context.Background(), os.Interrupt)
}

// withCase calls f with the case of --case, opened for reading.
func withCase(c *cliapp.Context, f func(context.Context, *store.Case) (int, error)) (code int, err error) {
	ctx, stop := interruptible()
	defer stop()
	opened, err := store.OpenRead(c.Text("case"))
	if err != nil {
		return 0, caseFault(c, err)
	}
	defer func() { err = errors.Join(err, opened.Close()) }()
	return f(ctx, opened)
}

// caseFault says which case an error is about.
func caseFault(c *cliapp.Context, err error) error {
	return &fileFault{"case " + safetext.Quote(c.Text("case")), plain(err)}
}

// fileFault is an error about a file, whose name is quoted.
type fileFault struct {
	file string
	err  error
}

func (f *fileFault) Error() string { return f.file + ": " + safetext.Line(f.err.Error()) }
func (f *fileFault) Unwrap() error { return f.err }

// span is the sequences that --sequence names.
type span struct{ first, last uint64 }

// everySequence holds every sequence that an event can have (SPEC 1.2).
var everySequence = span{1, math.MaxInt64}

func spanOf(c *cliapp.Context) (span, error) {
	if !c.Given("sequence") {
		return everySequence, nil
	}
	text := c.Text("sequence")
	from, to, isRange := strings.Cut(text, "..")
	s := everySequence
	var ok bool
	if s.first, ok = sequence(from); !ok {
		return s, badSpan(text)
	}
	switch {
	case !isRange:
		s.last = s.first
	case to != "":
		if s.last, ok = sequence(to); !ok || s.last < s.first {
			return s, badSpan(text)
		}
	}
	return s, nil
}

func badSpan(text string) error {
	return cliapp.Usagef("--sequence: expected sequences such as 17, 17..40 or 17.., found %s", safetext.Quote(text))
}

func sequence(s string) (uint64, bool) {
	n, err := strconv.ParseInt(s, 10, 64)
	return uint64(n), err == nil && n > 0 && s[0] != '+'
}

func (s span) overlaps(first, last uint64) bool {
	return first <= s.last && max(first, last) >= s.first
}
