package main

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/forensics/crosscheck"
	"github.com/svc-edge/svc-verify/forensics/store"
	"github.com/svc-edge/svc-verify/internal/form"
	"github.com/svc-edge/svc-verify/internal/safetext"
	"github.com/svc-edge/svc-verify/trust"
)

// filterOf reads the filter of events that the flags of the command make up.
func (c *invocation) filterOf() (f store.Filter) {
	f.LogID = c.Text("log")
	if c.Declares("type") {
		f.Type = c.Text("type")
	}
	if c.Declares("transaction") {
		f.TransactionID = c.Text("transaction")
	}
	f.First, f.Last = c.spanOf()
	if c.Declares("from") {
		f.From, f.To = c.timesOf()
	}
	return f
}

// spanOf reads the sequences of --sequence; without it, every one that an event can have
// (SPEC 1.4).
func (c *invocation) spanOf() (first, last uint64) {
	if !c.Given("sequence") {
		return 1, math.MaxInt64
	}
	first, last, ok := parseSpan(c.Text("sequence"))
	refuseIf(!ok, "--sequence: expected sequences such as 17, 17..40 or 17.., found %s",
		safetext.Quote(c.Text("sequence")))
	return first, last
}

// parseSpan reads sequences such as 17, 17..40 or 17.., which has no end.
func parseSpan(text string) (first, last uint64, ok bool) {
	from, to, isRange := strings.Cut(text, "..")
	first, ok = sequence(from)
	last = first
	switch {
	case isRange && to == "":
		last = math.MaxInt64
	case isRange && ok:
		last, ok = sequence(to)
	}
	return first, last, ok && first <= last
}

func sequence(s string) (uint64, bool) {
	n, err := strconv.ParseInt(s, 10, 64)
	return uint64(n), err == nil && n > 0 && s[0] != '+'
}

// timesOf reads --from and --to; the zero time where one was not given.
func (c *invocation) timesOf() (from, to time.Time) {
	from, to = c.timeOf("from"), c.timeOf("to")
	refuseIf(!from.IsZero() && !to.IsZero() && !from.Before(to),
		"--from and --to: expected a time and a later one, as --to is not included, found %s and %s",
		form.FormatTime(from), form.FormatTime(to))
	return from, to
}

// storesOf returns the stores that --store names, and whether they are to be
// found. A name has no slash, so that a path with "=" needs none.
func (c *invocation) storesOf() (all []crosscheck.Prefix, find bool) {
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

// givenTrust returns the trust file of --trust, nil if it was not given.
func (c *invocation) givenTrust() *trust.Root {
	if !c.Given("trust") {
		return nil
	}
	return c.trustFile()
}

// digestOf returns the digest of a trust file, zero if it is nil.
func digestOf(root *trust.Root) chain.Hash {
	if root == nil {
		return chain.Hash{}
	}
	return chain.Hash(root.SHA256())
}
