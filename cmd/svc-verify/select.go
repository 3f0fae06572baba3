package main

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/forensics/casefile"
	"github.com/svc-edge/svc-verify/forensics/crosscheck"
	"github.com/svc-edge/svc-verify/internal/cliapp"
	"github.com/svc-edge/svc-verify/internal/form"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

const ofStores = "Treat the sources at or below this path as one store; a repeated NAME joins several. "

// filterOf reads the filter of events that a command's flags make up; those that
// it does not have are skipped.
func filterOf(c *cliapp.Context, flags ...string) (f casefile.Filter, err error) {
	for _, name := range flags {
		switch name {
		case "log":
			f.LogID = c.Text(name)
		case "type":
			f.Type = c.Text(name)
		case "transaction":
			f.TransactionID = c.Text(name)
		case "sequence":
			s, err := spanOf(c)
			if err != nil {
				return f, err
			}
			f.First, f.Last = s.first, s.last
		case "from":
			if f.From, f.To, err = timesOf(c); err != nil {
				return f, err
			}
		}
	}
	return f, nil
}

// span is the sequences that --sequence names.
type span struct{ first, last uint64 }

// everySequence holds every sequence that an event can have (SPEC 1.4).
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

// timesOf reads --from and --to; the zero time where one was not given.
func timesOf(c *cliapp.Context) (from, to time.Time, err error) {
	from, to = timeOf(c, "from"), timeOf(c, "to")
	if !from.IsZero() && !to.IsZero() && !from.Before(to) {
		return from, to, cliapp.Usagef("--from and --to: expected a time and a later one, as --to is not included, "+
			"found %s and %s", form.FormatTime(from), form.FormatTime(to))
	}
	return from, to, nil
}

// timeOf returns a time in whole milliseconds; the zero time if it was not given.
func timeOf(c *cliapp.Context, name string) time.Time { return ceiling(c.Time(name)) }

// ceiling rounds a time up to the next millisecond, as events have no finer one.
func ceiling(t time.Time) time.Time {
	if down := t.Truncate(time.Millisecond); down.Before(t) {
		return down.Add(time.Millisecond)
	}
	return t
}

// storesOf returns the stores that --store names, and whether they are to be
// found. A name has no slash, so that a path with "=" needs none.
func storesOf(c *cliapp.Context) (all []crosscheck.Prefix, find bool) {
	given := c.List("store")
	if slices.Equal(given, []string{"auto"}) {
		return nil, true
	}
	for _, text := range given {
		name, path, named := strings.Cut(text, "=")
		if !named || strings.ContainsAny(name, `/\`) || name == "" {
			name, path = text, text
		}
		all = append(all, crosscheck.Prefix{Name: name, Path: path})
	}
	return all, false
}

// trustOf returns the digest of --trust; the zero digest if it was not given.
func trustOf(c *cliapp.Context) (chain.Hash, error) {
	if !c.Given("trust") {
		return chain.Hash{}, nil
	}
	root, err := readTrust(c, c.Text("trust"))
	if err != nil {
		return chain.Hash{}, err
	}
	return chain.Hash(root.SHA256()), nil
}
