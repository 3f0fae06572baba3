package secretstore

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"

	"github.com/svc-edge/svc-verify/service/nodeconfig"
)

// Reload implements [Workload] (service/docs/secret-store.md, Reload). The error holds
// nothing of what the program wrote.
func (w workload) Reload(ctx context.Context, certificateFile string) error {
	r := w.settings.Reload
	if r == nil {
		return nil
	}
	program, err := r.Open()
	if err != nil {
		return fmt.Errorf("the reload program: %w", err)
	}
	defer program.Close()
	return run(ctx, r, program, certificateFile)
}

// run runs the program that was opened, until its time is over.
func run(ctx context.Context, r *nodeconfig.Reload, program *os.File, certificateFile string) error {
	limited, cancel := context.WithTimeout(ctx, r.Timeout)
	defer cancel()
	command := exec.CommandContext(limited, program.Name())
	command.Args = []string{program.Name()}
	for _, argument := range r.Arguments {
		command.Args = append(command.Args, strings.ReplaceAll(argument, "{certificate}", certificateFile))
	}
	command.Env = []string{"PATH=" + os.Getenv("PATH")}
	itself(command, program)
	apart(command)
	switch err := command.Run(); {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return fmt.Errorf("the reload program: %w", ctx.Err())
	case limited.Err() != nil:
		return fmt.Errorf("the reload program was killed after %s", r.Timeout)
	default:
		return ended(err)
	}
}

// ended says how a program failed.
func ended(err error) error {
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return fmt.Errorf("the reload program failed: %s", exit.ProcessState)
	}
	return fmt.Errorf("the reload program cannot be run: %w", err)
}
