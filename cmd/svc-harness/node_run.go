package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os/signal"
	"syscall"
	"time"

	"github.com/svc-edge/svc-verify/harness/node/agent"
	"github.com/svc-edge/svc-verify/internal/cliapp"
	"github.com/svc-edge/svc-verify/internal/nodeconfig"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

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
func runNode(c *cliapp.Context) (int, error) {
	config, code, err := readNode(c)
	if config == nil {
		return code, err
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	logger := slog.New(slog.NewJSONHandler(c.Stderr, nil))
	// What common code logs goes the same way.
	slog.SetDefault(logger)
	a, err := agent.Open(agent.Config{Node: config, Log: logger})
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
