package secretstore_test

import (
	"context"
	"crypto"
	"crypto/x509"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/service/adapter"
	"github.com/svc-edge/svc-verify/service/kv"
	"github.com/svc-edge/svc-verify/service/nodeconfig"
	"github.com/svc-edge/svc-verify/service/secretstore"
)

// tester is a *testing.T, or a property's *rapid.T.
type tester interface {
	Helper()
	Errorf(format string, arguments ...any)
	Fatal(arguments ...any)
	Fatalf(format string, arguments ...any)
	Logf(format string, arguments ...any)
}

// window is the rollback window of all worlds.
const window = 60 * time.Second

// world is a node with its journal, a store, the workload behind it and the
// time: everything that a run changes.
type world struct {
	t        tester
	place    place
	settings *nodeconfig.SecretStore
	now      time.Time
	journal  *journal
	service  *service
	workload secretstore.Workload // the service, unless a test sets another
	desired  adapter.Desired      // of the console
	line     *line
	node     *secretstore.Adapter
	cancel   context.CancelFunc // of the call that runs

	script func(point) outcome // the outcome at a point; may be nil
	points []point             // that were passed
	dead   bool                // the node stopped in the middle of a call
	files  map[string]bool     // seen in the managed directory

	inUse    string            // digest of the certificates committed last
	ended    map[string]string // by transaction: "" for promoted, else the code
	mine     map[string]string // digest of each record that the node wrote, by path
	slots    map[string]string // of transactions, from the journal
	seen     map[string]bool   // generations that are whole
	judged   int               // events that were checked against the store
	released map[string]bool   // slots, from the journal

	foreign  bool // someone else has just written: the store's content is not the node's
	tampered bool // someone else has written, at some time
}

// newWorld is a world before its first call. Its files stand in an empty
// directory.
func newWorld(t tester, dir string, p place) *world {
	t.Helper()
	w := &world{
		t: t, desired: desired, place: p, settings: settingsOf(t, dir, p), journal: &journal{},
		now:   time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC),
		inUse: pemDigest(pairNumber(0).Certificate), files: map[string]bool{}, ended: map[string]string{},
		mine: map[string]string{}, slots: map[string]string{}, seen: map[string]bool{}, released: map[string]bool{},
	}
	w.line = &line{w: w, inner: p.client(w.settings)}
	w.service = &service{w: w}
	w.workload = w.service
	w.start()
	return w
}

// settingsOf are the settings of a node whose files stand in an empty directory.
func settingsOf(t tester, dir string, p place) *nodeconfig.SecretStore {
	token, managed := filepath.Join(dir, "token"), filepath.Join(dir, "managed")
	bearer := []byte(p.token(kv.AdapterRules(p.mount, p.base)...))
	must.Do(t, errors.Join(os.WriteFile(token, bearer, 0o600), os.Mkdir(managed, 0o700)))
	bootstrap := pairNumber(0)
	s := &nodeconfig.SecretStore{
		AdapterReference: desired.AdapterReference, ProfileID: desired.ProfileID, Address: p.origin,
		TokenFile: nodeconfig.File{Path: token}, Mount: p.mount, BasePath: p.base,
		ManagedDirectory: nodeconfig.File{Path: managed},
		Bootstrap: nodeconfig.Identity{
			Chain: []*x509.Certificate{bootstrap.Leaf, issuer().Certificate}, Key: bootstrap.PrivateKey.(crypto.Signer),
		},
		HealthURL: "https://workload.example/healthz", RequestTimeout: time.Minute, RollbackWindow: window,
		Reload: &nodeconfig.Reload{Timeout: time.Minute},
	}
	if p.authority != nil {
		s.Authorities.Certificates = []*x509.Certificate{p.authority.Certificate}
	}
	return s
}

// start makes the node's adapter anew from the state that its journal kept.
func (w *world) start() {
	w.t.Helper()
	w.dead = false
	node, err := secretstore.New(secretstore.Config{
		Settings: w.settings, Store: w.line, Workload: w.workload, Journal: keeper{w},
		Now: func() time.Time { return w.now }, Wait: w.wait, Log: slog.New(slog.DiscardHandler),
	})
	must.OK(w.t, err, "a node over its own journal")
	w.node = node
}

