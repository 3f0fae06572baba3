// Command svc-edge shows how a Mesh Node is. It has the flags, the output and the
// exit codes, and follows the node's trust events. How a node is reached and what
// an event must hold up to is decided in package edge.
//
// The rules of its streams:
//
//   - standard output carries the result and nothing else: a document or a
//     table, or one verified event per line in canonical JSON;
//   - standard error carries sentences that start with "svc-edge:";
//   - text that came from a node is quoted before a terminal shows it.
package main

import (
	"os"

	"github.com/svc-edge/svc-verify/internal/cliapp"
)

// The exit codes beside cliapp.ExitFailure.
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
