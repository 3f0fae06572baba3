//go:build linux

package main

import (
	"bufio"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/svc-edge/svc-verify/bundle"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/verify"
)

const (
	// loopSample is how many bundles the shell loop goes through: it would take minutes
	// for all of them.
	loopSample = 500
	// perFolder is how many files a folder has.
	perFolder = 1000
	// mostDistinct is how many different files an archive has. The rest are hard links
	// to them, so that a million of them fit on a disk. They are read, hashed and listed
	// all the same.
	mostDistinct = 10_000
)

// bundleDir has a folder for each thousand bundles.
func (e *evidence) bundleDir() string { return e.file("bundles") }

// bundle is the path of a bundle.
func (e *evidence) bundle(number int) string {
	return filepath.Join(e.bundleDir(), fmt.Sprintf("%04d", number/perFolder),
		fmt.Sprintf("svc-evidence-%07d.json", number))
}

// makeBundles writes bundles into folders, unless they are there: so many different ones,
// and so many of each transaction.
func (e *evidence) makeBundles(distinct, perTransaction int) error {
	if _, err := os.Stat(e.trust()); err == nil {
		return nil
	}
	for number := 0; number < e.count; number += perFolder {
		if err := os.MkdirAll(filepath.Dir(e.bundle(number)), 0o750); err != nil {
			return err
		}
	}
	o, err := newOffice(perTransaction)
	if err != nil {
		return err
	}
	made := 0
	err = o.bundles(distinct, func(document []byte) error {
		made++
		return os.WriteFile(e.bundle(made-1), document, 0o600) // #nosec G703 -- the developer names the folder
	})
	for number := distinct; number < e.count && err == nil; number++ {
		err = os.Link(e.bundle(number%distinct), e.bundle(number))
	}
	return errors.Join(err, os.WriteFile(e.trust(), seal.Canonical(o.Trust()), 0o600))
}

// eachBundle calls a function with the content of each bundle, and wants all to be there.
func (e *evidence) eachBundle(do func(path string, content []byte) error) error {
	files := 0
	err := filepath.WalkDir(e.bundleDir(), func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		files++
		content, err := os.ReadFile(path) // #nosec G304 G122 -- the developer's own folder
		if err != nil {
			return err
		}
		return do(path, content)
	})
	if err == nil && files != e.count {
		err = fmt.Errorf("expected %d bundles, found %d", e.count, files)
	}
	return err
}

// verifyApart verifies each bundle by itself, in one process.
func verifyApart(e *evidence, m *meter) error {
	root, err := e.root()
	if err != nil {
		return err
	}
	m.start()
	return e.eachBundle(func(path string, doc []byte) error {
		if r := verify.Verify(bundle.Open(doc), root, verify.Policy{}); r.Verdict != verify.Verified {
			return fmt.Errorf("%s: %s", path, r.Verdict)
		}
		return nil
	})
}

// readNaively reads and hashes every file, and does nothing else.
func readNaively(e *evidence, m *meter) error {
	m.start()
	return e.eachBundle(func(_ string, content []byte) error {
		if sha256.Sum256(content) == [sha256.Size]byte{} {
			return errors.New("a digest of zeros")
		}
		return nil
	})
}

// verifyAll has the program verify the bundles, and wants all to be verified.
func (e *evidence) verifyAll(stage string, write func(io.Writer) error, args ...string) error {
	answer, err := e.measured(stage, write, e.command(append([]string{"verify", "--status", "any", "--trust", e.trust(),
		"--temp-dir", e.dir, "--output", "json"}, args...)...)...)
	if err != nil {
		return err
	}
	var summary struct {
		Entries struct {
			Verified int `json:"verified"`
		} `json:"entries"`
	}
	if err := json.Unmarshal(answer, &summary); err != nil {
		return err
	}
	if summary.Entries.Verified != e.count {
		return fmt.Errorf("expected %d verified bundles, found %d", e.count, summary.Entries.Verified)
	}
	return nil
}

// shellLoop verifies the first bundles as one does without a batch: one process for each.
func (e *evidence) shellLoop() error {
	const loop = `program=$1 trust=$2; shift 2
		for bundle; do "$program" --evidence "$bundle" --trust "$trust" >/dev/null || exit; done`
	command := append([]string{"sh", "-c", loop, "sh"}, e.command(e.trust())...)
	for number := range e.countOf("shell-loop") {
		command = append(command, e.bundle(number))
	}
	_, err := e.measured("shell-loop", nil, command...)
	return err
}

// countOf is how many bundles, events or objects a stage has.
func (e *evidence) countOf(stage string) int {
	if stage == "shell-loop" {
		return min(loopSample, e.count)
	}
	return e.count
}

