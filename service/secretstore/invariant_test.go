package secretstore_test

import (
	"crypto/sha256"
	"crypto/tls"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/service/secretstore"
)

func hexDigest(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:])
}

func pemDigest(chain [][]byte) string { return hexDigest(pemOf(chain)) }

// wrote is called after each write of the node, on time or late.
func (w *world) wrote(path string, record seal.Object, _ error) {
	w.t.Helper()
	if digest := seal.Digest(record); path != "pointer" {
		before := w.mine[path]
		check.That(w.t, before == "" || before == digest, "%s was written with two contents", path)
		w.mine[path] = digest
		return
	}
	w.observe()
}

// observe checks, at any moment, that the pointer names only generations that it may name.
func (w *world) observe() {
	w.t.Helper()
	if w.foreign {
		return
	}
	p := w.place.read(w.t, "pointer", 0)
	if p.number == 0 {
		return
	}
	must.That(w.t, p.record != nil && seal.Text(p.record, "protocol") == "svc.store-kv-pointer.v1",
		"the pointer is %v", p)
	for _, name := range []string{"active", "standby", "previous"} {
		if slot := seal.Text(p.record, name); slot != "" || name == "active" {
			w.complete(slot, seal.Text(p.record, name+"_sha256"))
		}
	}
	active := seal.Text(p.record, "active_sha256")
	must.That(w.t, active == w.inUse || w.mayBecome(seal.Text(p.record, "active")),
		"the pointer names %s, which is neither in use nor being promoted", seal.Text(p.record, "active"))
	if want := fmt.Sprintf("slot-%06d", seal.Integer(p.record, "generation")); want != seal.Text(p.record, "active") {
		w.t.Errorf("the pointer's generation is %s, its active %s", want, seal.Text(p.record, "active"))
	}
}

// mayBecome reports whether a slot is on its way to be in use: its promotion was written
// ahead, and has not been taken back. A promotion whose end the agent does not know yet may
// have been committed.
func (w *world) mayBecome(slot string) bool {
	promoting := map[string]bool{}
	for _, e := range w.journal.log {
		switch e.Type {
		case "rotation.write_started":
			clear(promoting)
		case "rotation.promotion_started":
			promoting[seal.Text(e.Data, "slot")] = true
		case "rotation.rolled_back":
			promoting[seal.Text(e.Data, "slot")] = false
		}
	}
	return promoting[slot]
}

// complete checks that a generation is whole, was written by this node, once, and has the
// digest in the pointer. A generation that was seen once at a version and a creation time is
// not read again, as versions never change.
func (w *world) complete(slot, digest string) {
	w.t.Helper()
	path := "generations/" + slot
	m := w.place.metadata(w.t, path)
	must.That(w.t, m.number != 0 && !m.deleted && (m.number == 1 || w.tampered),
		"the pointer names %s, which is at version %d, deleted: %t", slot, m.number, m.deleted)
	seen := fmt.Sprint(path, m.number, m.created, digest)
	if w.seen[seen] {
		return
	}
	g := w.place.read(w.t, path, 0)
	must.That(w.t, seal.Digest(g.record) == w.mine[path], "the pointer names %s, which this node did not write", slot)
	certificates := seal.Text(g.record, "certificate_pem")
	if sum := hexDigest(certificates); sum != digest || sum != seal.Text(g.record, "certificate_sha256") {
		w.t.Fatalf("%s: the digest is not that of the pointer", slot)
	}
	must.OK(w.t, check.Err(tls.X509KeyPair([]byte(certificates), []byte(seal.Text(g.record, "private_key_pem")))),
		"%s", slot)
	w.seen[seen] = true
}

// holds checks everything that must hold while the node reports that all is well.
func (w *world) holds() {
	w.t.Helper()
	w.observe()
	w.checkJournal()
	for tx, code := range w.ended {
		must.That(w.t, code == "" || w.slots[tx] == "" || w.slots[tx] != w.active(),
			"%s failed with %s, and its slot is in use", tx, code)
	}
	for path := range w.mine {
		if w.tampered {
			break
		}
		v := w.place.metadata(w.t, path)
		check.That(w.t, v.number <= 1, "%s is at version %d", path, v.number)
	}
	state, err := w.journal.Load()
	must.Do(w.t, err)
	phase := seal.Text(seal.Member(state, "rotation"), "phase")
	if state["move"] != nil || !slices.Contains([]string{"writing", "written", "staged", "promoted", "failed"}, phase) {
		w.t.Errorf("all is well, and the state is that of a rotation which is %s, with a move %v", phase, state["move"])
	}
	if text := string(seal.Canonical(state)); strings.Contains(text, "PRIVATE KEY") || strings.Contains(text, "BEGIN") {
		w.t.Errorf("the node's state holds a key: %s", text)
	}
}

