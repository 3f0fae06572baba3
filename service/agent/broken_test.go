package agent

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/svc-edge/svc-verify/harness/chance"
	"github.com/svc-edge/svc-verify/harness/consent"
	"github.com/svc-edge/svc-verify/harness/node"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/service/durable"
	"github.com/svc-edge/svc-verify/service/feed"
	"github.com/svc-edge/svc-verify/service/nodeconfig"
)

// judging is an agent that can judge, and does nothing else.
func judging(t *testing.T) *Agent {
	t.Helper()
	dir := t.TempDir()
	must.Do(t, os.Chmod(dir, 0o700))
	store := must.Get(durable.Open(dir, "journal"))(t)
	config := Config{
		Node: &nodeconfig.Config{TenantID: "t", NodeID: "n", StateDirectory: nodeconfig.File{Path: dir}},
		Log:  slog.New(slog.NewTextHandler(io.Discard, nil)),
	}
	a := newAgent(newCore(config, store), time.Hour)
	t.Cleanup(func() { a.store.Close() })
	must.Do(t, a.restore())
	return a
}

func note(a *Agent) func(tx *durable.Tx) error {
	return func(*durable.Tx) error { a.node.Note("t", "", seal.Object{}); return nil }
}

// A refusal changes nothing; a decision that could not be made durable is the
// last one.
func TestDecide(t *testing.T) {
	a := judging(t)
	why := errors.New("no")
	check.Equal(t, a.update(func(*durable.Tx) error { return refuse(why) }), why, "a refusal")
	if err := a.update(note(a)); err != nil || a.node.Sequence() != 1 {
		t.Errorf("after a refusal: %v", err)
	}
	// A signed event cannot be taken back: such a refusal is none.
	err := a.update(func(tx *durable.Tx) error { return errors.Join(note(a)(tx), refuse(why)) })
	check.That(t, err != nil && a.dead() != nil, "an event was signed and not kept: %v, %v", err, a.dead())
	check.That(t, a.update(note(a)) != nil && a.update(func(*durable.Tx) error { return nil }) != nil, "the node went on")
	if n, err := a.store.Sequence(); n != 1 || err != nil {
		t.Errorf("%d events are durable, %v", n, err)
	}
}

// A process whose state cannot be written any more ends.
func TestEndsWhenNothingIsDurable(t *testing.T) {
	a := judging(t)
	must.Do(t, a.store.Close())
	must.That(t, a.update(note(a)) != nil, "a decision without a store")
	check.Fails(t, a.identity.watch(context.Background()), "durable", "it goes on")
}

// A journal that was changed is not gone on with.
func TestRefusesAnotherJournal(t *testing.T) {
	for name, damage := range map[string]func(events []seal.Object){
		"as it is":          func([]seal.Object) {},
		"an altered event":  func(e []seal.Object) { seal.Member(e[1], "body")["type"] = "other" },
		"an event left out": func(e []seal.Object) { e[1] = e[2] },
		"another hash":      func(e []seal.Object) { e[2]["hash"] = e[1]["hash"] },
	} {
		a := judging(t)
		var events []seal.Object
		for range 3 {
			must.Do(t, a.update(note(a)))
		}
		for event, err := range a.store.Events() {
			must.Do(t, err)
			events = append(events, event)
		}
		damage(events)
		_, err := node.Restore(node.Config{
			ID: "n", Roster: consent.NewRoster("t"), Clock: a.clock, Salts: chance.New(1).Stream("s"),
			Key: *a.key.Load(), Keep: a.append,
		}, node.State{Journal: func(yield func(seal.Object, error) bool) {
			for _, e := range events {
				if !yield(e, nil) {
					return
				}
			}
		}})
		check.Equal(t, err == nil, name == "as it is", "%s: %v", name, err)
	}
}

// Evidence that was renewed just now does not expire with the older one.
func TestExpiresOnlyTheNewest(t *testing.T) {
	a := judging(t)
	a.feed = feedOf(t, a)
	keep := func(evidence seal.Object) durable.Entry {
		must.Do(t, a.store.Update(func(tx *durable.Tx) error { return tx.Put(kindCapability, "id", evidence) }))
		return durable.Entry{ID: "id", Document: evidence}
	}
	must.Do(t, a.update(note(a)))
	older := keep(a.sign(seal.Object{"workload_profile": "p", "capability": "c", "expires_at": seal.Time(a.now())}))
	newer := keep(a.sign(seal.Object{"workload_profile": "p", "capability": "c", "expires_at": seal.Time(a.now())}))
	for _, step := range []struct {
		entry durable.Entry
		left  bool
	}{{older, true}, {newer, false}, {newer, false}} {
		must.Do(t, a.capabilities.expire(step.entry))
		left, err := a.store.Get(kindCapability, "id")
		check.That(t, err == nil && (left != nil) == step.left, "left is %v, %v", left, err)
	}
	check.Equal(t, events(t, a), 1, "trust events")
}

// events is the number of trust events that were published.
func events(t *testing.T, a *Agent) int {
	t.Helper()
	return len(must.Get(a.store.List("trust-event", "", 10))(t))
}

// A key that was made for a rotation that did not come to pass is taken for the
// next one.
func TestTakesAnUnusedKeyUp(t *testing.T) {
	a := judging(t)
	unused := must.Get(makeKey(a.config.StateDirectory.Path, "n", 2))(t)
	again, err := makeKey(a.config.StateDirectory.Path, "n", 2)
	check.That(t, err == nil && again.Public().Equal(unused.Public()) && again.ID == "n/2",
		"another key %s, %v", again.ID, err)
}

func TestKeyFiles(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "identity.key")
	good := must.Get(MakeIdentity(dir, "n"))(t)
	content := must.Get(os.ReadFile(path))(t)
	for name, c := range map[string]struct {
		content string
		mode    os.FileMode
	}{
		"as it is":        {string(content), 0o600},
		"group may read":  {string(content), 0o640},
		"others may read": {string(content), 0o604},
		"empty":           {"", 0o600},
		"more behind":     {string(content) + "x", 0o600},
		"another block":   {strings.ReplaceAll(string(content), "PRIVATE", "PUBLIC"), 0o600},
		"no PEM":          {"secret-text", 0o600},
	} {
		must.Do(t, os.WriteFile(path, []byte(c.content), 0o600))
		must.Do(t, os.Chmod(path, c.mode))
		key, err := MakeIdentity(dir, "n")
		check.That(t, (err == nil) == (name == "as it is") && (err != nil || key.Public().Equal(good.Public())),
			"%s: %v", name, err)
		check.That(t, err == nil || !strings.Contains(err.Error(), "secret-text"),
			"%s: the error repeats the file: %v", name, err)
	}
	must.Do(t, os.Rename(path, path+".real"))
	must.Do(t, os.Symlink(path+".real", path))
	check.That(t, check.Err(MakeIdentity(dir, "n")) != nil, "a link was followed")
}

// feedOf is a feed of the agent's store.
func feedOf(t *testing.T, a *Agent) *feed.Feed {
	t.Helper()
	return must.Get(feed.New(feed.Config{TenantID: "t", NodeID: "n", Store: a.store, Sign: a.sign, Clock: a.clock}))(t)
}