var bundleTable = table{
	unit: "bundles",
	rows: []row{
		{"each by itself", "apart-bundles"},
		{"svc-verify verify, one worker", "one-worker"},
		{"svc-verify verify, two workers", "two-workers"},
		{"svc-verify in a shell loop", "shell-loop"},
	},
	ratios: []ratio{{"batch / each by itself", []string{"one-worker"}, []string{"apart-bundles"}}},
}

// measureBundles measures the cost of many bundles, and how much less that is than to verify
// each by itself.
func measureBundles(e *evidence, w io.Writer) error {
	if err := e.makeBundles(e.count, 1); err != nil {
		return err
	}
	for e.round = range e.rounds {
		err := errors.Join(e.runStage("apart-bundles"), e.verifyAll("one-worker", nil, "--jobs", "1", e.bundleDir()),
			e.verifyAll("two-workers", nil, "--jobs", "2", e.bundleDir()), e.shellLoop())
		if err != nil {
			return err
		}
	}
	e.print(w, &bundleTable)
	for _, r := range []struct{ name, over, under string }{
		{"one worker / two, wall", "one-worker", "two-workers"},
		{"shell loop / batch, wall", "shell-loop", "two-workers"},
	} {
		e.printRatio(w, r.name, func(i int) float64 { return e.wall(i, r.over) / e.wall(i, r.under) }, r.over, r.under)
	}
	return nil
}

// perTransaction is how many bundles of each transaction a stream and an archive have, at as
// many checkpoints: issuing another certificate costs ten times as much time as exporting the
// bundle of one.
const perTransaction = 10

// measureStream has the program verify bundles from its standard input while they are
// made, so that they take no room on the disk.
func measureStream(e *evidence, w io.Writer) error {
	o, err := newOffice(perTransaction)
	if err != nil {
		return err
	}
	err = errors.Join(os.MkdirAll(e.dir, 0o750), os.WriteFile(e.trust(), seal.Canonical(o.Trust()), 0o600))
	if err != nil {
		return err
	}
	made, disk := 0, int64(0)
	err = e.verifyAll("stream", func(in io.Writer) error {
		lines := bufio.NewWriter(in)
		err := o.bundles(e.count, func(document []byte) error {
			if made++; made%1000 == 0 || made == e.count {
				disk = max(disk, onDisk(e.dir))
			}
			_, err := lines.Write(append(document, '\n'))
			return err
		})
		return errors.Join(err, lines.Flush())
	}, "-")
	if err != nil {
		return err
	}
	e.print(w, &table{unit: "bundles from a stream", rows: []row{{"svc-verify verify -", "stream"}}})
	fmt.Fprintf(w, "  %-36s %12.0f\n", "octets on disk for each", float64(disk)/float64(e.count))
	return nil
}

// onDisk is the size of the files below a folder that processes have open, those without
// a name included.
func onDisk(dir string) (octets int64) {
	open, _ := filepath.Glob("/proc/[0-9]*/fd/*") // the pattern is good
	for _, path := range open {
		name, _ := os.Readlink(path) // none of a process that has ended
		if !strings.HasPrefix(name, dir) {
			continue
		}
		if info, err := os.Stat(path); err == nil {
			octets += info.Size()
		}
	}
	return octets
}

var archiveTable = table{
	unit: "objects",
	rows: []row{
		{"read and hash, naively", "read-naive"},
		{"svc-verify verify", "batch"},
		{"first check", "first-check"},
		{"check, nothing changed", "unchanged"},
	},
	ratios: []ratio{
		{"first check / batch", []string{"first-check"}, []string{"batch"}},
		{"unchanged / naive", []string{"unchanged"}, []string{"read-naive"}},
	},
}

// ledger returns the path of the ledger, which is next to the archive.
func (e *evidence) ledger() string { return e.file("ledger.db") }

// measureArchive measures checks of an archive: the first, and one in which nothing has
// changed.
func measureArchive(e *evidence, w io.Writer) error {
	if err := e.makeBundles(min(e.count, mostDistinct), perTransaction); err != nil {
		return err
	}
	for e.round = range e.rounds {
		err := errors.Join(e.runStage("read-naive"), e.verifyAll("batch", nil, e.bundleDir()),
			removeDatabase(e.ledger()), e.checkArchive("first-check"), e.checkArchive("unchanged"))
		if err != nil {
			return err
		}
	}
	e.print(w, &archiveTable)
	info, err := os.Stat(e.ledger())
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "  %-36s %12.0f\n", "ledger octets an object", float64(info.Size())/float64(e.count))
	return nil
}

// checkArchive has the program check the archive, which succeeds only if every object is
// intact and verified.
func (e *evidence) checkArchive(stage string) error {
	_, err := e.run(stage, "archive", "check", "--ledger", e.ledger(), "--trust", e.trust(), e.bundleDir())
	return err
}
