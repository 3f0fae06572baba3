//go:build linux

package main

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"

	"github.com/svc-edge/svc-verify/harness/seal"
)

const (
	// mostDistinct is how many different files an archive has. The rest are hard
	// links to them, so that a million of them fit on a disk. They are read, hashed
	// and listed all the same.
	mostDistinct = 10_000
	// perFolder is how many files a folder has.
	perFolder = 1000
)

// ledger is the file beside the archive.
func (e evidence) ledger() string { return e.file("ledger.db") }

// makeArchive writes bundles into folders and builds the program, unless they are
// there.
func (e evidence) makeArchive() error {
	if _, err := os.Stat(e.trust()); err == nil {
		return nil
	}
	for number := 0; number < e.events; number += perFolder {
		if err := os.MkdirAll(filepath.Dir(e.object(number)), 0o750); err != nil {
			return err
		}
	}
	o, err := newOffice(perTransaction)
	if err != nil {
		return err
	}
	distinct := 0
	err = o.bundles(min(e.events, mostDistinct), func(document []byte) error {
		distinct++
		return os.WriteFile(e.object(distinct-1), document, 0o600) // #nosec G703 -- the developer names the folder
	})
	for number := distinct; number < e.events && err == nil; number++ {
		err = os.Link(e.object(number%distinct), e.object(number))
	}
	if err := errors.Join(err, e.build()); err != nil {
		return err
	}
	return os.WriteFile(e.trust(), seal.Canonical(o.Trust()), 0o600)
}

// object is the path of an object of the archive.
func (e evidence) object(number int) string {
	return filepath.Join(e.bundleDir(), fmt.Sprintf("%04d", number/perFolder),
		fmt.Sprintf("svc-evidence-%07d.json", number))
}

// readNaively reads and hashes every file, and does nothing else.
func readNaively(e evidence, m *meter) error {
	m.start()
	files := 0
	err := filepath.WalkDir(e.bundleDir(), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		files++
		content, err := os.ReadFile(path) // #nosec G304 G122 -- the developer's own folder
		if sha256.Sum256(content) == [sha256.Size]byte{} {
			return errors.New("a digest of zeros")
		}
		return err
	})
	if err == nil && files != e.events {
		err = fmt.Errorf("expected %d files, found %d", e.events, files)
	}
	return err
}

// checkFirst checks an archive that no ledger knows.
func checkFirst(e evidence, m *meter) error {
	for _, suffix := range []string{"", "-wal", "-shm", "-journal"} {
		if err := os.Remove(e.ledger() + suffix); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	return e.checkArchive(m)
}

// checkAgain checks an archive in which nothing has changed.
func checkAgain(e evidence, m *meter) error {
	if _, err := os.Stat(e.ledger()); err != nil {
		return err
	}
	return e.checkArchive(m)
}

// checkArchive has the program check the archive. It exits with 0 only if every
// object is intact and verified.
func (e evidence) checkArchive(m *meter, more ...string) error {
	cmd := exec.Command(e.program(),
		append([]string{"archive", "check", "--ledger", e.ledger(), // #nosec G204 -- made by this program
			"--trust", e.trust(), e.bundleDir()}, more...)...)
	cmd.Env = append(os.Environ(), "XDG_STATE_HOME="+e.file("state"))
	cmd.Stdout, cmd.Stderr = io.Discard, os.Stderr
	m.start()
	return cmd.Run()
}

// archiveStages are the stages for an archive, in this order.
var archiveStages = []struct{ name, line string }{
	{"read-naive", "read and hash, naively"},
	{"batch-command", "svc-verify verify"},
	{"archive-first", "first check"},
	{"archive-again", "check, nothing changed"},
}

// measureArchives prints what it takes to check archives of several sizes.
func measureArchives(w io.Writer, s settings) error {
	var all []result
	for _, size := range s.archives {
		e := evidence{dir: filepath.Join(s.dir, "archive-"+strconv.Itoa(size)), events: size}
		r, err := e.measureArchive(w, s.rounds)
		if !s.keep {
			err = errors.Join(err, os.RemoveAll(e.dir))
		}
		if err != nil {
			return err
		}
		all = append(all, r)
	}
	first, last := all[0], all[len(all)-1]
	for _, name := range []string{"archive-first", "archive-again"} {
		if first.events != last.events {
			factor := float64(last.events) / float64(first.events)
			fmt.Fprintf(w, "%s: time grows as objects^%.3f\n", name,
				1+math.Log(last.spent(name)/first.spent(name))/math.Log(factor))
		}
	}
	return nil
}

func (e evidence) measureArchive(w io.Writer, rounds int) (r result, err error) {
	if err := e.makeArchive(); err != nil {
		return r, err
	}
	var names []string
	for _, stage := range archiveStages {
		names = append(names, stage.name)
	}
	if r, err = e.runStages(names, rounds); err != nil {
		return r, err
	}
	info, err := os.Stat(e.ledger())
	if err != nil {
		return r, err
	}
	fmt.Fprintf(w, "%-28s %12s %12s %10s\n", fmt.Sprintf("%d objects", e.events), "CPU µs each",
		"wall µs each", "peak MiB")
	for _, stage := range archiveStages {
		wall := r.median(func(i int) float64 { return float64(r.used[stage.name][i].Wall) / float64(r.events) }, stage.name)
		fmt.Fprintf(w, "  %-26s %12.1f %12.1f %10.0f\n", stage.line, r.spent(stage.name)/1000, wall/1000, r.peak(stage.name))
	}
	ratio := func(name, over, under string) {
		r.printRatio(w, name, func(i int) float64 { return r.cpu(over, i) / r.cpu(under, i) }, over, under)
	}
	ratio("first check / batch", "archive-first", "batch-command")
	ratio("unchanged / naive", "archive-again", "read-naive")
	fmt.Fprintf(w, "  %-26s %6.0f\n", "ledger octets an object", float64(info.Size())/float64(e.events))
	return r, nil
}
