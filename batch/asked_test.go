package batch_test

import (
	"slices"
	"strconv"
	"strings"

	"pgregory.net/rapid"

	"github.com/svc-edge/svc-verify/batch"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/must"
)

// asked is the expected content of a set: a number of entries, digests and transactions. A
// list that is nil asks for nothing.
type asked struct {
	count                 *int64
	digests, transactions []string
}

// drawAsked asks for a set as it is, or with a little more or less.
func drawAsked(t *rapid.T, set []expected) (a asked) {
	if rapid.Bool().Draw(t, "expect") {
		count := max(0, int64(len(distinct(set)))+rapid.Int64Range(-1, 1).Draw(t, "off by"))
		a.count = &count
	}
	leave := rapid.IntRange(0, 5)
	if rapid.IntRange(0, 2).Draw(t, "expect digests") == 0 {
		a.digests = []string{seal.SHA256([]byte("any"))}[:rapid.IntRange(0, 1).Draw(t, "missing digest")]
		for _, i := range distinct(set) {
			if set[i].content != nil && leave.Draw(t, "leave digest") > 0 {
				a.digests = append(a.digests, seal.SHA256(set[i].content))
			}
		}
	}
	if rapid.IntRange(0, 2).Draw(t, "expect transactions") == 0 {
		for _, id := range []string{"tx-2026-0001", "tx-2026-0002", "tx-2026-0003"} {
			if leave.Draw(t, "leave transaction") > 1 {
				a.transactions = append(a.transactions, id)
			}
		}
	}
	return a
}

// expected returns it as the option of a run.
func (a asked) expected(t *rapid.T) batch.Expected {
	e := batch.Expected{Count: a.count}
	var err error
	if len(a.digests) > 0 {
		e.Digests, err = batch.ReadDigests(strings.NewReader(strings.Join(a.digests, "  name\n") + "  name\n"))
	}
	if len(a.transactions) > 0 && err == nil {
		e.Transactions, err = batch.ReadTransactions(strings.NewReader(strings.Join(a.transactions, "\n")))
	}
	must.Do(t, err)
	return e
}

// unexpected reports whether an entry was not asked for.
func (a asked) unexpected(e expected) bool {
	return e.content != nil && len(a.digests) > 0 && !slices.Contains(a.digests, seal.SHA256(e.content)) ||
		e.says != nil && len(a.transactions) > 0 && !slices.Contains(a.transactions, e.says.transaction)
}

// findings returns the faults of a set: codes, and the missing items.
func (a asked) findings(set []expected) []string {
	all := []string{}
	switch n := int64(len(distinct(set))); {
	case a.count != nil && *a.count > n:
		all = append(all, strconv.FormatInt(*a.count, 10))
	case a.count != nil && *a.count < n:
		all = append(all, string(batch.SetUnexpected))
	}
	for _, digest := range a.digests {
		if !slices.ContainsFunc(set, func(e expected) bool { return e.content != nil && seal.SHA256(e.content) == digest }) {
			all = append(all, digest)
		}
	}
	for _, id := range a.transactions {
		if !slices.ContainsFunc(set, func(e expected) bool { return e.says != nil && e.says.transaction == id }) {
			all = append(all, id)
		}
	}
	if len(set) == 0 {
		all = append(all, string(batch.SetEmpty))
	}
	return all
}
