package deployment_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/service/deployment"
)

// TestKill kills nodes at random moments, 200 times in all, while certificates
// are issued: no journal is ever broken or has a sequence twice, no cursor is
// ever ahead of the collector, and at the end nothing is lost.
func TestKill(t *testing.T) {
	w := start(t, 3)
	ctx, stop := context.WithCancel(t.Context())
	var load sync.WaitGroup
	load.Go(func() { w.load(ctx) })
	kills := 67 // of each node
	if testing.Short() {
		kills = 7
	}
	var killers sync.WaitGroup
	for _, id := range w.Nodes {
		killers.Go(func() {
			for i := range kills {
				if err := w.kill(id); err != nil {
					t.Errorf("%s, kill %d: %v", id, i+1, err)
					return
				}
			}
		})
	}
	killers.Wait()
	stop()
	load.Wait()
	w.waitLabel("trust path healthy")
	w.verify(w.prove(w.issue()), "issued")
	w.exported()
	w.journalsHold()
	w.collectedIsJournal()
}

// load asks for certificates until the context ends. While too few nodes are
// there they stay undecided.
func (w *world) load(ctx context.Context) {
	for ctx.Err() == nil {
		short, cancel := context.WithTimeout(ctx, 300*time.Millisecond)
		_, _ = w.Issue(short, deployment.Order{Profile: "payments-api", Lifetime: time.Hour})
		cancel()
	}
}

// kill kills a node, looks at what it left, and starts it again.
func (w *world) kill(id string) error {
	time.Sleep(time.Duration(rand.IntN(400)) * time.Millisecond) // any moment will do
	if err := w.Process(id).Kill(); err != nil {
		return err
	}
	if _, err := w.journal(id); err != nil {
		return err
	}
	if _, err := w.Start(id); err != nil {
		return err
	}
	deadline := time.Now().Add(time.Minute)
	for {
		i, err := w.integration(id, "otlp_audit")
		if err == nil {
			return w.cursorHolds(id, seal.Integer(i, "cursor"))
		}
		if time.Now().After(deadline) {
			return err
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// journal reads the whole lines of a node's journal file, which may end with a
// torn one, and holds that each event follows the one before.
func (w *world) journal(id string) (uint64, error) {
	b, err := os.ReadFile(w.Journal(id))
	if err != nil {
		return 0, err
	}
	log := seal.NewLog(w.TenantID, "node/"+id)
	for line := range bytes.Lines(b[:bytes.LastIndexByte(b, '\n')+1]) {
		event, err := seal.Parse(line)
		if err != nil {
			return 0, err
		}
		if err := log.Resume(event); err != nil {
			return 0, fmt.Errorf("after event %d: %w", log.Sequence(), err)
		}
	}
	return log.Sequence(), nil
}

// cursorHolds holds that the collector has the event that a cursor names.
func (w *world) cursorHolds(id string, cursor int64) error {
	if cursor == 0 {
		return nil
	}
	files, err := filepath.Glob(filepath.Join(w.Dumps(), "*.jsonl"))
	if err != nil {
		return err
	}
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		if bytes.Contains(b, fmt.Appendf(nil, `\"log_id\":\"node/%s\",`, id)) &&
			bytes.Contains(b, fmt.Appendf(nil, `\"sequence\":%d,`, cursor)) && w.has(b, id, cursor) {
			return nil
		}
	}
	return fmt.Errorf("the cursor is at %d, and the collector does not have that event", cursor)
}

// has looks for an event of a node's journal in a file of the collector.
func (w *world) has(dump []byte, id string, sequence int64) bool {
	for line := range bytes.Lines(dump) {
		request, err := seal.Parse(line)
		if err != nil {
			continue
		}
		for _, body := range bodies(request) {
			event, err := seal.Parse([]byte(body))
			b := seal.Member(event, "body")
			if err == nil && seal.Text(b, "log_id") == "node/"+id && seal.Integer(b, "sequence") == sequence {
				return true
			}
		}
	}
	return false
}

// bodies are the log bodies of a line of OTLP/JSON.
func bodies(request seal.Object) []string {
	var found []string
	each := func(o seal.Object, name string, f func(seal.Object)) {
		for _, e := range seal.List(o, name) {
			if m, ok := e.(seal.Object); ok {
				f(m)
			}
		}
	}
	each(request, "resourceLogs", func(resource seal.Object) {
		each(resource, "scopeLogs", func(scope seal.Object) {
			each(scope, "logRecords", func(record seal.Object) {
				found = append(found, seal.Text(seal.Member(record, "body"), "stringValue"))
			})
		})
	})
	return found
}
