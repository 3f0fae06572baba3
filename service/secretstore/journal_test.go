package secretstore_test

import (
	"errors"

	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/service/secretstore"
)

// journal is what a node keeps, and outlives it: the bytes that would be on disk.
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
