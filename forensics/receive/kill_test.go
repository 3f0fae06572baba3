package receive

import (
	"bufio"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/chain/event"
	"github.com/svc-edge/svc-verify/forensics/cases"
	"github.com/svc-edge/svc-verify/forensics/ingest"
	"github.com/svc-edge/svc-verify/forensics/store"
	"github.com/svc-edge/svc-verify/harness/chance"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/internal/sqlite"
)

// childEnv makes the test binary a sink. Its value is an [order] as JSON.
const childEnv = "SVC_VERIFY_TEST_RECEIVE"

// order contains the instructions for a child.
type order struct {
	Case, Certificate, Key, ClientCA string
	User                             byte   // whose key vouches; 0: no one's
	FileSize                         uint64 // bytes that no file may exceed, as on a full disk; 0: any
}

func TestMain(m *testing.M) {
	if text := os.Getenv(childEnv); text != "" {
		child(text)
	}
	os.Exit(m.Run())
}

// child receives until it is killed, and prints its address on stdout.
func child(text string) {
	var o order
	must.Have(0, json.Unmarshal([]byte(text), &o))
	must.Have(0, limitFiles(o.FileSize))
	var user []store.Option
	if o.User > 0 {
		user = append(user, cases.As(o.User))
	}
	s := must.Have(Open(Options{Case: o.Case, CaseOptions: user, TLS: must.Have(TLS(o.Certificate, o.Key, o.ClientCA)),
		MaxBody: 1 << 20, MaxConnections: 64, Log: func(string) {}}))
	l := must.Have(net.Listen("tcp", "127.0.0.1:0"))
	fmt.Println(l.Addr())
	must.Have(s.Serve(context.Background(), l))
	os.Exit(0)
}

// life is one life of a child, with clients that send to it until it dies.
type life struct {
	*sink
	cmd *exec.Cmd

	mu    sync.Mutex
	acked []int // batches
	after int   // acknowledgements left until the child is killed
}

func live(t *testing.T, o order, after int) *life {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childEnv+"="+string(must.Have(json.Marshal(o))))
	cmd.Stderr = os.Stderr
	stdout := must.Have(cmd.StdoutPipe())
	must.Do(t, cmd.Start())
	said := bufio.NewScanner(stdout)
	must.That(t, said.Scan(), "the sink did not start")
	return &life{sink: &sink{t: t, path: o.Case, base: "https://" + said.Text()}, cmd: cmd, after: after}
}

// client sends batches until the child is gone, and has it killed when enough
// were acknowledged.
func (l *life) client(name string, from int) {
	own := client(clientsOf()[name])
	defer own.CloseIdleConnections()
	lines := journal()
	for n := from; ; n += killClients {
		n %= len(lines) / killBatch
		r, err := l.post(own, message{kind: typeProto, batch: fmt.Sprint(n),
			body: proto(lines[n*killBatch : (n+1)*killBatch]...)})
		if err != nil {
			return
		}
		check.That(l.t, r.status == http.StatusOK, "%+v", r)
		l.mu.Lock()
		l.acked = append(l.acked, n)
		l.after--
		if l.after == 0 {
			l.cmd.Process.Kill()
		}
		l.mu.Unlock()
	}
}

const (
	killClients = 4
	killBatch   = 10
)

// clientsOf are the certificates of the clients.
var clientsOf = sync.OnceValue(func() map[string]tls.Certificate {
	all := map[string]tls.Certificate{}
	for i := range killClients {
		all[fmt.Sprint(i)] = ours().Client(fmt.Sprint("node-", i))
	}
	return all
})

