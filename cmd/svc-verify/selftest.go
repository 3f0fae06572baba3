package main

import (
	"fmt"
	"io"

	"github.com/svc-edge/svc-verify/fixtures"
	"github.com/svc-edge/svc-verify/internal/cliapp"
	"github.com/svc-edge/svc-verify/internal/safetext"
	"github.com/svc-edge/svc-verify/trust"
)

func runSelftest(c *invocation) *reply {
	cases := mustHave(fixtures.Cases())
	return selftest(c, cases)
}

func selftest(c *invocation, cases []fixtures.Case) *reply {
	progress := progressTo(c.Stderr)
	tally := fixtures.Run(cases, func(done int) { fmt.Fprintf(progress, "\r%d of %d", done, len(cases)) })
	fmt.Fprint(progress, "\r\x1b[K")
	return &reply{code: exitCode(tally.Verdict), json: tally, doc: tally.Document}
}

// progressTo returns where to show progress: on standard error if that is a
// terminal, else nowhere.
func progressTo(stderr io.Writer) io.Writer {
	if cliapp.IsTerminal(stderr) {
		return stderr
	}
	return io.Discard
}

// sceneKeys returns the keys of the embedded scenes. They are made from a seed
// that everyone knows.
func sceneKeys() map[trust.PublicKey]string {
	cases := mustHave(fixtures.Cases())
	known := map[trust.PublicKey]string{}
	for _, c := range cases {
		root, err := trust.Parse(c.Trust)
		if err != nil {
			continue // a trust file that must be refused
		}
		for _, role := range []trust.Role{trust.Audit, trust.Signer, trust.Node} {
			for _, k := range root.Keys(role) {
				known[k.Public] = "that of " + safetext.Quote(k.ID) + " in the demonstration scenes"
			}
		}
	}
	return known
}
