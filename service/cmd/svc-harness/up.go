package main

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"text/template"

	"github.com/svc-edge/svc-verify/internal/cliapp"
	"github.com/svc-edge/svc-verify/internal/safetext"
	"github.com/svc-edge/svc-verify/service/deployment"
)

func runDeployment(c *cliapp.Context) (int, error) {
	ctx, stop := untilInterrupted()
	defer stop()
	d, err := deployment.Prepare(c.Text("dir"), deployment.Plan{
		TenantID: c.Text("tenant"), Nodes: deployment.NodeIDs(c.Number("nodes")), SecretStore: c.Switch("secret-store"),
	})
	if err != nil {
		return 0, err
	}
	if c.Switch("secret-store") && !d.SecretStore {
		return 0, cliapp.Usagef("the deployment in %s has no secret store; choose another --dir", c.Text("dir"))
	}
	program, err := os.Executable()
	if err != nil {
		return 0, err
	}
	fmt.Fprintf(c.Stderr, "svc-harness: starting %s of %s in %s\n", safetext.Count(len(d.Nodes), "node"), d.TenantID,
		d.Dir)
	running, err := d.Run(program)
	if err != nil {
		return 0, err
	}
	err = errors.Join(superviseParts(ctx, c, running), running.Stop())
	if left := d.Taken(); len(left) > 0 {
		fmt.Fprintf(c.Stderr, "svc-harness: started by hand, and still there: %s\n", strings.Join(left, ", "))
	}
	return 0, err
}

// untilInterrupted returns a context that ends when the program is interrupted or terminated, or loses
// its terminal.
func untilInterrupted() (context.Context, context.CancelFunc) {
	// Otherwise a write to a closed pipe would end this process, and leave the
	// parts behind.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	return signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
}

// reportEnd reports that a part has ended.
func reportEnd(ctx context.Context, c *cliapp.Context, r *deployment.Running, name string) {
	p := r.Process(name)
	select {
	case <-ctx.Done():
		return
	case <-p.Ended():
	}
	if ctx.Err() != nil {
		return
	}
	fmt.Fprintf(c.Stderr, "svc-harness: %s has ended: %s; logs/%s.log has the command that starts it\n", name,
		p.Outcome(), name)
}

// superviseParts returns where everything is once it is ready, and waits for the end.
func superviseParts(ctx context.Context, c *cliapp.Context, r *deployment.Running) error {
	if err := r.Ready(ctx); err != nil {
		if ctx.Err() != nil {
			return nil
		}
		return err
	}
	made, err := r.NewConsole(c.Text("operator"), func(link string) {
		fmt.Fprintf(c.Stderr, "svc-harness: the link of the console was used; the next one is %s\n", link)
	})
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	console := make(chan error, 1)
	go func() { console <- r.ServeConsole(ctx, made) }()
	if err := printPlaces(c.Stdout, r, r.ConsoleLink(made)); err != nil {
		return err
	}
	for _, name := range r.Parts() {
		go reportEnd(ctx, c, r, name)
	}
	err = <-console
	fmt.Fprintln(c.Stderr, "svc-harness: stopping; the state is in "+r.Dir)
	return err
}

//go:embed places.txt
var places string

// printPlaces lists all places, and commands to try. The token of the secret store comes on
// standard input, for anyone can read the arguments of a process.
func printPlaces(w io.Writer, r *deployment.Running, link string) error {
	return template.Must(template.New("places.txt").Parse(places)).Execute(w, struct {
		*deployment.Running
		Link string
	}{r, link})
}

func runPart(ctx context.Context, c *cliapp.Context) (int, error) {
	d, err := openDeployment(c)
	if err != nil {
		return 0, err
	}
	return 0, d.RunPart(ctx, c.Args[0], jsonLog(c))
}
