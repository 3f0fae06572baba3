package secretstore_test

import (
	"errors"
	"iter"
	"slices"
	"time"

	"github.com/svc-edge/svc-verify/harness/chance"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/service/durable"
	"github.com/svc-edge/svc-verify/service/secretstore"
)

// journal is what a node keeps, and outlives it.
type journal interface {
	secretstore.Journal
	events() iter.Seq[secretstore.Event]
	fail()        // the disk fails: nothing is kept any more
	broken() bool // whether it has failed
	reopen()      // the node starts again
}

// memoryJournal keeps what a journal keeps as the bytes that would be on disk.
type memoryJournal struct {
	state  []byte
	log    []secretstore.Event
	failed bool
}

func (j *memoryJournal) Load() (seal.Object, error) {
	if j.state == nil {
		return nil, nil
	}
	return seal.Parse(j.state)
}

func (j *memoryJournal) Keep(state seal.Object, events ...secretstore.Event) error {
	j.state = seal.Canonical(state)
	for _, e := range events {
		e.Data = seal.CloneObject(e.Data)
		j.log = append(j.log, e)
	}
	return nil
}

func (j *memoryJournal) events() iter.Seq[secretstore.Event] { return slices.Values(j.log) }
func (j *memoryJournal) fail()                               { j.failed = true }
func (j *memoryJournal) broken() bool                        { return j.failed }
func (j *memoryJournal) reopen()                             { j.failed = false }

// diskJournal is a journal in a state directory, as that of a node.
type diskJournal struct {
	t      tester
	dir    string
	store  *durable.Store
	log    *seal.Log
	failed bool
}

var (
	nodeKey = seal.Key{ID: "node-1", Private: chance.Fresh().Stream("node").Ed25519()}
	kind    = "secret_store"
)

// newDiskJournal makes a journal in an empty directory. Its owner closes it.
func newDiskJournal(t tester, dir string) *diskJournal {
	j := &diskJournal{t: t, dir: dir}
	j.open()
	return j
}

func (j *diskJournal) open() {
	var err error
	if j.store, err = durable.Open(j.dir, "journal"); err != nil {
		j.t.Fatalf("%v", err)
	}
	j.log = seal.NewLog("acme-corp", "node/node-1")
	for _, event := range j.lines() {
		must.Do(j.t, j.log.Resume(event))
	}
}

func (j *diskJournal) lines() (events []seal.Object) {
	lines, err := j.store.Lines(0, 1<<20)
	must.Do(j.t, err)
	for _, line := range lines {
		event, err := seal.Parse(line)
		must.Do(j.t, err)
		events = append(events, event)
	}
	return events
}

func (j *diskJournal) close() {
	check.Do(j.t, j.store.Close())
}

func (j *diskJournal) Load() (seal.Object, error) { return j.store.Get(kind, "1") }

func (j *diskJournal) Keep(state seal.Object, events ...secretstore.Event) error {
	return j.store.Update(func(tx *durable.Tx) error {
		err := tx.Put(kind, "1", state)
		for _, e := range events {
			err = errors.Join(err, tx.Append(j.log.Append(seal.Entry{
				Type: e.Type, TransactionID: e.TransactionID, OccurredAt: time.Unix(1772442000, 0), Data: e.Data,
			}, nodeKey)))
		}
		return err
	})
}

func (j *diskJournal) events() iter.Seq[secretstore.Event] {
	return func(yield func(secretstore.Event) bool) {
		for _, event := range j.lines() {
			body := seal.Member(event, "body")
			e := secretstore.Event{
				Type: seal.Text(body, "type"), TransactionID: seal.Text(body, "transaction_id"), Data: seal.Member(body, "data"),
			}
			if !yield(e) {
				return
			}
		}
	}
}

func (j *diskJournal) fail()        { j.failed = true }
func (j *diskJournal) broken() bool { return j.failed }

func (j *diskJournal) reopen() {
	j.close()
	j.failed = false
	j.open()
}
