package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/svc-edge/svc-verify/internal/cliapp"
	"github.com/svc-edge/svc-verify/internal/safetext"
	"github.com/svc-edge/svc-verify/service/agent"
	"github.com/svc-edge/svc-verify/service/nodeconfig"
)

// nodeProcess is the commands that make a node and run it.
func nodeProcess() []*cliapp.Command {
	return []*cliapp.Command{
		{
			Name:    "init",
			Summary: "Make the identity of a node",
			Description: "Makes the node's first signing key in its state directory, if it is not there, and writes beside it a PKCS #10 request for the certificate of the local API, identity.csr, and the public key to pin, identity.pub.pem. " +
				"It reads only tenant_id, node_id, state_directory and local_api_address of the configuration: the certificates that it names need not exist yet.",
			Flags:    []cliapp.Flag{required("config", "CONFIG", "The node's config.json")},
			Examples: []string{"svc-harness node init --config config.json"},
			Action:   initNode,
		},
		{
			Name:        "run",
			Summary:     "Run a node",
			Description: "Checks the configuration and runs the node until it gets SIGINT or SIGTERM. It logs to standard error, a JSON object a line.",
			ExitCodes: []cliapp.ExitCode{
				{Code: 0, Meaning: "it was told to end"},
				{Code: exitFaults, Meaning: "the configuration has a fault"},
				{Code: cliapp.ExitFailure, Meaning: "wrong usage, or the node must not go on"},
			},
			Args: "CONFIG",
			Flags: []cliapp.Flag{
				{Name: "capability-lifetime", Kind: cliapp.Seconds, Value: "D", Default: "24h", Least: "1s",
					Usage: "How long the node's capability evidence is valid"},
			},
			Examples: []string{"svc-harness node run config.json"},
			Action:   untilStopped(runNode),
		},
		{
			Name:    "rotate-identity",
			Summary: "Replace a node's signing key by the next generation",
			Description: "Leaves an order in the node's state directory and waits until the node has carried it out. The old key signs the event that names the new one. A node that is not running carries the order out when it starts.\n\n" +
				"The certificate of the local API stays with the old key until the operator replaces it.",
			Args:     "CONFIG",
			Examples: []string{"svc-harness node rotate-identity config.json"},
			Action:   rotateIdentity,
		},
	}
}

// readNode reads a configuration without a fault; the code is that of one with.
func readNode(c *cliapp.Context) (*nodeconfig.Config, int, error) {
	name := c.Args[0]
	config, faults, err := nodeconfig.Read(name, time.Now())
	if err != nil {
		return nil, 0, fmt.Errorf("reading %s: %w", safetext.Quote(name), err)
	}
	if len(faults) > 0 {
		fmt.Fprint(c.Stderr, nodeCheckText("rejected", name, faults))
		return nil, exitFaults, nil
	}
	return config, 0, nil
}

// runNode runs a node until it is told to end.
func runNode(ctx context.Context, c *cliapp.Context) (int, error) {
	config, code, err := readNode(c)
	if config == nil {
		return code, err
	}
	logger := jsonLog(c)
	// What common code logs goes the same way.
	slog.SetDefault(logger)
	a, err := agent.Open(agent.Config{Node: config, Log: logger, CapabilityLifetime: c.Duration("capability-lifetime")})
	if err != nil {
		return 0, err
	}
	return 0, errors.Join(a.Run(ctx), a.Close())
}

// How long a node may take to carry out an order.
const (
	orderLimit = 30 * time.Second
	orderPoll  = 100 * time.Millisecond
)

// rotateIdentity orders a node to rotate its identity, and waits until it has.
func rotateIdentity(c *cliapp.Context) (int, error) {
	config, code, err := readNode(c)
	if config == nil {
		return code, err
	}
	directory := config.StateDirectory.Path
	if err := agent.OrderRotation(directory); err != nil {
		return 0, err
	}
	for deadline := time.Now().Add(orderLimit); agent.RotationOrdered(directory); {
		if time.Now().After(deadline) {
			return 0, errors.New("the node has not rotated its identity yet; it does so when it runs")
		}
		time.Sleep(orderPoll)
	}
	fmt.Fprintln(c.Stderr, "svc-harness: the node has rotated its identity")
	return 0, nil
}
