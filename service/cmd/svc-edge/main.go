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

// node is how the examples reach a node.
const node = "-ca ca.pem -cert observer.pem -key observer.key \\\n    -url https://oslo.example:8443 -node-spki oslo.pem"

// program declares the whole command line.
func program() *cliapp.Program {
	return &cliapp.Program{
		Name:    "svc-edge",
		Version: "1.0.0",
		Dash:    "-",
		Summary: "Show the status of a Mesh Node, and follow its trust events",
		Description: "Talks to the local API of one node, over TLS 1.3 with a client certificate. The given authority must vouch for the node, and its public key must be pinned. " +
			"It uses no proxy and follows no redirect, and no environment variable changes an answer.\n\n" +
			"A trust event is shown only after its signature, tenant, node and sequence were verified. It is a notification: it approves, activates, revokes and resumes nothing.",
		ExitCodes: []cliapp.ExitCode{
			{Code: exitDone, Meaning: "done; status and integrations: all is healthy"},
			{Code: exitBad,
				Meaning: "status: the node is degraded; integrations: one is; events: one is not genuine, or missing"},
			{Code: cliapp.ExitFailure,
				Meaning: "could not work: wrong usage, an unreadable file, a node that does not answer or is not the pinned " +
					"one, a malformed answer, a failed write"},
			{Code: exitExpired, Meaning: "events: the cursor has expired (HTTP 410)"},
		},
		Examples: []string{
			"svc-edge " + node + " status",
			"svc-edge " + node + " integrations",
			"svc-edge " + node + " \\\n    -tenant acme-corp -event-cursor-file oslo.cursor -watch events",
		},
		Shared: sharedFlags(),
		Commands: []*cliapp.Command{
			statusCommand(),
			integrationsCommand(),
			eventsCommand(),
		},
	}
}

func statusCommand() *cliapp.Command {
	return &cliapp.Command{
		Name: "status", Summary: "Show the node's health report",
		Description: "Prints the document of /healthz after checking its form.",
		ExitCodes: []cliapp.ExitCode{{Code: exitDone, Meaning: "its status is ok"},
			{Code: exitBad, Meaning: "it is degraded"}},
		Examples: []string{"svc-edge " + node + " status"},
		Action:   showStatus,
	}
}

func integrationsCommand() *cliapp.Command {
	return &cliapp.Command{
		Name: "integrations", Summary: "List the health of the node's integrations",
		ExitCodes: []cliapp.ExitCode{{Code: exitDone, Meaning: "all are healthy"},
			{Code: exitBad, Meaning: "one is degraded"}},
		Examples: []string{"svc-edge " + node + " integrations"},
		Action:   listIntegrations,
	}
}

func eventsCommand() *cliapp.Command {
	return &cliapp.Command{
		Name: "events", Summary: "Show the node's trust events, each verified",
		Description: "Prints one event per line, as the node signed it, in canonical JSON. On a terminal, characters beyond ASCII are written as escapes. Without -watch it ends after the last event; with it, it runs until SIGINT or SIGTERM.\n\n" +
			"With -event-cursor-file it continues where the last run ended, and moves the cursor only after a line is written. Without one it starts with the oldest event that the node still has.\n\n" +
			"If the cursor has expired, events were lost, and the file stays as it is: find out what was missed, move it away and start again.",
		Examples: []string{
			"svc-edge " + node + " \\\n    -tenant acme-corp -event-cursor-file oslo.cursor -watch events",
			"svc-edge " +
				node + " \\\n    -tenant acme-corp \\\n    -event-topics incident.issuance_paused,identity.rotated -watch events",
		},
		Action: showEvents,
	}
}

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
