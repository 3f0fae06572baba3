package main

import (
	"context"
	"fmt"
	"io"

	"github.com/svc-edge/svc-verify/forensics/casefile"
	"github.com/svc-edge/svc-verify/internal/cliapp"
	"github.com/svc-edge/svc-verify/internal/safetext"
	"github.com/svc-edge/svc-verify/internal/userkey"
)

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
	const removed = "That rows were removed from it, and how its evidence arrived, does not show in it: " +
		"to find out, ingest the sources again"
	switch s {
	case casefile.Unknown:
		fmt.Fprintln(c.Stderr, "svc-verify: your key does not vouch for this case as it is: "+
			"all of it was checked, and no earlier walk counts. "+removed)
	case casefile.Checked:
		fmt.Fprintln(c.Stderr, "svc-verify: this case came from elsewhere, and is as your walk left it. "+removed)
	}
}
