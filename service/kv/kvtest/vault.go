package kvtest

import (
	"bufio"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/internal/testca"
	"github.com/svc-edge/svc-verify/service/kv"
)

// Program is the real server's program, "" if there is none.
func Program() string { return os.Getenv("VAULTD") }

// process is the one real server of a test program. It ends with the program,
// since that holds the other end of its standard input.
var process struct {
	sync.Mutex
	*realServer
	err error
}

// realServer is a running server that was initialised.
type realServer struct {
	address, root, key string
	authority          *testca.Authority
	// input keeps the server running: it ends when this is closed.
	input io.Closer
}

// newVaultMount returns a new mount of the real server, which it starts if it is the
// first.
func newVaultMount(t testing.TB, program string) Backend {
	t.Helper()
	process.Lock()
	defer process.Unlock()
	if process.realServer == nil && process.err == nil {
		process.realServer, process.err = startVault(t, program)
	}
	must.Do(t, process.err)
	s, mount := process.realServer, "kv-"+strings.ToLower(rand.Text())
	a := s.client(t).Do(http.MethodPost, "sys/mounts/"+mount, `{"type":"kv","options":{"version":"2"}}`)
	must.That(t, a.Status == http.StatusNoContent, "no mount: status %d, %q", a.Status, a.Errors())
	s.ready(t, mount)
	return Backend{
		Name: "vault", Address: s.address, Authority: s.authority, Mount: mount, RootToken: s.root,
		Token: s.token, Seal: s.seal,
		Unseal: func(t testing.TB) {
			s.unseal(t)
			s.ready(t, mount)
		},
	}
}

// startVault starts the server, initialises and unseals it.
func startVault(t testing.TB, program string) (*realServer, error) {
	dir, err := os.MkdirTemp("", "vaultd")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }() // it has read them when it has printed its address
	s := &realServer{authority: testca.New("engine")}
	certificate, key, _ := s.authority.Files(dir)
	cmd := exec.Command(program, "-listen", "127.0.0.1:0", "-tls-cert", certificate, "-tls-key", key)
	log, err := os.Create(filepath.Join(dir, "log"))
	if err != nil {
		return nil, err
	}
	defer log.Close()
	cmd.Stderr = log
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if s.input, err = cmd.StdinPipe(); err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		said, _ := os.ReadFile(log.Name())
		return nil, fmt.Errorf("%s did not start: %w\n%s", program, err, said)
	}
	s.address = strings.TrimSpace(line)
	return s, s.initialise(t)
}

// initialise makes the keys of a new server and unseals it.
func (s *realServer) initialise(t testing.TB) error {
	a := s.client(t).Do(http.MethodPut, "sys/init", `{"secret_shares":1,"secret_threshold":1}`)
	list, _ := a.Document["keys"].([]any)
	if len(list) != 1 {
		return fmt.Errorf("no initialisation: status %d, %q", a.Status, a.Errors())
	}
	s.key, _ = list[0].(string)
	s.root, _ = a.Document["root_token"].(string)
	if s.key == "" || s.root == "" {
		return errors.New("no initialisation: no key or no token")
	}
	s.unseal(t)
	return nil
}

func (s *realServer) client(t testing.TB) *Client { return clientOf(t, s.authority, s.address, s.root) }

func (s *realServer) unseal(t testing.TB) {
	t.Helper()
	a := s.client(t).Do(http.MethodPut, "sys/unseal", map[string]string{"key": s.key})
	must.That(t, a.Document["sealed"] == false, "still sealed: status %d, %q", a.Status, a.Errors())
}

// ready waits until the engine answers: it prepares its storage after the mount
// and after each unsealing.
func (s *realServer) ready(t testing.TB, mount string) {
	t.Helper()
	must.EventuallyOK(t, "the engine", func() error {
		a := s.client(t).Do(http.MethodGet, mount+"/metadata/none", nil)
		if a.Status == http.StatusNotFound && len(a.Errors()) == 0 {
			return nil
		}
		return fmt.Errorf("it is not ready: status %d, %q", a.Status, a.Errors())
	})
}

func (s *realServer) token(t testing.TB, rules ...kv.Rule) string {
	t.Helper()
	var policy strings.Builder
	policy.WriteString("# rules of a test\n") // a policy must not be empty
	for _, r := range rules {
		var quoted []string
		for _, c := range r.Capabilities {
			quoted = append(quoted, strconv.Quote(c))
		}
		fmt.Fprintf(&policy, "path %q { capabilities = [%s] }\n", r.Path, strings.Join(quoted, ", "))
	}
	name := strings.ToLower(rand.Text())
	a := s.client(t).Do(http.MethodPut, "sys/policies/acl/"+name, map[string]string{"policy": policy.String()})
	must.That(t, a.Status == http.StatusNoContent, "no policy: status %d, %q", a.Status, a.Errors())
	a = s.client(t).Do(http.MethodPost, "auth/token/create", map[string]any{"policies": []string{name},
		"no_default_policy": true})
	auth, _ := a.Document["auth"].(map[string]any)
	token, _ := auth["client_token"].(string)
	must.That(t, token != "", "no token: status %d, %q", a.Status, a.Errors())
	return token
}

func (s *realServer) seal(t testing.TB) {
	t.Helper()
	a := s.client(t).Do(http.MethodPut, "sys/seal", nil)
	must.That(t, a.Status == http.StatusNoContent, "not sealed: status %d, %q", a.Status, a.Errors())
}
