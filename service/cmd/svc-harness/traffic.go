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

// exitRefused is the exit code if the deployment refused the request.
const exitRefused = 1

// openDeployment opens the deployment that --dir names.
func openDeployment(c *cliapp.Context) (*deployment.Deployment, error) {
	d, err := deployment.Open(c.Text("dir"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w; svc-harness up makes a deployment", err)
	}
	return d, err
}

// withDeployment opens the deployment of a command. If the deployment refuses, the command
// ends with [exitRefused] and the reason.
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

// showMembers prints members of a document, one a line.
func showMembers(w io.Writer, o seal.Object, members ...string) {
	for _, name := range members {
		switch v := o[name].(type) {
		case string:
			fmt.Fprintf(w, "%-18s %s\n", name, v)
		case int64:
			fmt.Fprintf(w, "%-18s %d\n", name, v)
		}
	}
}

// withTimeout is [withDeployment] for a command that waits for nodes, for at most --timeout.
func withTimeout(c *cliapp.Context, f func(context.Context, *deployment.Deployment) error) (int, error) {
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

func issueCertificate(c *cliapp.Context) (int, error) {
	return withTimeout(c, func(ctx context.Context, d *deployment.Deployment) error {
		var proof *access.AsideFile
		var err error
		if c.Given("proof") {
			if proof, err = access.OpenAside(c.Text("proof")); err != nil {
				return err
			}
			defer proof.Discard()
		}
		order := deployment.Order{Profile: c.Text("profile"), Lifetime: c.Duration("lifetime")}
		var last seal.Object
		for range c.Number("count") {
			if last, err = d.Issue(ctx, order); last != nil {
				showMembers(c.Stdout, last, "transaction_id", "status", "certificate_serial", "not_after", "code", "detail")
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

// callCloud makes the call of the cloud that the arguments name.
func callCloud(c *cliapp.Context) (int, error) {
	var body seal.Object
	if len(c.Args) > 1 {
		var err error
		if body, err = seal.Parse([]byte(c.Args[1])); err != nil {
			return 0, cliapp.Usagef("BODY: expected a JSON object, found another text: %s", safetext.Line(err.Error()))
		}
	}
	return withDeployment(c, func(ctx context.Context, d *deployment.Deployment) error {
		answer, err := d.Call(ctx, c.Text("as"), c.Args[0], body)
		if err == nil {
			_, err = c.Stdout.Write(seal.Line(answer))
		}
		return err
	})
}

// evidenceWait is how long an export waits for witnesses.
const evidenceWait = 20 * time.Second

// writeProof exports a proof to a file.
func writeProof(ctx context.Context, c *cliapp.Context, d *deployment.Deployment, transactionID string,
	to *access.AsideFile) error {
	bundle, err := d.Evidence(ctx, transactionID, evidenceWait)
	if err != nil {
		return err
	}
	if _, err := to.Write(seal.Line(bundle)); err != nil {
		return err
	}
	if err := to.Commit(); err != nil {
		return err
	}
	fmt.Fprintf(c.Stderr, "svc-harness: the proof is in %s\n", safetext.Quote(to.Name()))
	return nil
}
