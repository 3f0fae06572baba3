package deployment

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/svc-edge/svc-verify/service/httpd"
)

// A process that was asked to end is killed after this time.
const endTimeout = time.Minute

// Process is one part of a running deployment.
type Process struct {
	Name string
	args []string
	log  string

	command *exec.Cmd
	ended   chan struct{} // closed when it has ended
	err     error         // how it ended
}

// ID is the process id.
func (p *Process) ID() int { return p.command.Process.Pid }

// Ended is closed when the process has ended.
func (p *Process) Ended() <-chan struct{} { return p.ended }

// Running is a running deployment.
type Running struct {
	*Deployment
	program string // the svc-harness that runs the parts

	mu        sync.Mutex
	processes map[string]*Process
}

// Parts are the names of the processes, in the order in which they are started.
func (l *Layout) Parts() []string {
	parts := []string{partCollector, partCloud}
	if l.SecretStore {
		parts = append(parts, partStore, partWorkload)
	}
	return append(parts, l.Nodes...)
}

// Run starts the parts of a deployment with a svc-harness program. They go on until they are
// stopped. A collector or a workload that was set to misbehave is mended. It fails, and starts
// nothing, while one of their addresses is taken.
func (d *Deployment) Run(program string) (*Running, error) {
	if taken := d.Taken(); len(taken) > 0 {
		return nil,
			fmt.Errorf("not free: %s; nothing was started; does this deployment run already? Or was a part started by hand?",
				strings.Join(taken, ", "))
	}
	if err := d.mend(); err != nil {
		return nil, err
	}
	r := &Running{Deployment: d, program: program, processes: map[string]*Process{}}
	for _, name := range d.Parts() {
		p, err := r.Start(name)
		if err == nil && !slices.Contains(d.Nodes, name) { // the nodes look for the others
			err = p.listens(d.At[name])
		}
		if err != nil {
			return nil, errors.Join(err, r.Stop())
		}
	}
	return r, nil
}

// Taken names the parts whose addresses are in use, each with its
// address: "mesh-oslo-1 at 127.0.0.1:25288". The listener would be taken for that
// part.
func (d *Deployment) Taken() []string {
	var taken []string
	for _, name := range slices.Sorted(slices.Values(d.listeners())) {
		l, err := net.Listen("tcp", d.At[name])
		if err == nil {
			err = l.Close()
		}
		if err != nil {
			taken = append(taken, name+" at "+d.At[name])
		}
	}
	return taken
}

// listens waits until the process accepts connections.
func (p *Process) listens(address string) error {
	for deadline := time.Now().Add(readyTimeout); ; {
		conn, err := net.DialTimeout("tcp", address, time.Second)
		if err == nil {
			return conn.Close()
		}
		if p.hasEnded() {
			return p.early()
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("%s does not listen: %w; see %s", p.Name, err, p.log)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// arguments returns the arguments of the program that runs a part.
func (r *Running) arguments(name string) []string {
	if slices.Contains(r.Nodes, name) {
		return []string{"node", "run", filepath.Join(r.Node(name), "config.json")}
	}
	return []string{"part", "--dir", r.Dir, name}
}

// Start starts a part that is not running, one of [Deployment.Parts], with further flags if
// there are any. Its command and its output are added to logs/<name>.log.
func (r *Running) Start(name string, flags ...string) (*Process, error) {
	p := &Process{Name: name, args: append(r.arguments(name), flags...), log: r.path("logs", name+".log"),
		ended: make(chan struct{})}
	log, err := os.OpenFile(p.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	p.command = exec.Command(r.program, p.args...) //nolint:gosec // the program is the caller's own
	p.command.Stdout, p.command.Stderr = log, log
	// An interrupt at the terminal is for the one that supervises.
	apart(p.command)
	if _, err := fmt.Fprintln(log, "$", p.command); err != nil {
		return nil, errors.Join(err, log.Close())
	}
	if err := errors.Join(p.command.Start(), log.Close()); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	r.mu.Lock()
	r.processes[name] = p
	r.mu.Unlock()
	go func() {
		p.err = p.command.Wait()
		close(p.ended)
	}()
	return p, nil
}

// Process is the process of a part, nil if it was never started.
func (r *Running) Process(name string) *Process {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.processes[name]
}

// End asks a process to end, waits, and kills it if it does not.
func (p *Process) End() error {
	select {
	case <-p.ended:
		return nil
	default:
	}
	if err := p.command.Process.Signal(syscall.SIGTERM); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	select {
	case <-p.ended:
		return p.endedBy(syscall.SIGTERM)
	case <-time.After(endTimeout):
		return errors.Join(fmt.Errorf("%s did not end within %s", p.Name, endTimeout), p.Kill())
	}
}

// endedBy is how the process ended, nil for exit code 0 and for the signal: it
// may come before the process looks out for it.
func (p *Process) endedBy(s syscall.Signal) error {
	if status, ok := p.command.ProcessState.Sys().(syscall.WaitStatus); ok && status.Signaled() &&
		status.Signal() == s {
		return nil
	}
	return p.err
}

// Kill ends a process at once, whatever it is doing.
func (p *Process) Kill() error {
	err := p.command.Process.Kill()
	<-p.ended
	if errors.Is(err, os.ErrProcessDone) {
		return nil
	}
	return err
}

// Stop ends every part: the nodes first, the collector and the secret store last, so that
// everything that the nodes still export or write arrives.
func (r *Running) Stop() error {
	var errs []error
	for _, names := range [][]string{r.Nodes, {partCloud, partWorkload}, {partCollector, partStore}} {
		var all sync.WaitGroup
		results := make([]error, len(names))
		for i, name := range names {
			if p := r.Process(name); p != nil {
				all.Go(func() { results[i] = p.End() })
			}
		}
		all.Wait()
		errs = append(errs, results...)
	}
	return errors.Join(errs...)
}

// readyTimeout is how long a deployment may take until it can issue.
const readyTimeout = 3 * time.Minute

// Ready waits until every node is enrolled, has the policy in force and is
// healthy, and the secret store is assigned to its node. It publishes the first
// policies if there are none.
func (r *Running) Ready(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, readyTimeout)
	defer cancel()
	cloud, err := r.CallCloud("operator", "ada")
	if err != nil {
		return err
	}
	defer cloud.Close()
	var last error
	for {
		last = r.ready(ctx, cloud)
		for _, name := range r.Parts() {
			if p := r.Process(name); p.hasEnded() {
				return p.early()
			}
		}
		if last == nil {
			return r.Collect(ctx)
		}
		if httpd.Pause(ctx, askAgain, nil) != nil {
			return fmt.Errorf("the deployment did not become ready: %w; see %s", last, r.path("logs"))
		}
	}
}

// early is the error of a process that has ended although it was to go on.
func (p *Process) early() error {
	return fmt.Errorf("%s has ended: %s; see %s", p.Name, p.Outcome(), p.log)
}

// Outcome describes in a few words how a process has ended.
func (p *Process) Outcome() string { return p.command.ProcessState.String() }

func (p *Process) hasEnded() bool {
	select {
	case <-p.ended:
		return true
	default:
		return false
	}
}
