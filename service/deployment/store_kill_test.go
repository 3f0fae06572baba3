package deployment_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/service/secretstore"
	"github.com/svc-edge/svc-verify/service/secretstore/record"
)

// TestStoreKill kills the node, the secret store and the workload at random
// moments, 30 times in all, while certificates are rotated: whoever reads by the
// consumer rule always finds a pair that matches, and at the end the node is
// healthy, no slot was written twice, and nothing is lost.
func TestStoreKill(t *testing.T) {
	t.Parallel()
	w := resume(t, prepareStore(t, nil))
	w.storeIs("healthy", "")
	ctx, stop := context.WithCancel(t.Context())
	var all sync.WaitGroup
	all.Go(func() { w.rotateAlways(ctx) })
	reads := make([]int, 2)
	for i := range reads {
		all.Go(func() { reads[i] = w.consume(ctx) })
	}
	kills := 30
	if testing.Short() {
		kills = 9
	}
	parts := []string{w.Nodes[0], "store", "workload"}
	for i := range kills {
		w.moment()
		name := parts[i%len(parts)]
		must.Do(t, w.Process(name).Kill())
		must.Get(w.Start(name))(t)
	}
	stop()
	all.Wait()
	t.Logf("%d reads", reads)
	check.That(t, !slices.Contains(reads, 0), "a consumer could never read")
	w.settles()
	w.slotsHold()
	w.journalsHold()
	w.collectedIsJournal()
}

// steps are those of a rotation, as the journal tells them.
var steps = []string{
	"requested", "write_started", "generation_written", "staging_started", "promotion_started", "pointer_moved",
	"promoted", "rollback_started", "rolled_back", "failed",
}

// moment waits for any moment of a rotation: until the journal tells of some
// step, or for a while, and then a little longer.
func (w *world) moment() {
	w.t.Helper()
	told := func(step string) int {
		b := must.Get(os.ReadFile(w.Journal(w.Nodes[0])))(w.t)
		return bytes.Count(b, []byte(`"type":"rotation.`+step+`"`))
	}
	step := steps[rand.IntN(len(steps))]
	before, deadline := told(step), time.Now().Add(time.Duration(300+rand.IntN(600))*time.Millisecond)
	for told(step) == before && time.Now().Before(deadline) {
		time.Sleep(2 * time.Millisecond)
	}
	time.Sleep(time.Duration(rand.IntN(20)) * time.Millisecond)
}

// rotateAlways rotates one time after the other until the context ends. While
// parts are missing it is refused, or fails.
func (w *world) rotateAlways(ctx context.Context) {
	for ctx.Err() == nil {
		short, cancel := context.WithTimeout(ctx, 5*time.Second)
		_, _ = w.RotateCertificate(short, automatic)
		cancel()
	}
}

// consume reads the pointer and the generation that it names until the context
// ends, and holds that they match. It returns how often the store was there to
// be read.
func (w *world) consume(ctx context.Context) int {
	store := w.storeClient(w.ConsumerToken())
	count := 0
	for ctx.Err() == nil {
		p, err := readPointer(ctx, store)
		if err == nil {
			_, err = readGeneration(ctx, store, p.Active)
		}
		var broken brokenError
		check.That(w.t, !errors.As(err, &broken), "%v", err)
		if err == nil {
			count++
		}
		time.Sleep(10 * time.Millisecond) // which leaves the others some of the machine
	}
	return count
}

// brokenError is of a record that was read and is not what it must be.
type brokenError struct{ error }

func readPointer(ctx context.Context, store secretstore.Store) (record.Pointer, error) {
	o, _, err := store.Read(ctx, record.PointerPath)
	if errors.Is(err, secretstore.ErrAbsent) {
		return record.Pointer{}, brokenError{err}
	}
	if err != nil {
		return record.Pointer{}, err
	}
	p, err := record.ParsePointer(o)
	if err != nil {
		return p, brokenError{err}
	}
	return p, nil
}

// readGeneration reads a generation that the pointer names, and holds that it is
// whole, that chain and key match, and that it is the one.
func readGeneration(ctx context.Context, store secretstore.Store, named record.Named) (record.Generation, error) {
	o, metadata, err := store.Read(ctx, record.GenerationPath(named.Slot))
	if errors.Is(err, secretstore.ErrAbsent) {
		return record.Generation{}, brokenError{err}
	}
	if err != nil {
		return record.Generation{}, err
	}
	g, err := record.ParseGeneration(o)
	if err == nil {
		_, err = g.Certificate()
	}
	if err == nil && (g.Slot != named.Slot || g.CertificateSHA256 != named.SHA256 || metadata.Version != 1) {
		err = fmt.Errorf("the pointer names %v, and there is %v of version %d", named, g, metadata.Version)
	}
	if err != nil {
		return g, brokenError{err}
	}
	return g, nil
}

// settles waits until the node operates the store, and rotates once more.
func (w *world) settles() {
	w.t.Helper()
	w.storeIs("healthy", "")
	w.eventually("a rotation", func() error {
		t, err := w.RotateCertificate(w.t.Context(), automatic)
		if err == nil {
			w.serves(w.leaf(t))
		}
		return err
	})
	w.storeIs("healthy", "")
	w.waitLabel("trust path healthy")
}

// slotsHold holds that the pointer names whole generations, and that every slot
// was written once at most.
func (w *world) slotsHold() {
	w.t.Helper()
	adapter := w.storeClient(w.AdapterToken())
	p := must.Get(readPointer(w.t.Context(), adapter))(w.t)
	whole := []record.Named{p.Active}
	if p.Previous != (record.Named{}) { // its window may be over
		whole = append(whole, p.Previous)
	}
	for _, named := range whole {
		check.OK(w.t, check.Err(readGeneration(w.t.Context(), adapter, named)), "%v", named)
	}
	check.Equal(w.t, p.Standby, record.Named{}, "the pointer names a standby after all is done: %v", p)
	written := 0
	for slot := int64(1); slot <= p.Active.Slot; slot++ {
		m, err := adapter.Metadata(w.t.Context(), record.GenerationPath(slot))
		switch {
		case errors.Is(err, secretstore.ErrAbsent): // its write was given up
		case err != nil || m.Version != 1 || m.Deleted:
			w.t.Errorf("slot %d: %+v, %v", slot, m, err)
		default:
			written++
		}
	}
	journal := must.Get(os.ReadFile(w.Journal(w.Nodes[0])))(w.t)
	for _, step := range steps {
		w.t.Logf("%d times %s", bytes.Count(journal, []byte(`"type":"rotation.`+step+`"`)), step)
	}
	w.t.Logf("%d slots, %d of them written", p.Active.Slot, written)
}
