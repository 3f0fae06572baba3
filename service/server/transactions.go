package server

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"time"

	"github.com/svc-edge/svc-verify/harness/eventtype"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/service/durable"
	"github.com/svc-edge/svc-verify/service/form"
	"github.com/svc-edge/svc-verify/service/httpd"
)

// transactions are all of one tenant: the open ones in memory, the others in the
// store alone.
type transactions struct {
	*tenant
	open   map[string]*transaction // those that need something done
	newest int64                   // number of the newest
}

// restore loads the transactions that need something done.
func (ts *transactions) restore() error {
	newest, err := ts.store.Get(kindState, stateNewest)
	if err != nil {
		return err
	}
	ts.newest = seal.Integer(newest, "number")
	return ts.store.Each(kindOpen, "", func(e durable.Entry) error {
		t, err := ts.stored(e.ID)
		if err != nil {
			return err
		}
		ts.open[t.id()] = t
		if t.Case.Terms != nil && t.status() == statusPending {
			ts.cloud.Remember(t.Transaction)
		}
		return nil
	})
}

// room refuses another transaction while too many are open.
func (ts *transactions) room() error {
	if len(ts.open) >= ts.config.MaximumOpen {
		return httpd.Refuse(http.StatusServiceUnavailable, "unavailable", "%d transactions are open already",
			len(ts.open))
	}
	return nil
}

// begin adds a transaction. It is open until [transactions.finish].
func (ts *transactions) begin(t *transaction) {
	ts.newest++
	t.Number, t.ExpiresAt = ts.newest, ts.now().Add(ts.config.Expiry)
	t.Votes, t.Denials, t.spurned = map[string]string{}, map[string]bool{}, map[string]bool{}
	ts.open[t.id()] = t
	ts.save(kindTransaction, t.id(), t.document)
	ts.put(kindOpen, t.id(), seal.Object{})
	ts.put(kindState, stateNewest, seal.Object{"number": ts.newest})
}

// finish lets go of a transaction with which nothing more is to be done. A
// rotation gets its last status.
func (ts *transactions) finish(t *transaction, rotation string) {
	if t.Rotation != nil {
		ts.setRotation(t, rotation)
	}
	delete(ts.open, t.id())
	ts.cloud.Forget(t.id())
	ts.put(kindOpen, t.id(), nil)
	ts.save(kindTransaction, t.id(), t.document)
}

// setRotation logs and keeps the status of a rotation.
func (ts *transactions) setRotation(t *transaction, status string) {
	t.Rotation.enter(status, ts.now())
	data, view := t.Rotation.withoutMembers("status", "names", "steps", "intent"), t.Rotation.view()
	data["intent_sha256"] = seal.StatementDigest(t.Rotation.Intent)
	if t.Code != "" {
		data["code"] = t.Code
	}
	ts.cloud.NoteOf(t.id(), eventtype.Rotation(status), data)
	view["transaction_id"] = t.id()
	if t.Code != "" {
		view["code"], view["detail"] = t.Code, t.Detail
	}
	ts.put(kindRotation, descendingID(t.Number), view)
	ts.save(kindTransaction, t.id(), t.document)
}

// find returns a transaction, open or not, or nil if there is none.
func (ts *transactions) find(id string) (*transaction, error) {
	if t := ts.open[id]; t != nil {
		return t, nil
	}
	return ts.stored(id)
}

// stored reads a transaction from the store.
func (ts *transactions) stored(id string) (*transaction, error) {
	document, err := ts.store.Get(kindTransaction, id)
	if err != nil || document == nil {
		return nil, err
	}
	t, err := restoreTransaction(document)
	if err != nil {
		return nil, fmt.Errorf("the stored transaction %s: %w", id, err)
	}
	return t, nil
}

// inOrder lists the open transactions by their age.
func (ts *transactions) inOrder() []*transaction {
	byAge := func(a, b *transaction) int { return cmp.Compare(a.Number, b.Number) }
	return slices.SortedFunc(maps.Values(ts.open), byAge)
}

// repeated returns the transaction of an application that was made before, nil if
// there is none. Another application under the same id is a conflict.
func (ts *transactions) repeated(a application) (*transaction, error) {
	t, err := ts.find(a.id)
	if err != nil || t == nil {
		return nil, err
	}
	if seal.Digest(seal.Object(t.Request)) != seal.Digest(a.request) {
		return nil, conflictError("transaction %s exists and is another one", a.id)
	}
	return t, nil
}

// of returns the transaction of a call's path, if the caller may see it.
func (ts *transactions) of(c *call) (*transaction, error) {
	t, err := ts.named(c.PathValue("id"))
	if err == nil && c.who.Role == roleWorkload && c.who.Name != t.profile() {
		return nil, notFound("no transaction %q", t.id())
	}
	return t, err
}

// show answers with a transaction, once its status is final or the wait over.
func (ts *transactions) show(c *call) (seal.Object, error) {
	wait, err := c.wait(60)
	if err != nil {
		return nil, err
	}
	var view seal.Object
	err = ts.awaitDone(c.Context(), wait, func() (bool, time.Duration, error) {
		t, err := ts.of(c)
		if err != nil {
			return false, 0, err
		}
		view = t.view()
		return t.status() != statusPending, 0, nil
	})
	return view, err
}

// named finds a transaction that a caller names.
func (ts *transactions) named(id string) (*transaction, error) {
	t, err := ts.find(id)
	if err == nil && t == nil {
		err = notFound("no transaction %q", id)
	}
	return t, err
}

// concerned returns the transaction that a result is for.
func (ts *transactions) concerned(f *fields) (*transaction, error) {
	id := f.Text("transaction_id", form.SubjectID)
	if err := f.close(); err != nil {
		return nil, err
	}
	return ts.named(id)
}