// wait lets time pass.
func (w *world) wait(ctx context.Context, d time.Duration) error {
	if !w.interrupted(w.pass("wait"), crashBefore, stopBefore) && ctx.Err() == nil {
		w.now = w.now.Add(d)
	}
	return ctx.Err()
}

// stopped is the panic that ends a node.
type stopped struct{}

// stop ends the node in the middle of a call.
func (w *world) stop() {
	w.dead = true
	panic(stopped{})
}

// interrupted ends the node if the outcome is crash, and its call if it is stop. It
// reports whether the call has ended.
func (w *world) interrupted(out, crash, stop outcome) bool {
	switch out {
	case crash:
		w.stop()
	case stop:
		w.cancel()
	}
	return out == stop
}

// errStopped is the error of a call that the node did not live to end.
var errStopped = errors.New("the node stopped")

// call has the node do something. A node that stopped meanwhile is started again; one whose
// context ended continues as it is.
func (w *world) call(f func(context.Context, *secretstore.Adapter) error) (err error) {
	w.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	w.cancel = cancel
	defer func() {
		switch r := recover().(type) {
		case nil:
		case stopped:
			err = errStopped
		default:
			panic(r)
		}
		switch {
		case err != nil && (w.dead || w.journal.failed):
			err = errStopped
			w.journal.failed = false
			w.start()
		case err != nil && ctx.Err() != nil:
			err = errStopped
		}
	}()
	return f(ctx, w.node)
}

// check polls once.
func (w *world) check() error {
	w.t.Helper()
	return w.call(func(ctx context.Context, node *secretstore.Adapter) error { return node.Check(ctx, w.desired) })
}

// settle polls until the node reports that all is well, at most so often as an interruption
// can need. The codes on the way are codes of an interruption.
func (w *world) settle() {
	w.t.Helper()
	var said []string
	for range 8 {
		err := w.check()
		if err == nil {
			w.landLate()
			w.holds()
			return
		}
		said = append(said, err.Error())
		if !errors.Is(err, errStopped) && !transient[adapter.CodeOf(err)] {
			break
		}
		w.now = w.now.Add(10 * time.Second)
	}
	w.t.Fatalf("the node does not become healthy: %q", said)
}

// landLate lets everything arrive that is still on its way. The node has said
// that all is well: it cannot change the pointer any more.
func (w *world) landLate() {
	w.t.Helper()
	if len(w.line.late) == 0 {
		return
	}
	before := w.standing()
	w.line.land(atHealthy)
	after := w.standing()
	must.That(w.t, after.number == before.number,
		"the node said that all is well, and a late write changed the pointer from %v to %v", before.record, after.record)
}

// transient are the codes of failures that are over as soon as the store answers.
var transient = map[string]bool{adapter.StoreUnavailable: true, adapter.RecoveryPending: true}

// stage does as the agent does: the work is given again until it has a result.
// It returns its code, "" for success.
func (w *world) stage(d delivery) string {
	w.t.Helper()
	return w.work(d, func(ctx context.Context, node *secretstore.Adapter) error { return node.Stage(ctx, d.Delivery) })
}

// promote is Verify & promote, or the promotion of an automatic rotation.
func (w *world) promote(d delivery) string {
	w.t.Helper()
	code := w.work(d, func(ctx context.Context, node *secretstore.Adapter) error { return node.Promote(ctx, d.Delivery) })
	if code == "" {
		w.inUse = d.digest
	}
	w.ended[d.TransactionID] = code
	return code
}

// deliver carries a delivery out to its end.
func (w *world) deliver(d delivery) string {
	w.t.Helper()
	if code := w.stage(d); code != "" {
		w.ended[d.TransactionID] = code
		return code
	}
	if !d.automatic {
		w.settle()
	}
	return w.promote(d)
}

func (w *world) work(d delivery, f func(context.Context, *secretstore.Adapter) error) string {
	w.t.Helper()
	for range 6 {
		err := w.call(f)
		if err == nil || !errors.Is(err, errStopped) {
			return adapter.CodeOf(err)
		}
		w.settle()
	}
	w.t.Fatalf("%s does not end", d.TransactionID)
	return ""
}
