//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"

	"github.com/svc-edge/svc-verify/forensics/casefile"
	"github.com/svc-edge/svc-verify/forensics/examine"
	"github.com/svc-edge/svc-verify/forensics/ingest"
	"github.com/svc-edge/svc-verify/trust"
	"github.com/svc-edge/svc-verify/verify"
)

// stage is one thing that is measured.
type stage func(evidence, *meter) error

// stages by name. Those of the second group are parts of an ingest and a walk,
// each by itself.
var stages = map[string]stage{
	"naive":  naive,
	"bare":   bare,
	"ingest": ingestAll,
	"walk":   walkAll,
	"again":  walkAll,

	"store-ingest": storeIngest,
	"store-walk":   storeWalk,
	"store-read":   storeRead,
	"store-paired": storePaired,
	"store-check":  storeCheck,

	"since":   walkSince,
	"foreign": walkForeign,

	"paired":         ingestPaired,
	"apart":          walkApart,
	"compared":       walkCompared,
	"compared-again": walkComparedAgain,

	"apart-bundles": verifyApart,
	"one-worker":    verifyTogether(1),
	"two-workers":   verifyTogether(2),
	"batch-command": batchCommand,
	"shell-loop":    shellLoop,

	"read-naive":    readNaively,
	"archive-first": checkFirst,
	"archive-again": checkAgain,

	"worst-ingest":     worstIngest,
	"worst-walk":       worstWalk,
	"worst-crosscheck": worstCrosscheck,
	"worst-report":     worstReport,
	"worst-verify":     worstVerify,

	"digest":     digest,
	"reading":    reading,
	"scanning":   scanning,
	"signatures": signatures,
	"links":      links,
	"rows":       rows,
}

func (e evidence) casePath() string { return e.file("case.db") }

// ingestAll makes a case of the evidence.
func ingestAll(e evidence, _ *meter) error { return e.ingest(e.journal(), e.tenant()) }

// removeCase removes the case, if there is one.
func (e evidence) removeCase() (err error) {
	for _, suffix := range []string{"", "-wal", "-shm"} {
		if fault := os.Remove(e.casePath() + suffix); !errors.Is(fault, os.ErrNotExist) {
			err = errors.Join(err, fault)
		}
	}
	return err
}

// ingest makes a case of some files and folders.
func (e evidence) ingest(paths ...string) error {
	if err := e.removeCase(); err != nil {
		return err
	}
	w, err := casefile.OpenWrite(e.casePath(), own())
	if err != nil {
		return err
	}
	_, err = ingest.Paths(context.Background(), w, paths, ingest.Options{}, nil)
	return errors.Join(err, w.Close())
}

// walkAll walks the case whole and compares its sources, as users do, and requires that
// it is verified.
func walkAll(e evidence, _ *meter) error { return e.walk(examine.Whole, own()) }

// walkSince walks on from where the last walk ended, at the end.
func walkSince(e evidence, _ *meter) error { return e.walk(examine.SinceLast, own()) }

// walkForeign walks the case as a user whose key does not vouch for it.
func walkForeign(e evidence, _ *meter) error { return e.walk(examine.Whole) }

// own opens a case as the user who makes it in the benchmark.
func own() casefile.Option {
	key, err := casefile.NewKey([casefile.KeySize]byte{1})
	if err != nil {
		panic(err)
	}
	return casefile.With(key)
}

// walk walks the case. A whole walk over that of this user must verify it; no other walk
// may reject it.
func (e evidence) walk(extent examine.Extent, as ...casefile.Option) error {
	root, err := e.root()
	if err != nil {
		return err
	}
	options := examine.Options{Workers: runtime.GOMAXPROCS(0), Extent: extent, Case: as}
	r, err := examine.Examine(context.Background(), e.casePath(), root, options)
	if err != nil {
		return err
	}
	bad := r.Verdict == verify.Rejected || extent == examine.Whole && len(as) > 0 && r.Verdict != verify.Verified
	if bad || r.Logs[0].SignatureValid != uint64(e.events) {
		return fmt.Errorf("expected %d verified events, found %s: %+v", e.events, r.Verdict, r.Logs)
	}
	return nil
}

func (e evidence) root() (*trust.Root, error) {
	doc, err := os.ReadFile(e.trust())
	if err != nil {
		return nil, err
	}
	return trust.Parse(doc)
}
