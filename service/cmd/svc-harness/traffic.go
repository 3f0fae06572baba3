package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/access"
	"github.com/svc-edge/svc-verify/internal/cliapp"
	"github.com/svc-edge/svc-verify/internal/safetext"
	"github.com/svc-edge/svc-verify/service/deployment"
)

// exitRefused is the exit code if the deployment refused what was asked.
const exitRefused = 1

// trafficCommands drive a deployment by hand.
func trafficCommands() []*cliapp.Command {
	return []*cliapp.Command{
		{
			Name: "issue", Summary: "Have certificates issued",
			Description: "Makes keys, asks for certificates as a workload does, and waits for the decision. " +
				"--proof exports the proof of the last one.",
			Flags: []cliapp.Flag{dirFlag(),
				{Name: "profile", Choices: deployment.Workloads, Default: deployment.Workloads[0],
					Usage: "The workload profile"},
				{Name: "lifetime", Kind: cliapp.Seconds, Value: "D", Default: "168h", Least: "1s", Most: "87840h",
					Usage: "How long the certificates are valid"},
				{Name: "count", Kind: cliapp.Number, Value: "N", Default: "1", Least: "1", Usage: "How many"},
				{Name: "proof", Value: "FILE", Usage: "Where to write the proof"},
				timeoutFlag(),
			},
			Examples: []string{"svc-harness issue", "svc-harness issue --profile edge-gateway --proof proof.json"},
			Action:   issue,
		},
		{
			Name: "prove", Summary: "Export the proof of a transaction", Args: "TRANSACTION",
			Flags: []cliapp.Flag{dirFlag(), {Name: "out", Value: "FILE",
				Usage: "Where to write it; standard output if not given"}},
			Examples: []string{"svc-harness prove tx-1 --out proof.json"}, Action: prove,
		},
		{
			Name: "revoke", Summary: "Revoke a certificate", Args: "TRANSACTION",
			Flags: []cliapp.Flag{dirFlag(), {Name: "reason", Value: "REASON", Default: "keyCompromise",
				Usage: "The reason, as RFC 5280 names it"}},
			Examples: []string{"svc-harness revoke tx-1 --reason superseded"}, Action: revoke,
		},
		{
			Name: "pause", Summary: "Use the kill switch: pause issuance",
			Flags: []cliapp.Flag{dirFlag(), {Name: "reason", Value: "TEXT", Default: "a demonstration",
				Usage: "Why"}},
			Examples: []string{"svc-harness pause --reason drill"}, Action: pause,
		},
		{
			Name: "resume", Summary: "Resume issuance, as two operators",
			Description: "The operator ada requests the resume, and grace approves it. With --request-only the request expires.",
			Flags: []cliapp.Flag{dirFlag(), {Name: "reason", Value: "TEXT", Default: "the demonstration is over",
				Usage: "Why"},
				{Name: "valid", Kind: cliapp.Seconds, Value: "D", Default: "15m", Least: "1m", Most: "1h",
					Usage: "How long the request waits, 1m to 1h"},
				{Name: "request-only", Kind: cliapp.Switch, Usage: "Request it without an approval"}},
			Examples: []string{"svc-harness resume"}, Action: resume,
		},
	}
}