// standing is the pointer as it is.
func (w *world) standing() (p version) { return w.place.read(w.t, "pointer", 0) }

// active is the name of the slot in use.
func (w *world) active() string { return seal.Text(w.standing().record, "active") }

// checkFile checks that a file given to the workload contains the chain of the slot that the
// pointer names, and no key.
func (w *world) checkFile(path string) {
	w.t.Helper()
	slot := w.active()
	doc, err := os.ReadFile(path)
	must.That(w.t, err == nil && filepath.Base(path) == slot+".pem",
		"the workload is told of %s, the pointer names %s: %v", path, slot, err)
	check.That(w.t, string(doc) == seal.Text(w.place.read(w.t, "generations/"+slot, 0).record, "certificate_pem"),
		"%s does not hold the certificates of its slot", path)
}

// Which event of a rotation may come after which, and of the bootstrap.
var (
	followRotation = map[string][]string{
		"":                            {"rotation.write_started"},
		"rotation.write_started":      {"rotation.generation_written"},
		"rotation.generation_written": {"rotation.staging_started"},
		"rotation.staging_started":    {"rotation.promotion_started", "rotation.rollback_started"},
		"rotation.promotion_started":  {"rotation.pointer_moved", "rotation.rollback_started"},
		"rotation.pointer_moved":      {"rotation.reloaded", "rotation.rollback_started"},
		"rotation.reloaded":           {"rotation.rollback_started"},
		"rotation.rollback_started":   {"rotation.rolled_back"},
	}
	followBootstrap = map[string][]string{
		"":                            {"store.bootstrap_started"},
		"store.bootstrap_started":     {"rotation.generation_written"},
		"rotation.generation_written": {"store.bootstrapped"},
	}
)

// Events that belong to no such sequence.
var aside = []string{"rotation.released", "store.repaired", "store.withdrawn"}

// checkJournal checks that the journal records each step once, in an order that is allowed, of
// rotations one after the other, and how each ended.
func (w *world) checkJournal() {
	w.t.Helper()
	last, current, n := map[string]string{}, "", 0
	for _, e := range w.journal.log {
		if n++; n > w.judged {
			w.judged = n
			w.checkEvent(e)
		}
		tx, follow := e.TransactionID, followRotation
		switch {
		case slices.Contains(aside, e.Type):
			continue
		case e.Type == "rotation.write_started":
			current = tx
			w.slots[tx] = seal.Text(e.Data, "slot")
		case tx == "":
			follow = followBootstrap
		}
		must.That(w.t, slices.Contains(follow[last[tx]], e.Type) && (tx == "" || tx == current),
			"the journal tells of %s of %q after %q; the rotation under way is %q", e.Type, tx, last[tx], current)
		last[tx] = e.Type
	}
	w.checkEnds(last)
}

// checkEnds compares the last event of each rotation with how it ended.
func (w *world) checkEnds(last map[string]string) {
	w.t.Helper()
	for tx, code := range w.ended {
		promoted := last[tx] == "rotation.pointer_moved" || last[tx] == "rotation.reloaded"
		open := promoted || last[tx] == "rotation.promotion_started" || last[tx] == "rotation.rollback_started"
		check.That(w.t, (code != "" || promoted) && (code == "" || !open),
			"%s ended with %q, and the journal with %s", tx, code, last[tx])
	}
}

// checkEvent checks an event alone: that it contains no certificate and no key, that a repair
// is reported only where there was something to repair and a release once, and that a version
// of the pointer has the slot that the event names, as long as the engine keeps that version.
func (w *world) checkEvent(e secretstore.Event) {
	w.t.Helper()
	text := string(seal.Canonical(e.Data))
	check.That(w.t, !strings.Contains(text, "BEGIN"), "%s holds a key or a certificate: %s", e.Type, text)
	check.That(w.t, e.Type != "store.repaired" || w.tampered, "%v, and nobody has changed anything", e)
	if slot := seal.Text(e.Data, "released"); slot != "" {
		check.That(w.t, !w.released[slot], "%s was released twice", slot)
		w.released[slot] = true
	}
	number, active := seal.Integer(e.Data, "pointer_version"), seal.Text(e.Data, "active")
	if number == 0 || active == "" || w.tampered {
		return
	}
	now := w.standing().number
	check.That(w.t, number <= now, "%s tells of version %d of the pointer, which is at %d", e.Type, number, now)
	v := w.place.read(w.t, "pointer", number)
	check.That(w.t, v.record == nil || seal.Text(v.record, "active") == active,
		"%s tells of %s at version %d of the pointer, which names %s", e.Type, active, number, seal.Text(v.record, "active"))
}
