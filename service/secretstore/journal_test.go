package secretstore_test

import (
	"bytes"
	"context"
	"encoding/pem"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/svc-edge/svc-verify/harness/chance"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/service/kv"
	"github.com/svc-edge/svc-verify/service/kv/kvtest"
	"github.com/svc-edge/svc-verify/service/secretstore"
	"github.com/svc-edge/svc-verify/service/secretstore/consumer"
)

// journal is a node's persistent data, which outlives it: the bytes that would be on disk.
type journal struct {
	state  []byte
	log    []secretstore.Event
	failed bool // nothing is kept any more, until the node starts again
}

func (j *journal) Load() (seal.Object, error) {
	if j.state == nil {
		return nil, nil
	}
	return seal.Parse(j.state)
}

func (j *journal) Keep(state seal.Object, events ...secretstore.Event) error {
	j.state = seal.Canonical(state)
	for _, e := range events {
		e.Data = seal.CloneObject(e.Data)
		j.log = append(j.log, e)
	}
	return nil
}

// keeper is the journal, with its faults. After an error the node must not go on.
type keeper struct{ w *world }

func (k keeper) Load() (seal.Object, error) { return k.w.journal.Load() }

func (k keeper) Keep(state seal.Object, events ...secretstore.Event) error {
	w := k.w
	name := "keep"
	for _, e := range events {
		name += " " + e.Type
	}
	out := w.pass(name)
	must.That(w.t, !w.journal.failed, "%s: the node goes on after its journal failed", name)
	if out == failUndone || out == crashBefore {
		w.journal.failed = true
	} else if err := w.journal.Keep(state, events...); err != nil {
		w.t.Fatalf("%s: %v", name, err)
	}
	switch out {
	case crashBefore, crashAfter:
		w.stop()
	case failUndone, failDone:
		w.journal.failed = true
		return errors.New("the disk is full")
	}
	return nil
}

// maker makes worlds that do not meet.
type maker struct {
	dir   string
	count int
	lock  sync.Mutex
}

func newMaker(t *testing.T) *maker { return &maker{dir: t.TempDir()} }

// next is an empty directory.
func (m *maker) next(t tester) string {
	m.lock.Lock()
	defer m.lock.Unlock()
	m.count++
	dir := filepath.Join(m.dir, fmt.Sprint(m.count))
	must.Do(t, os.Mkdir(dir, 0o700))
	return dir
}

// memory is a world without socket and disk.
func (m *maker) memory(t tester) *world {
	return newWorld(t, m.next(t), memoryPlace(t))
}

// real is a world with a client over TLS.
func (m *maker) real(t *testing.T, b kvtest.Backend) *world {
	dir, p := m.next(t), placeOf(t, b)
	p.base = "edge/payments-" + filepath.Base(dir)
	return newWorld(t, dir, p)
}

// everywhere runs cases in memory, and some of them with each engine over TLS: all
// with the real server, and one of so many with the embedded one.
func everywhere(t *testing.T, long, short int, run func(t *testing.T, world func(*testing.T) *world, few int)) {
	t.Helper()
	t.Parallel()
	m := newMaker(t)
	t.Run("memory", func(t *testing.T) {
		run(t, func(t *testing.T) *world { return m.memory(t) }, 1)
	})
	kvtest.Each(t, func(t *testing.T, b kvtest.Backend) {
		run(t, func(t *testing.T) *world { return m.real(t, b) }, few(b, long, short))
	})
}

// few is of how many of the cases that need connections one is taken.
func few(b kvtest.Backend, long, short int) int {
	switch {
	case testing.Short():
		return short
	case b.Name != "embedded":
		return 1
	}
	return long
}

// checks sets how many runs the next property has, unless the command line does.
func checks(t *testing.T, long, short int) {
	t.Helper()
	chance.Checks(chance.Sized(long, 5*short)) // a short test makes a fifth of them
}

// Modes of a service.
const (
	follows     = "follows"     // reads the store by the consumer rule before each answer
	slow        = "slow"        // only at the third question
	whenTold    = "when told"   // loads a certificate at the reload alone
	stuck       = "stuck"       // keeps its certificate
	unreachable = "unreachable" // does not answer
	reloadFails = "reload fails"
)

// service is the workload: it is another process, and here its mode decides how it behaves. It
// reads the store as a consumer may.
type service struct {
	w       *world
	mode    string
	serves  []byte // leaf, DER
	asked   int    // since its mode was set
	reloads []string
	store   consumer.Reader
}

// tell changes the service's behaviour from now on.
func (s *service) tell(mode string) { s.mode, s.asked = mode, 0 }

// read switches to the certificate that the pointer names.
func (s *service) read() error {
	if s.store == nil {
		own, p := *s.w.settings, s.w.place
		own.TokenFile.Path += ".consumer"
		bearer := []byte(p.token(kv.ConsumerRules(p.mount, p.base)...))
		must.Do(s.w.t, os.WriteFile(own.TokenFile.Path, bearer, 0o600))
		s.store = p.client(&own)
	}
	g, err := consumer.Read(context.Background(), s.store)
	if err != nil {
		return err
	}
	pair, err := g.Certificate()
	if err != nil {
		return err
	}
	s.serves = pair.Certificate[0]
	return nil
}

// Reload checks that the file which is to be taken up holds the certificates
// that the pointer names.
func (s *service) Reload(ctx context.Context, file string) error {
	out := s.w.pass("reload")
	switch {
	case s.w.interrupted(out, crashBefore, stopBefore):
		return ctx.Err()
	case out == failUndone || s.mode == reloadFails:
		return errors.New("the program failed")
	}
	if !s.w.foreign {
		s.w.checkFile(file)
	}
	s.reloads = append(s.reloads, file)
	if s.mode == whenTold {
		doc, err := os.ReadFile(file)
		block, _ := pem.Decode(doc)
		if err != nil || block == nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		s.serves = block.Bytes
	}
	s.w.interrupted(out, crashAfter, stopAfter)
	return ctx.Err()
}

func (s *service) Probe(ctx context.Context, leaf []byte) error {
	out := s.w.pass("probe")
	switch {
	case s.w.interrupted(out, crashBefore, stopBefore):
		return ctx.Err()
	case out == failUndone:
		return errLost
	}
	if s.asked++; s.mode == unreachable {
		return errLost
	}
	if s.mode == follows || s.mode == slow && s.asked > 2 {
		err := s.read()
		check.That(s.w.t, err == nil || s.w.foreign, "the workload cannot read: %v", err)
	}
	if s.w.interrupted(out, crashAfter, stopAfter) {
		return ctx.Err()
	}
	if !bytes.Equal(s.serves, leaf) {
		return errors.New("it shows another certificate")
	}
	return nil
}
