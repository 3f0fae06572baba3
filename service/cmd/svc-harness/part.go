package main

import (
	"context"

	"github.com/svc-edge/svc-verify/internal/cliapp"
)

func partCommand() *cliapp.Command {
	return &cliapp.Command{
		Name:    "part",
		Summary: "Run a part of a deployment by hand",
		Description: "PART is the collector, the cloud, the store or the workload, which up starts by this " +
			"command. The part continues with the state that it has in the deployment, logs to standard " +
			"error, a JSON object a line, and runs until it gets SIGINT or SIGTERM. svc-harness node run " +
			"runs a node.\n\n" +
			"The cloud ends with an error if a decision cannot be made durable. The store does not encrypt its secrets.",
		Args: "PART", Flags: []cliapp.Flag{dirFlag()},
		Examples: []string{"svc-harness part collector"},
		Action:   untilStopped(runPart),
	}
}

func runPart(ctx context.Context, c *cliapp.Context) (int, error) {
	d, err := openDeployment(c)
	if err != nil {
		return 0, err
	}
	return 0, d.RunPart(ctx, c.Args[0], jsonLog(c))
}
