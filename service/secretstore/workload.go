package secretstore

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"strings"

	"github.com/svc-edge/svc-verify/service/nodeconfig"
)

// workload is the service behind the health URL of the settings, and the program that notifies
// it of a new certificate.
type workload struct{ settings *nodeconfig.SecretStore }

// NewWorkload returns the workload of these settings. It uses the health URL, the request
// timeout and the reload.
func NewWorkload(s *nodeconfig.SecretStore) Workload { return workload{s} }

// errLeaf reports that the health URL shows another certificate.
var errLeaf = errors.New("expected the new leaf at the health URL, found another")

// Probe implements [Workload], over a connection of its own each time
// (service/docs/secret-store.md, Health check).
func (w workload) Probe(ctx context.Context, leaf []byte) error {
	limited, cancel := context.WithTimeout(ctx, w.settings.RequestTimeout)
	defer cancel()
	asked, err := http.NewRequestWithContext(limited, http.MethodGet, w.settings.HealthURL, nil)
	if err != nil {
		return errors.New("expected a health URL that can be asked, found another")
	}
	asked.Header.Set("User-Agent", userAgent)
	transport := singleTransport(w.settings.RequestTimeout)
	// Not the authority decides here but the leaf itself, whose key the server
	// must have: the handshake shows that, whatever authority signed the certificate.
	transport.TLSClientConfig.InsecureSkipVerify = true // #nosec G402 -- VerifyConnection is stricter
	transport.TLSClientConfig.VerifyConnection = func(s tls.ConnectionState) error {
		if len(s.PeerCertificates) == 0 || !bytes.Equal(s.PeerCertificates[0].Raw, leaf) {
			return errLeaf
		}
		return nil
	}
	answer, err := transport.RoundTrip(asked)
	if err != nil {
		return connectionError(ctx, "no answer at the health URL", err, "")
	}
	_ = answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("expected the status 200 at the health URL, found %d", answer.StatusCode)
	}
	return nil
}

// Reload implements [Workload] (service/docs/secret-store.md, Reload). The error contains
// nothing of the program's output.
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
	return runReload(ctx, r, program, certificateFile)
}

// runReload runs the program that was opened, until its time is over.
func runReload(ctx context.Context, r *nodeconfig.Reload, program *os.File, certificateFile string) error {
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
		return endError(err)
	}
}

// endError returns how a program failed.
func endError(err error) error {
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return fmt.Errorf("the reload program failed: %s", exit.ProcessState)
	}
	return fmt.Errorf("the reload program cannot be run: %w", err)
}