// TestKilled kills sinks at arbitrary moments under load, again and again with
// the same case: everything that was acknowledged in any life is in it, and its
// sources are whole.
func TestKilled(t *testing.T) {
	dir := t.TempDir()
	certificate, key, ca := ours().Files(dir)
	o := order{Case: filepath.Join(dir, "case.db"), Certificate: certificate, Key: key, ClientCA: ca}
	random := rand.New(rand.NewPCG(7, 7))
	acked := map[int]bool{}
	for range chance.Sized(12, 4) {
		l := live(t, o, 1+random.IntN(30))
		var group sync.WaitGroup
		at := random.IntN(len(journal()) / killBatch)
		for i := range killClients {
			group.Go(func() { l.client(fmt.Sprint(i), at+i) })
		}
		group.Wait()
		err := l.cmd.Wait()
		must.That(t, err != nil && strings.Contains(err.Error(), "killed"), "the sink ended by itself: %v", err)
		for _, n := range l.acked {
			acked[n] = true
		}
		l.holds(acked)
	}
	t.Logf("%d of %d batches were acknowledged", len(acked), len(journal())/killBatch)
}

// TestKilledIsOnesOwn: a case whose sink was killed is its user's own, interrupted, and
// no one else's; after a sink that came to its end the key vouches for all of it, until
// another one changes it.
func TestKilledIsOnesOwn(t *testing.T) {
	dir := t.TempDir()
	certificate, key, ca := ours().Files(dir)
	o := order{Case: filepath.Join(dir, "case.db"), Certificate: certificate, Key: key, ClientCA: ca, User: 1}
	l := live(t, o, 5)
	l.client("0", 0)
	err := l.cmd.Wait()
	must.That(t, err != nil && strings.Contains(err.Error(), "killed"), "the sink ended by itself: %v", err)
	stands(t, o.Case, store.Interrupted, store.Unknown)

	ended := filepath.Join(dir, "ended.db")
	s := newArchive(ended, cases.As(1))
	for range 2 { // it is let go, and taken again
		must.Do(t, s.openCase())
		must.Get(ingest.NewCapture(s.w, "receive:a/2026"))(t)
		s.letGo()
		stands(t, ended, store.Made, store.Unknown)
	}
	alter(t, ended)
	stands(t, ended, store.Unknown, store.Unknown)
	must.Do(t, s.openCase())
	must.Get(ingest.NewCapture(s.w, "receive:b/2026"))(t)
	s.letGo()
	stands(t, ended, store.Unknown, store.Unknown)
}

// newArchive returns the archive of a user's sink.
func newArchive(path string, user store.Option) *archive {
	return &archive{path: path, options: []store.Option{user}, warn: func(string) {}}
}

// stands checks how far a case is believed by its user and by another one. A writer recovers
// from the files that a kill left next to the case, and vouches for nothing new.
func stands(t *testing.T, path string, own, other store.Standing) {
	t.Helper()
	for user, want := range map[byte]store.Standing{1: own, 2: other} {
		c := must.Have(store.OpenWrite(path, cases.As(user)))
		check.Equal(t, c.Standing(), want, "user %d: standing", user)
		must.Do(t, c.Close())
	}
}

// alter changes a case as anyone with write access can.
func alter(t *testing.T, path string) {
	t.Helper()
	c := must.Have(sqlite.Open(path, sqlite.ReadWrite))
	const insert = "INSERT INTO unread VALUES ('other', 'source.unreadable', '')"
	must.Do(t, errors.Join(c.Exec(insert), c.Close()))
}

// holds wants every acknowledged event in the case, and whole sources.
func (l *life) holds(acked map[int]bool) {
	l.t.Helper()
	c := l.reader()
	present := map[chain.Hash]bool{}
	for _, log := range must.Have(c.Logs(l.t.Context())) {
		for e, err := range c.Events(l.t.Context(), log, 1, 1<<40) {
			must.Do(l.t, err)
			present[e.Recorded] = true
		}
	}
	for n := range acked {
		for _, line := range journal()[n*killBatch : (n+1)*killBatch] {
			var e event.Line
			must.That(l.t, event.Scan(line, &e) && present[e.Recorded],
				"an event of batch %d was acknowledged and is not there", n)
		}
	}
	for _, source := range must.Have(c.Sources(l.t.Context())) {
		check.That(l.t, source.Complete, "%+v is not whole", source)
	}
	check.Do(l.t, c.Close())
	w := must.Get(store.OpenWrite(l.path))(l.t)
	check.Do(l.t, w.Close())
}
