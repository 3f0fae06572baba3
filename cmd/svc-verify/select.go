package main

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/forensics/crosscheck"
	"github.com/svc-edge/svc-verify/forensics/query"
	"github.com/svc-edge/svc-verify/forensics/store"
	"github.com/svc-edge/svc-verify/internal/cliapp"
	"github.com/svc-edge/svc-verify/internal/form"
	"github.com/svc-edge/svc-verify/internal/safetext"
	"github.com/svc-edge/svc-verify/trust"
)

// filters are the flags that select events, and times the two of them that are times.
var (
	times   = []string{"since", "until"}
	filters = append([]string{"log", "sequence", "type", "transaction", "certificate", "where", "grep", "actor"}, times...)
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
	if c.Declares("since") {
		f.From, f.To = c.timesOf()
	}
	if c.Declares("grep") {
		refuseIf(c.countGiven("transaction", "certificate") > 1, "--transaction and --certificate: give one of them")
		f.Content = c.Text("grep")
		refuseIf(!utf8.ValidString(f.Content), "--grep: the text is not UTF-8")
		f = c.narrowFilter(f)
	}
	return f
}

// narrowFilter returns a filter with the conditions of --where and --actor.
func (c *invocation) narrowFilter(f store.Filter) store.Filter {
	var conditions []string
	if c.Given("where") {
		conditions = append(conditions, c.Text("where"))
	}
	if c.Given("actor") {
		conditions = append(conditions, query.OfActor(c.Text("actor")))
	}
	if len(conditions) == 0 {
		return f
	}
	w := parseCondition("where", conditions...)
	c.where = w
	c.atEnd(func() error {
		if n, why := w.Valueless(); n > 0 {
			c.sayLine("--where: %d copies of events have no value for it, and are left out; the first: %s", n, firstLine(why))
		}
		return nil
	})
	return w.Narrow(f)
}

// parseCondition reads the conditions of a flag. All must hold.
func parseCondition(flag string, conditions ...string) *query.Where {
	w, err := query.ParseWhere(conditions...)
	if err != nil {
		stopOn(cliapp.Usagef("--%s: %s", flag, firstLine(err)))
	}
	return w
}

// countLater returns a function that counts the selected events, for a list that was cut. It
// asks about the first ones again.
func (c *invocation) countLater(in *store.Case, f store.Filter) func() (int, error) {
	return func() (int, error) {
		if c.where != nil {
			c.where.Recount()
		}
		return in.Count(c.ctx, f)
	}
}

// openFiltered reads the filter of the flags, and opens the case.
func (c *invocation) openFiltered() (store.Filter, *store.Case) {
	f, in := c.filterOf(), c.openCase()
	return c.ofCertificate(f, in), in
}

// logsOf returns the ids of the logs of a case that a filter wants.
func (c *invocation) logsOf(in *store.Case, f store.Filter) (ids []string) {
	for _, l := range mustHave(in.Logs(c.ctx)) {
		if f.Wants(l) {
			ids = append(ids, l.LogID)
		}
	}
	return ids
}

// ofCertificate returns a filter for events about the transaction of --certificate, if it is given.
func (c *invocation) ofCertificate(f store.Filter, in *store.Case) store.Filter {
	if !c.Given("certificate") {
		return f
	}
	ids := mustHave(query.TransactionsOf(c.ctx, in, c.readCertificate(c.Text("certificate"))))
	refuseIf(len(ids) == 0,
		"--certificate: no proof in the case has this certificate: ingest its proof, or give --transaction")
	refuseIf(len(ids) > 1, "--certificate: proofs of %d transactions have this certificate: give --transaction", len(ids))
	f.TransactionID = ids[0]
	return f
}

// firstLine is the message of an error without the picture of its place.
func firstLine(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return safetext.Line(line)
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
	first, ok = parseSequence(from)
	last = first
	switch {
	case isRange && to == "":
		last = math.MaxInt64
	case isRange && ok:
		last, ok = parseSequence(to)
	}
	return first, last, ok && first <= last
}

func parseSequence(s string) (uint64, bool) {
	n, err := strconv.ParseInt(s, 10, 64)
	return uint64(n), err == nil && n > 0 && s[0] != '+'
}

// timesOf reads --since and --until; the zero time where one was not given. A time without a zone
// is in UTC, and that is said.
func (c *invocation) timesOf() (from, to time.Time) {
	from, to = c.timeOf("since"), c.timeOf("until")
	for _, flag := range times {
		if c.AssumedUTC(flag) {
			c.sayLine("--%s: no zone is given, so it is UTC: %s", flag, form.FormatTime(c.timeOf(flag)))
		}
	}
	refuseIf(!from.IsZero() && !to.IsZero() && !from.Before(to),
		"--since and --until: expected a time and a later one, as --until is not included, found %s and %s",
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
