//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"

	"github.com/svc-edge/svc-verify/forensics/examine"
	"github.com/svc-edge/svc-verify/forensics/ingest"
	"github.com/svc-edge/svc-verify/forensics/part"
	"github.com/svc-edge/svc-verify/forensics/partview"
	"github.com/svc-edge/svc-verify/forensics/store"
	"github.com/svc-edge/svc-verify/forensics/walk"
	"github.com/svc-edge/svc-verify/verify"
)

func (e evidence) storePath() string { return e.file("store.db") }

// storeIngest makes a store of the evidence.
func storeIngest(e evidence, _ *meter) error { return e.storeIngest(e.journal(), e.tenant()) }

// storeIngest makes a store of some files and folders.
func (e evidence) storeIngest(paths ...string) (err error) {
	for _, suffix := range []string{"", "-wal", "-shm"} {
		if fault := os.Remove(e.storePath() + suffix); !errors.Is(fault, os.ErrNotExist) {
			err = errors.Join(err, fault)
		}
	}
	if err != nil {
		return err
	}
	w, err := store.OpenWrite(e.storePath())
	if err != nil {
		return err
	}
	_, err = ingest.Paths(context.Background(), w, paths, ingest.Options{}, nil)
	return errors.Join(err, w.Close())
}

// storeWalk examines the store.
func storeWalk(e evidence, _ *meter) (err error) {
	root, err := e.root()
	if err != nil {
		return err
	}
	f, err := store.OpenRead(e.storePath())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	v, err := partview.New(context.Background(), f.Content, partview.Options{Judge: walk.NewJudge(root), Line: f.Line,
		Workers: runtime.GOMAXPROCS(0)})
	if err != nil {
		return err
	}
	r, err := examine.Of(context.Background(), v, root, examine.Options{Workers: runtime.GOMAXPROCS(0)})
	if err != nil {
		return err
	}
	if r.Verdict != verify.Verified || r.Logs[0].SignatureValid != uint64(e.events) {
		return fmt.Errorf("expected %d verified events, found %s: %+v", e.events, r.Verdict, r.Logs)
	}
	return nil
}

// storeRead reads all series of the store, and judges none: what a walk costs whose
// signatures are known to hold.
func storeRead(e evidence, _ *meter) (err error) {
	f, err := store.OpenRead(e.storePath())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	content, ok := f.Content.(part.Stretched)
	if !ok {
		return errors.New("the store has no stretches")
	}
	events, copies := uint64(0), 0
	for _, log := range content.Logs() {
		for s, err := range content.Stretches(context.Background(), log, 0) {
			if err != nil {
				return err
			}
			if s.Series == nil {
				copies++
				continue
			}
			events += s.Series.Last - s.Series.First + 1
		}
	}
	if events < uint64(e.events) || copies > 0 {
		return fmt.Errorf("%d events in series, and %d besides", events, copies)
	}
	return nil
}

// storeCheck checks the store as that of a stranger.
func storeCheck(e evidence, _ *meter) error {
	f, err := store.OpenRead(e.storePath())
	if err != nil {
		return err
	}
	return errors.Join(f.Check(context.Background()), f.Close())
}

// storePaired makes a store of the paired evidence, of which all stores hold all events.
func storePaired(e evidence, _ *meter) (err error) {
	e = e.pairs()
	if err := e.make(); err != nil {
		return err
	}
	var paths []string
	for i := range e.stores {
		paths = append(paths, e.store(i))
	}
	return e.storeIngest(paths...)
}
