package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"time"

	"github.com/svc-edge/svc-verify/internal/cliapp"
	"github.com/svc-edge/svc-verify/internal/columns"
	"github.com/svc-edge/svc-verify/internal/safetext"
	"github.com/svc-edge/svc-verify/service/agent"
	"github.com/svc-edge/svc-verify/service/nodeconfig"
)

// exitFaults is the exit code for a configuration with faults.
const exitFaults = 1

func checkNode(c *cliapp.Context) (int, error) {
	name, at := c.Args[0], time.Now()
	if c.Given("at") {
		at = c.Time("at")
	}
	_, faults, err := nodeconfig.Read(name, at)
	if err != nil {
		return 0, fmt.Errorf("reading %s: %w", safetext.Quote(name), err)
	}
	code, verdict := 0, "accepted"
	if len(faults) > 0 {
		code, verdict = exitFaults, "rejected"
	}
	if c.Text("output") == "json" {
		return code, writeNodeCheck(c.Stdout, verdict, faults)
	}
	_, err = io.WriteString(c.Stdout, nodeCheckText(verdict, name, faults))
	return code, err
}

// writeNodeCheck writes the result as one JSON document in printable ASCII.
func writeNodeCheck(w io.Writer, verdict string, faults nodeconfig.Faults) error {
	doc, err := safetext.MarshalIndent(struct {
		Schema  string            `json:"schema"`
		Verdict string            `json:"verdict"`
		Faults  nodeconfig.Faults `json:"faults"`
	}{"svc-harness/node-check/v1", verdict, faults}, "")
	if err != nil {
		return err
	}
	_, err = w.Write(append(doc, '\n'))
	return err
}

// nodeCheckText writes the result for people, on 80 columns.
func nodeCheckText(verdict, name string, faults nodeconfig.Faults) string {
	const width, indent = 80, 14
	var out strings.Builder
	fmt.Fprintf(&out, "%s  %s\n", verdict, columns.Cut(name, width-len(verdict)-2))
	for _, f := range faults {
		place := "the whole file"
		if f.Pointer != "" {
			place = columns.Cut(f.Pointer, width-2)
		}
		fmt.Fprintf(&out, "\n  %s\n", place)
		fmt.Fprintf(&out, "    expected  %s\n", columns.Wrap(safetext.Line(f.Expected), width, indent))
		fmt.Fprintf(&out, "    found     %s\n", columns.Wrap(safetext.Line(f.Found), width, indent))
	}
	return out.String()
}

// runNode runs a node until it is stopped. One whose configuration has a fault does not begin.
func runNode(ctx context.Context, c *cliapp.Context) (int, error) {
	name := c.Args[0]
	config, faults, err := nodeconfig.Read(name, time.Now())
	if err != nil {
		return 0, fmt.Errorf("reading %s: %w", safetext.Quote(name), err)
	}
	if len(faults) > 0 {
		fmt.Fprint(c.Stderr, nodeCheckText("rejected", name, faults))
		return exitFaults, nil
	}
	logger := jsonLog(c)
	// Messages of common code go to the same logger.
	slog.SetDefault(logger)
	a, err := agent.Open(agent.Config{Node: config, Log: logger, CapabilityLifetime: c.Duration("capability-lifetime")})
	if err != nil {
		return 0, err
	}
	return 0, errors.Join(a.Run(ctx), a.Close())
}
