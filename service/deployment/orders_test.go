//go:build heavy && unix

package deployment_test

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/service/agent"
	"github.com/svc-edge/svc-verify/service/deployment"
)

// harness runs svc-harness with a command on the deployment, and returns its exit code and its
// output.
func (w *world) harness(args ...string) (int, string) {
	w.t.Helper()
	command := exec.Command(filepath.Join(programs, "svc-harness"), append(args, "--dir", w.Dir)...)
	out, err := command.CombinedOutput()
	code := command.ProcessState.ExitCode()
	must.That(w.t, code >= 0, "%q: %v", args, err)
	return code, string(out)
}

// signal sends a signal to a part.
func (w *world) signal(name string, s syscall.Signal) {
	w.t.Helper()
	must.Do(w.t, syscall.Kill(w.Process(name).ID(), s))
}

// hang stops a part, and has it continue at the end of the test at the latest.
func (w *world) hang(name string) {
	w.t.Helper()
	w.signal(name, syscall.SIGSTOP)
	w.t.Cleanup(func() { _ = syscall.Kill(w.Process(name).ID(), syscall.SIGCONT) })
}

// otherKeys has the keys of the signer change, so that the trust file would differ.
func (w *world) otherKeys() {
	w.t.Helper()
	must.Get(w.Call(w.t.Context(), "ada", "/api/v1/signer/rotation", seal.Object{}))(w.t)
}

// pinned waits until the trust file has the keys.
func pinned(t *testing.T, file string, keys ...string) {
	t.Helper()
	must.EventuallyOK(t, file+" has the keys", func() error {
		content, err := os.ReadFile(file)
		for _, key := range keys {
			if !bytes.Contains(content, []byte(`"`+key+`":`)) {
				err = fmt.Errorf("it does not have %s: %w:\n%s", key, err, content)
			}
		}
		return err
	})
}

// TestRotationThatIsNotDone: a rotation that its node or the cloud did not carry out never
// ends as done, even if other keys of the deployment have changed. The key of a rotation that
// is carried out later is in the trust file with the next proof.
func TestRotationThatIsNotDone(t *testing.T) {
	w := start(t, 4)
	id := w.Nodes[0]
	identity := func() (int, string) {
		return w.harness("rotate", "--what", "identity", "--node", id, "--timeout", "2s")
	}
	second := filepath.Join(w.Node(id), "state", "identity-2.key")
	for _, c := range []struct {
		name   string
		before func() // the order
		run    func() (int, string)
		after  func() // the order was given up on
	}{
		{"identity of a node that is dead", func() {
			must.Do(t, w.Process(id).Kill())
			w.otherKeys()
		}, identity, func() {}},
		{"identity of a node that made the key and died", func() {
			first := must.Get(os.ReadFile(filepath.Join(w.Node(w.Nodes[1]), "state", "identity.key")))(t)
			must.Do(t, os.WriteFile(second, first, 0o600))
		}, identity, func() {
			must.Do(t, os.Remove(second))
		}},
		{"certificate of a node that is dead", func() {}, func() (int, string) {
			return w.harness("rotate", "--node", id, "--timeout", "2s")
		}, func() {
			must.Get(w.Start(id))(t)
			w.waitLabel("trust path healthy")
			// The orders from before are carried out, so that the next one is another.
			w.waitLogged(id, `"enrolled","key_id":"`+id+`/2"`)
		}},
		{"identity of a node that hangs", func() { w.hang(id); w.otherKeys() }, identity,
			func() { w.signal(id, syscall.SIGCONT) }},
	} {
		c.before()
		code, out := c.run()
		check.That(t, code == 2 && strings.Contains(out, "gave up after 2 seconds") && !strings.Contains(out, "key_id"),
			"%s: exit %d\n%s", c.name, code, out)
		c.after()
	}
	w.waitLabel("trust path healthy")
	w.latelyProven("keys that changed meanwhile")
	pinned(t, w.TrustFile(), id+"/2", id+"/3", "signer-3")
}

// waitLogged waits until the log of a process has a text.
func (w *world) waitLogged(process, text string) {
	w.t.Helper()
	must.Eventually(w.t, "the log of "+process+" has "+text, func() bool {
		content, _ := os.ReadFile(filepath.Join(w.Dir, "logs", process+".log"))
		return bytes.Contains(content, []byte(text))
	})
}

// latelyProven issues by the command, and verifies the proof under the trust file of
// the deployment.
func (w *world) latelyProven(what string) {
	w.t.Helper()
	proof := filepath.Join(w.t.TempDir(), "proof.json")
	code, out := w.harness("issue", "--proof", proof)
	must.That(w.t, code == 0, "%s: exit %d\n%s", what, code, out)
	w.verify(proof, "issued")
}

// TestRotationThatFails: a node that cannot make its key has not rotated.
func TestRotationThatFails(t *testing.T) {
	w := start(t, 3)
	id := w.Nodes[0]
	second := filepath.Join(w.Node(id), "state", "identity-2.key")
	must.Do(t, os.WriteFile(second, []byte("no key"), 0o600))
	w.otherKeys()
	code, out := w.harness("rotate", "--what", "identity", "--node", id, "--timeout", "2s")
	check.That(t, code != 0 && !strings.Contains(out, "key_id"), "a node that cannot make its key: exit %d\n%s", code, out)
	must.Do(t, os.Remove(second))
	must.EventuallyOK(w.t, "the cloud knows the new key", func() error {
		keys, err := w.do(http.MethodGet, "/api/v1/keys", nil)
		if err == nil && seal.Text(seal.Member(keys, "nodes"), id+"/2") == "" {
			err = errors.New("it does not")
		}
		return err
	})
	w.latelyProven("a key that was made later")
	pinned(t, w.TrustFile(), id+"/2")
}

// TestTrustFileFollows: the next proof brings every key into the trust file that an order brought
// whose answer got lost. Edits made by hand stay until then.
func TestTrustFileFollows(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "deployment")
	u := bringUp(t, dir)
	t.Cleanup(func() {
		_ = u.command.Process.Signal(os.Interrupt)
		_ = u.command.Wait()
	})
	d := must.Get(deployment.Open(dir))(t)
	w := &world{t: t, Running: &deployment.Running{Deployment: d}}
	must.Do(t, os.WriteFile(d.TrustFile(), []byte("edited"), 0o600))
	w.otherKeys() // whose answer got lost
	id := d.Nodes[0]
	must.Do(t, agent.OrderRotation(filepath.Join(d.Node(id), "state")))
	w.waitLogged(id, `"enrolled","key_id":"`+id+`/2"`)
	check.Equal(t, string(must.Get(os.ReadFile(d.TrustFile()))(t)), "edited", "before a proof")
	w.latelyProven("keys of lost orders")
	pinned(t, d.TrustFile(), "signer-2", id+"/2")
}
