//go:build unix

package main

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/internal/testca"
)

// The messages of commands on standard error about a case, by how far it is believed.
const (
	saysInterrupted = "was interrupted, so your key does not vouch for its present content"
	saysResumed     = "was interrupted; the case has not changed since your last walk"
	saysForeign     = "your key does not vouch for the present content of this case"
	saysElsewhere   = "came from elsewhere"
)

// killedCase is a case that a command filled, with the trust file.
type killedCase struct {
	t                *testing.T
	dir, file, trust string
}

func newKilledCase(t *testing.T) killedCase {
	t.Helper()
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	k := killedCase{t: t, dir: t.TempDir()}
	must.Do(t, scenes()["revoked"].Write(k.dir))
	k.file, k.trust = filepath.Join(k.dir, "case.db"), filepath.Join(k.dir, "trust.json")
	return k
}

// receive fills the case with a journal by a sink, which it ends with a signal.
func (k killedCase) receive(end syscall.Signal) {
	k.t.Helper()
	authority := testca.New("test")
	certificate, key, ca := authority.Files(k.dir)
	s := startSink(k.t, "receive", k.file, "--listen", "127.0.0.1:0", "--tls-cert", certificate,
		"--tls-key", key, "--client-ca", ca)
	journal := must.Get(os.ReadFile(filepath.Join(k.dir, "journals", "mesh-berlin-1.ndjson")))(k.t)
	send(k.t, authority.HTTP(authority.Client("a")), s.url, exportOf(k.t, journal), http.StatusOK)
	must.Do(k.t, s.Process.Signal(end))
	err := s.Wait()
	must.That(k.t, (err == nil) == (end == syscall.SIGTERM), "after signal %d: %v", end, err)
}

// ingest kills an ingest that waits for standard input.
func (k killedCase) ingest() {
	k.t.Helper()
	p := startProcess(k.t, "ingest", k.file, "--progress", "json", filepath.Join(k.dir, "journals"), "-")
	check.That(k.t, p.stderr.Scan(), "it does not say that it works")
	must.Do(k.t, p.Process.Kill())
	must.That(k.t, p.Wait() != nil, "the ingest ended before it was killed")
}

// walked wants a walk to say one thing of the case, and none of the others.
func (k killedCase) walked(want string) {
	k.t.Helper()
	_, _, said := call(nil, "walk", k.file, "--trust", k.trust, "--quiet")
	for _, one := range []string{saysInterrupted, saysResumed, saysForeign, saysElsewhere} {
		check.That(k.t, strings.Contains(said, one) == (one == want), "want %q, and it says %s", want, said)
	}
	check.That(k.t, !strings.Contains(said, "custody"), "the journal is complained of: %s", said)
}

// alter changes the case as anyone with write access can.
func (k killedCase) alter() {
	k.t.Helper()
	edit(k.t, k.file, "INSERT INTO unread VALUES ('other', 'source.unreadable', '')")
}

// TestKilledCommands: a case whose receive or ingest was killed did not come from elsewhere,
// and is checked as a whole all the same. To another user it is foreign, and later changes by
// another user are noticed.
func TestKilledCommands(t *testing.T) {
	for name, fill := range map[string]func(killedCase){
		"receive": func(k killedCase) { k.receive(syscall.SIGKILL) },
		"ingest":  killedCase.ingest,
	} {
		t.Run(name, func(t *testing.T) {
			k := newKilledCase(t)
			fill(k)
			k.walked(saysInterrupted)
			k.walked(saysResumed)
			own := os.Getenv("XDG_STATE_HOME")
			t.Setenv("XDG_STATE_HOME", t.TempDir())
			k.walked(saysForeign)
			k.walked(saysElsewhere)
			t.Setenv("XDG_STATE_HOME", own)
			k.walked(saysResumed)
			k.alter()
			k.walked(saysForeign)
		})
	}
}

// TestReceivedIsOnesOwn: nothing is said of a case whose receive came to its end, until
// another one changes it.
func TestReceivedIsOnesOwn(t *testing.T) {
	k := newKilledCase(t)
	k.receive(syscall.SIGTERM)
	_, shown, _ := call(nil, "note", k.file, "--quiet")
	check.That(t, strings.Contains(shown, "receive, version") && strings.Contains(shown, "added 1 source"),
		"the journal is %s", shown)
	k.walked("")
	k.alter()
	k.walked(saysForeign)
	k.walked(saysElsewhere)
}
