// Command svc-edge shows how a Mesh Node is. It has the flags, the output and the exit codes,
// and follows the node's trust events. Package edge decides how a node is reached and which
// checks an event must pass.
//
// The rules of its streams:
//
//   - standard output carries the result and nothing else: a document or a
//     table, or one verified event per line in canonical JSON;
//   - standard error carries sentences that start with "svc-edge:";
//   - text that came from a node is quoted before a terminal shows it.
package main

import (
	"context"
	_ "embed"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/svc-edge/svc-verify/internal/cliapp"
	"github.com/svc-edge/svc-verify/internal/form"
	"github.com/svc-edge/svc-verify/internal/safetext"
	"github.com/svc-edge/svc-verify/service/edge"
	"github.com/svc-edge/svc-verify/service/topic"
)

// The exit codes besides cliapp.ExitFailure.
const (
	exitDone    = 0
	exitBad     = 1 // something is degraded, or an event cannot be relied on
	exitExpired = 3 // HTTP 410
)

func main() {
	os.Exit(program().Run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

//go:embed commands.txt
var commands string

// program is the command line that commands.txt declares. A fault in it is a mistake that every
// run shows.
func program() *cliapp.Program {
	p, err := cliapp.Parse(commands, map[string]cliapp.Action{
		"status": showStatus, "integrations": listIntegrations, "events": showEvents,
	})
	if err != nil {
		panic("commands.txt: " + err.Error())
	}
	p.Version, p.Dash, p.Shared, p.Flags = "1.0.0", "-", p.Flags, nil
	return p
}

// watchWait is how long a watch lets the node wait by default.
const watchWait = 30 * time.Second

// eventFlags have a meaning for the command events only.
var eventFlags = []string{"event-cursor-file", "event-topics", "event-wait", "watch"}

// connect makes the client of a command that accepts none of the flags for events.
func connect(c *cliapp.Context) (*edge.Client, error) {
	for _, name := range eventFlags {
		if c.Given(name) {
			return nil, cliapp.Usagef("-%s is for the command events", name)
		}
	}
	return newClient(c)
}

func newClient(c *cliapp.Context) (*edge.Client, error) {
	if !c.Given("node-spki") && !c.Given("node-spki-sha256") {
		return nil, cliapp.Usagef("the node's key is to be pinned: -node-spki PEM, -node-spki-sha256 HEX or both")
	}
	if c.Given("tenant") && !form.Subject(c.Text("tenant")) {
		return nil, cliapp.Usagef("-tenant: expected the id of a tenant, found %s", safetext.Quote(c.Text("tenant")))
	}
	pins, err := edge.ReadPins(c.Text("node-spki"), c.Text("node-spki-sha256"))
	if err != nil {
		return nil, fmt.Errorf("the pinned key: %w", err)
	}
	return edge.NewClient(edge.Config{URL: c.Text("url"), CA: c.Text("ca"), Certificate: c.Text("cert"),
		Key: c.Text("key"), Pins: pins})
}

// topics reads the list of -event-topics.
func topics(c *cliapp.Context) ([]string, error) {
	if !c.Given("event-topics") {
		return nil, nil
	}
	var list []string
	for about := range strings.SplitSeq(c.Text("event-topics"), ",") {
		if !topic.Known(about) {
			return nil, cliapp.Usagef("-event-topics: expected some of %s, found %s", strings.Join(topic.All(), ", "),
				safetext.Quote(about))
		}
		if slices.Contains(list, about) {
			return nil, cliapp.Usagef("-event-topics: expected each topic once, found %s twice", about)
		}
		list = append(list, about)
	}
	return list, nil
}

// eventWait is how long the node is to wait.
func eventWait(c *cliapp.Context) time.Duration {
	if !c.Given("event-wait") && c.Switch("watch") {
		return watchWait
	}
	return c.Duration("event-wait")
}

// interruptible returns a context that ends when the program is interrupted or terminated. A
// second signal ends the program at once.
func interruptible() (context.Context, context.CancelFunc) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	return ctx, stop
}
