package main

import (
	"context"
	"fmt"
	"io"

	"github.com/svc-edge/svc-verify/forensics/store"
	"github.com/svc-edge/svc-verify/internal/cliapp"
	"github.com/svc-edge/svc-verify/internal/safetext"
	"github.com/svc-edge/svc-verify/internal/userkey"
)

// caseOptions says how a command opens its case: under the user's key, if there
// can be one. What it decides is how long the command takes, and what stands on
// standard error.
func caseOptions(ctx context.Context, stderr io.Writer) []store.Option {
	say := func(text string) { fmt.Fprintln(stderr, "svc-verify: "+safetext.Line(text)) }
	options := []store.Option{store.Notify(say), store.Until(ctx)}
	secret, err := userkey.Load()
	if err != nil {
		say("nothing is remembered, as there is no key: " + err.Error())
		return options
	}
	key, err := store.NewKey(secret)
	if err != nil {
		say("nothing is remembered, as there is no key: " + err.Error())
		return options
	}
	return append(options, store.With(key))
}

// sayStanding says on standard error how far a case is believed, where that is
// less than if this user had made it.
func sayStanding(c *cliapp.Context, s store.Standing) {
	const removed = "That rows were removed from it, and how its evidence arrived, does not show in it: " +
		"to find out, ingest the sources again"
	switch s {
	case store.Unknown:
		fmt.Fprintln(c.Stderr, "svc-verify: your key does not vouch for this case as it is: "+
			"all of it was checked, and no earlier walk counts. "+removed)
	case store.Checked:
		fmt.Fprintln(c.Stderr, "svc-verify: this case came from elsewhere, and is as your walk left it. "+removed)
	}
}