// openDeployment opens the deployment that --dir names.
func openDeployment(c *cliapp.Context) (*deployment.Deployment, error) {
	d, err := deployment.Open(c.Text("dir"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w; svc-harness up makes a deployment", err)
	}
	return d, err
}

// withDeployment opens the deployment of a command. What the deployment refuses ends
// with [exitRefused] and the reason.
func withDeployment(c *cliapp.Context, f func(context.Context, *deployment.Deployment) error) (int, error) {
	d, err := openDeployment(c)
	if err != nil {
		return 0, err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	err = f(ctx, d)
	var refused *deployment.Refused
	if errors.As(err, &refused) {
		fmt.Fprintf(c.Stderr, "svc-harness: refused: %v\n", refused)
		return exitRefused, nil
	}
	if errors.Is(err, syscall.ECONNREFUSED) {
		return 0, fmt.Errorf("%w; svc-harness up runs the deployment", err)
	}
	return 0, err
}

// show prints members of a document, one a line.
func show(w io.Writer, o seal.Object, members ...string) {
	for _, name := range members {
		switch v := o[name].(type) {
		case string:
			fmt.Fprintf(w, "%-18s %s\n", name, v)
		case int64:
			fmt.Fprintf(w, "%-18s %d\n", name, v)
		}
	}
}

// timeoutFlag bounds how long a command waits for nodes.
func timeoutFlag() cliapp.Flag {
	return cliapp.Flag{Name: "timeout", Kind: cliapp.Seconds, Value: "D", Default: "10m", Least: "1s",
		Usage: "How long to wait for the nodes"}
}

// waiting is [withDeployment] for a command that waits for nodes, as long as --timeout
// says.
func waiting(c *cliapp.Context, f func(context.Context, *deployment.Deployment) error) (int, error) {
	return withDeployment(c, func(ctx context.Context, d *deployment.Deployment) error {
		limited, cancel := context.WithTimeout(ctx, c.Duration("timeout"))
		defer cancel()
		err := f(limited, d)
		if err != nil && limited.Err() != nil && ctx.Err() == nil {
			return fmt.Errorf("gave up after %s, and what was begun stays open; the console shows which nodes are away",
				safetext.Count(int64(c.Duration("timeout")/time.Second), "second"))
		}
		return err
	})
}

func issue(c *cliapp.Context) (int, error) {
	return waiting(c, func(ctx context.Context, d *deployment.Deployment) error {
		proof, err := outputOf(c, "proof")
		if err != nil {
			return err
		}
		defer proof.Discard()
		order := deployment.Order{Profile: c.Text("profile"), Lifetime: c.Duration("lifetime")}
		var last seal.Object
		for range c.Number("count") {
			if last, err = d.Issue(ctx, order); last != nil {
				show(c.Stdout, last, "transaction_id", "status", "certificate_serial", "not_after", "code", "detail")
			}
			if err != nil {
				return err
			}
		}
		if !c.Given("proof") {
			return nil
		}
		return writeProof(ctx, c, d, seal.Text(last, "transaction_id"), proof)
	})
}

func prove(c *cliapp.Context) (int, error) {
	return withDeployment(c, func(ctx context.Context, d *deployment.Deployment) error {
		proof, err := outputOf(c, "out")
		if err != nil {
			return err
		}
		defer proof.Discard()
		return writeProof(ctx, c, d, c.Args[0], proof)
	})
}

// outputOf opens the file of a flag, nil if it was not given.
func outputOf(c *cliapp.Context, flag string) (*access.AsideFile, error) {
	if !c.Given(flag) {
		return nil, nil
	}
	return access.OpenAside(c.Text(flag))
}

// evidenceWait is how long an export waits for witnesses.
const evidenceWait = 20 * time.Second

// writeProof exports a proof to a file, or to standard output without one.
func writeProof(ctx context.Context, c *cliapp.Context, d *deployment.Deployment, transactionID string,
	to *access.AsideFile) error {
	bundle, err := d.Evidence(ctx, transactionID, evidenceWait)
	if err != nil {
		return err
	}
	content := seal.Line(bundle)
	if to == nil {
		_, err := c.Stdout.Write(content)
		return err
	}
	if _, err := to.Write(content); err != nil {
		return err
	}
	if err := to.Commit(); err != nil {
		return err
	}
	fmt.Fprintf(c.Stderr, "svc-harness: the proof is in %s\n", safetext.Quote(to.Name()))
	return nil
}

func revoke(c *cliapp.Context) (int, error) {
	return withDeployment(c, func(ctx context.Context, d *deployment.Deployment) error {
		t, err := d.Operate(ctx, "ada", "/api/v1/transactions/"+c.Args[0]+"/revocation",
			seal.Object{"reason": c.Text("reason")})
		show(c.Stdout, t, "transaction_id", "status")
		return err
	})
}

func pause(c *cliapp.Context) (int, error) {
	return withDeployment(c, func(ctx context.Context, d *deployment.Deployment) error {
		_, err := d.Operate(ctx, "ada", "/api/v1/issuance/pause", seal.Object{"reason": c.Text("reason")})
		return err
	})
}

func resume(c *cliapp.Context) (int, error) {
	return withDeployment(c, func(ctx context.Context, d *deployment.Deployment) error {
		request, err := d.Operate(ctx, "ada", "/api/v1/issuance/resume-requests",
			seal.Object{"reason": c.Text("reason"), "valid_seconds": int64(c.Duration("valid") / time.Second)})
		if err != nil {
			return err
		}
		show(c.Stdout, request, "request_id", "expires_at")
		if c.Switch("request-only") {
			return nil
		}
		_, err = d.Operate(ctx, "grace", "/api/v1/issuance/resume-requests/"+seal.Text(request,
			"request_id")+"/approval", seal.Object{})
		return err
	})
}
