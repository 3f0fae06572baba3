package main

import (
	"context"
	"strings"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/forensics/casefile"
	"github.com/svc-edge/svc-verify/forensics/query"
	"github.com/svc-edge/svc-verify/forensics/report"
	"github.com/svc-edge/svc-verify/forensics/verdict"
	"github.com/svc-edge/svc-verify/internal/cliapp"
	"github.com/svc-edge/svc-verify/internal/form"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

func show(c *cliapp.Context) (int, error) {
	search, err := searchOf(c)
	if err != nil {
		return 0, err
	}
	return withCase(c, func(ctx context.Context, in *casefile.Case) (int, error) {
		last, err := verdict.Last(ctx, in, chain.Hash{})
		if err != nil {
			return 0, err
		}
		warnOfLater(c, last)
		out, err := query.Show(ctx, in, last, search)
		if err != nil {
			return 0, err
		}
		code := exitVerified
		if len(out.Events) == 0 {
			code = exitInconclusive
		}
		if c.Text("output") == "json" {
			return code, writeJSON(c.Stdout, out)
		}
		return code, writeDocument(c, report.Show(out, caseName(c)))
	})
}

// searchOf returns which events the flags select.
func searchOf(c *cliapp.Context) (search query.Search, err error) {
	if search.Filter, err = filterOf(c, "log", "sequence", "transaction"); err != nil {
		return search, err
	}
	ways := 0
	for _, name := range []string{"sequence", "transaction", "hash"} {
		if c.Given(name) {
			ways++
		}
	}
	switch {
	case ways != 1:
		return search, cliapp.Usagef("show needs one of --sequence, --transaction and --hash")
	case c.Given("sequence") && (search.First != search.Last || !c.Given("log")):
		return search, cliapp.Usagef("--sequence selects one event, and needs --log; svc-verify events lists several")
	case c.Given("hash"):
		hash, ok := form.Digest(strings.ToLower(c.Text("hash")))
		if !ok {
			return search, cliapp.Usagef("--hash: expected 64 hex digits, found %s", safetext.Quote(c.Text("hash")))
		}
		search.Hash = (*chain.Hash)(&hash)
	}
	return search, nil
}
