//go:build linux

package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/svc-edge/svc-verify/harness/seal"
)

const (
	journalFile = "journal.ndjson"
	tenantFile  = "tenant.ndjson"
)

func (e *evidence) journal() string  { return e.file(journalFile) }
func (e *evidence) tenant() string   { return e.file(tenantFile) }
func (e *evidence) casePath() string { return e.file("case.db") }

// fresh is the case of the stores as an ingest left it: every first walk begins with a copy.
func (e *evidence) fresh() string { return e.file("fresh.db") }

// store is the folder of one store. The contents of stores are not the same, byte for
// byte, so that each is a source of its own.
func (e *evidence) store(number int) string { return e.file(fmt.Sprintf("store-%d", number)) }

// make writes the evidence, unless it exists: the journal with a tenant log of reports alone
// and, in several stores, with one that has both sides of the node's actions. The trust file
// is written last: where it is, the rest is whole.
func (e *evidence) make() error {
	if _, err := os.Stat(e.trust()); err == nil {
		return nil
	}
	f, err := newFleet(1)
	if err != nil {
		return err
	}
	another, err := newFleet(1)
	if err != nil {
		return err
	}
	err = errors.Join(
		writeFile(e.journal(), func(w *bufio.Writer) error { return f.journal(0, w, e.count) }),
		writeFile(e.tenant(), func(w *bufio.Writer) error {
			another.reports[0] = f.reports[0]
			return another.answer(w, false)
		}),
		writeFile(filepath.Join(e.store(0), tenantFile), func(w *bufio.Writer) error { return f.answer(w, true) }),
		copyFile(filepath.Join(e.store(0), journalFile), e.journal(), 0))
	for i := 1; i < e.stores && err == nil; i++ {
		for _, name := range []string{journalFile, tenantFile} {
			err = errors.Join(err, copyFile(filepath.Join(e.store(i), name), filepath.Join(e.store(0), name), i))
		}
	}
	if err != nil {
		return err
	}
	return os.WriteFile(e.trust(), seal.Canonical(f.trust), 0o600)
}

// writeFile writes a file and its folder.
func writeFile(path string, write func(*bufio.Writer) error) (err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
		return err
	}
	f, err := os.Create(path) // #nosec G304 -- the developer names it
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	w := bufio.NewWriterSize(f, 1<<20)
	if err := write(w); err != nil {
		return err
	}
	return w.Flush()
}

// copyFile copies a file, with so many empty lines behind it.
func copyFile(to, from string, empty int) (err error) {
	return writeFile(to, func(w *bufio.Writer) error {
		in, err := os.Open(from) // #nosec G304 -- the developer names it
		if err != nil {
			return err
		}
		defer in.Close()
		_, err = io.Copy(w, in)
		_, _ = w.WriteString(strings.Repeat("\n", empty)) // Flush returns the error
		return err
	})
}
