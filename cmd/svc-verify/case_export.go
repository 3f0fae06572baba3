package main

import (
	"bufio"
	"context"
	"fmt"
	"slices"

	"github.com/svc-edge/svc-verify/forensics/casefile"
	"github.com/svc-edge/svc-verify/forensics/examine"
	"github.com/svc-edge/svc-verify/internal/cliapp"
	"github.com/svc-edge/svc-verify/internal/progress"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

func exportCommand() *cliapp.Command {
	return &cliapp.Command{
		Name:        "export",
		Summary:     "Write a log of a case as a journal, byte for byte",
		Description: "Writes the events of a log to standard output, one canonical line each, ascending. If copies of an event differ, it writes one and warns.",
		ExitCodes: []cliapp.ExitCode{
			{Code: exitVerified, Meaning: "an event was written"},
			{Code: exitInconclusive, Meaning: "there was none"},
		},
		Flags: slices.Concat([]cliapp.Flag{
			caseFlag(),
			{Name: "log", Value: "ID", Usage: "The log, such as tenant/acme-corp or node/mesh-oslo-1", Required: true},
			{Name: "tenant", Value: "ID", Usage: "The tenant, if several have a log of this name"},
			sequenceFlag(),
		}, timeFlags(), progress.Flags()),
		Examples: []string{"svc-verify export --case case.db --log node/mesh-oslo-1 > journal.ndjson"},
		Action:   exportLog,
	}
}

func exportLog(c *cliapp.Context) (int, error) {
	f, err := filterOf(c, "log", "sequence", "from")
	if err != nil {
		return 0, err
	}
	return withCase(c, func(ctx context.Context, in *casefile.Case) (int, error) {
		log, ok, err := logOf(ctx, c, in)
		if err != nil || !ok {
			return exitInconclusive, err
		}
		out := bufio.NewWriterSize(c.Stdout, 1<<20)
		exported, err := examine.Export(ctx, in, log, f, out)
		if err != nil {
			return 0, err
		}
		if n := exported.Contested; n > 0 {
			fmt.Fprintf(c.Stderr, "svc-verify: of %s there are copies that differ, of which one was written\n", safetext.Count(n, "event"))
		}
		if n := exported.Guessed; n > 0 {
			fmt.Fprintf(c.Stderr, "svc-verify: of %s nothing tells which copy to write: svc-verify walk says which holds\n", safetext.Count(n, "event"))
		}
		if exported.Written == 0 {
			return exitInconclusive, nil
		}
		return exitVerified, out.Flush()
	})
}

// logOf returns the log of --log; ok is false, with a warning, if the case holds
// no event of it.
func logOf(ctx context.Context, c *cliapp.Context, in *casefile.Case) (log casefile.Log, ok bool, err error) {
	all, err := in.Logs(ctx)
	for _, l := range all {
		if l.LogID != c.Text("log") || c.Given("tenant") && l.TenantID != c.Text("tenant") {
			continue
		}
		if ok {
			return log, false, cliapp.Usagef("--log: two tenants have a log %s: give --tenant too", safetext.Quote(l.LogID))
		}
		log, ok = l, true
	}
	if !ok && err == nil {
		fmt.Fprintf(c.Stderr, "svc-verify: the case holds no event of %s\n", safetext.Quote(c.Text("log")))
	}
	return log, ok, err
}
