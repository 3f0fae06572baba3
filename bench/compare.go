//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"

	"github.com/svc-edge/svc-verify/forensics/casefile"
	"github.com/svc-edge/svc-verify/forensics/examine"
	"github.com/svc-edge/svc-verify/verify"
)

// fresh is a case as an ingest left it: every first walk begins with a copy.
func (e evidence) fresh() string { return e.file("fresh.db") }

// ingestPaired makes a case of what several stores hold, and keeps it.
func ingestPaired(e evidence, m *meter) error {
	e = e.pairs()
	if err := e.make(); err != nil {
		return err
	}
	var paths []string
	for i := range e.stores {
		paths = append(paths, e.store(i))
	}
	m.start()
	if err := e.ingest(paths...); err != nil {
		return err
	}
	return os.Rename(e.casePath(), e.fresh())
}

// walkApart walks for the first time, and compares nothing.
func walkApart(e evidence, m *meter) error { return e.pairs().firstWalk(m, false) }

// walkCompared walks for the first time, and compares the stores.
func walkCompared(e evidence, m *meter) error { return e.pairs().firstWalk(m, true) }

// walkComparedAgain does the same once more, and wants the comparison to be kept.
func walkComparedAgain(e evidence, _ *meter) error {
	kept, err := e.pairs().walkPaired(true)
	if err == nil && !kept {
		err = errors.New("the comparison was not kept")
	}
	return err
}

func (e evidence) firstWalk(m *meter, compared bool) error {
	if err := errors.Join(e.removeCase(), copyFile(e.casePath(), e.fresh())); err != nil {
		return err
	}
	m.start()
	kept, err := e.walkPaired(compared)
	if err == nil && kept {
		err = errors.New("the comparison was not made")
	}
	return err
}

func copyFile(to, from string) error {
	in, err := os.Open(from) // #nosec G304 -- the developer names it
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.Create(to) // #nosec G304 -- the developer names it
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}

// walkPaired walks the case, and wants both sides to agree if they are compared.
// It returns whether the comparison is the one that was kept.
func (e evidence) walkPaired(compared bool) (kept bool, err error) {
	root, err := e.root()
	if err != nil {
		return false, err
	}
	r, err := examine.Examine(context.Background(), e.casePath(), root, examine.Options{Workers: runtime.GOMAXPROCS(0),
		Case: []casefile.Option{own()}, NoCompare: !compared, Kept: func() { kept = true }})
	if err != nil {
		return false, err
	}
	if r.Logs[0].SignatureValid != uint64(e.events) {
		return false, fmt.Errorf("expected %d signed events, found %+v", e.events, r.Logs)
	}
	if !compared {
		return false, nil
	}
	c, both := r.Comparison, int64(e.events/4)
	if r.Verdict != verify.Verified || c.Journals[0].Both != both || len(c.Stores) != e.stores {
		return false, fmt.Errorf("expected %d approvals with both sides in %d stores, found %s: %+v, %+v, %+v", both,
			e.stores, r.Verdict, c.Journals, c.Stores, r.Findings)
	}
	return kept, nil
}
