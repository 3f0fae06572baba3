package main

import (
	"context"
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

// watchWait is how long a watch lets the node wait by default.
const watchWait = 30 * time.Second

// eventFlags have a meaning for the command events only.
var eventFlags = []string{"event-cursor-file", "event-topics", "event-wait", "watch"}

func sharedFlags() []cliapp.Flag {
	return []cliapp.Flag{
		{Name: "ca", Value: "PEM", Usage: "The authorities that vouch for the node", Required: true},
		{Name: "cert", Value: "PEM", Usage: "The client's certificate, and any intermediate ones", Required: true},
		{Name: "key", Value: "PEM", Usage: "Its private key, in a file that only its owner can read", Required: true},
		{Name: "url", Value: "URL", Usage: "The node, as https://host:port", Required: true},
		{Name: "tenant", Value: "ID", Usage: "The tenant of all events; required for events"},
		{Name: "node-spki", Value: "PEM",
			Usage: "The node's public keys, 1 to 16 blocks PUBLIC KEY: those it may answer and sign with"},
		{Name: "node-spki-sha256", Value: "HEX",
			Usage: "The SHA-256 of the SubjectPublicKeyInfo that it must answer with; this, -node-spki or both"},
		{Name: "event-cursor-file", Value: "FILE", Usage: "The file that records the last event read"},
		{Name: "event-topics", Value: "LIST", Usage: "Only events of these topics, separated by commas"},
		{Name: "event-wait", Kind: cliapp.Seconds, Value: "D", Most: "1m",
			Usage: "How long the node waits for an event, up to 1m; 30s with -watch and 0s without it if not given"},
		{Name: "watch", Kind: cliapp.Switch, Usage: "Keep printing events as they come"},
	}
}

// connect makes the client of a command that takes none of the flags for
// events.
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

// interruptible returns a context that ends when the program is interrupted or
// told to end. A second signal ends the program at once.
func interruptible() (context.Context, context.CancelFunc) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	return ctx, stop
}
