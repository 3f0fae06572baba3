package secretstore_test

import (
	"strings"

	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/must"
)

// effect is how a node sees a change.
type effect string

const (
	strange  effect = "strange"  // there is another content
	gone     effect = "gone"     // there is none, and the version is the same
	harmless effect = "harmless" // its content is there under another version: it was repaired
)

// tampering is a change of a record by someone else, and its repair.
type tampering struct {
	name string
	effect
	do func(place, tester, string, version)
	// mend restores the previous content; most use put.
	mend func(place, tester, string, version)
}

func mendByPut(p place, t tester, path string, was version) { p.put(t, path, was.record) }

func mendByUndelete(p place, t tester, path string, was version) { p.undelete(t, path, was.number) }

// mendAnew removes all versions before it puts the content back.
func mendAnew(p place, t tester, path string, was version) {
	p.forget(t, path)
	p.put(t, path, was.record)
}

var tamperings = []tampering{
	{"replaced", strange, func(p place, t tester, path string, was version) { p.put(t, path, forged(was.record)) },
		mendByPut},
	{"replaced, removed and mended anew", strange, func(p place, t tester, path string, was version) {
		p.put(t, path, forged(was.record))
	}, mendAnew},
	{"put back to version 1", strange, func(p place, t tester, path string, was version) {
		if first := p.read(t, path, 1); path == "pointer" && first.record != nil &&
			seal.Digest(first.record) != seal.Digest(was.record) {
			p.put(t, path, first.record)
			return
		}
		p.put(t, path, forged(was.record))
	}, mendByPut},
	{"garbage", strange, func(p place, t tester, path string, _ version) { p.put(t, path, seal.Object{"protocol": "?"}) },
		mendByPut},
	{"deleted", gone, func(p place, t tester, path string, _ version) { p.softDelete(t, path) }, mendByUndelete},
	{"deleted, mended by writing", gone, func(p place, t tester, path string, _ version) { p.softDelete(t, path) },
		mendByPut},
	{"destroyed", gone, func(p place, t tester, path string, was version) { p.destroy(t, path, was.number) }, mendByPut},
	{"removed", strange, func(p place, t tester, path string, _ version) { p.forget(t, path) }, mendByPut},
	{"removed and forged", strange, func(p place, t tester, path string, was version) {
		p.forget(t, path)
		p.put(t, path, forged(was.record))
	}, mendAnew},
	{"written again", harmless, mendByPut, nil},
	{"removed and written again", harmless, mendAnew, nil},
}

// forged is a record of the same form with another content: a pointer that was
// written at another time, or a generation with a certificate less.
func forged(o seal.Object) seal.Object {
	o = seal.CloneObject(o)
	if seal.Text(o, "updated_at") != "" {
		o["updated_at"] = "2026-03-02T08:59:59.999Z"
		return o
	}
	chain := seal.Text(o, "certificate_pem")
	o["certificate_pem"] = chain[:strings.LastIndex(chain, "-----BEGIN")]
	o["certificate_sha256"] = hexDigest(seal.Text(o, "certificate_pem"))
	return o
}

// changed is a record after someone has tampered with it.
type changed struct {
	tampering
	path       string
	was, found version
}

// tamper has someone else change a record.
func (w *world) tamper(c tampering, path string) changed {
	w.t.Helper()
	was := w.place.read(w.t, path, 0)
	c.do(w.place, w.t, path, was)
	w.tampered = true
	w.foreign = w.foreign || c.effect != harmless
	return changed{c, path, was, w.place.metadata(w.t, path)}
}

// untouched checks that the node left alone the record that someone else has written.
func (w *world) untouched(c changed) {
	w.t.Helper()
	now := w.place.metadata(w.t, c.path)
	must.That(w.t, now.number == c.found.number && now.created == c.found.created && now.deleted == c.found.deleted,
		"%s was %s by someone else, and the node went from %v on to %v", c.path, c.name, c.found, now)
}

// mended restores the earlier content.
func (w *world) mended(c changed) {
	w.t.Helper()
	c.mend(w.place, w.t, c.path, c.was)
	w.foreign = false
}

// told counts events of a type.
func (w *world) told(kind string) (n int) {
	for _, e := range w.journal.log {
		if e.Type == kind {
			n++
		}
	}
	return n
}
