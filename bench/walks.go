//go:build linux

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
)

// ingestPlain makes a case of the journal and its reports.
func (e *evidence) ingestPlain(stage string) error { return e.ingest(stage, e.journal(), e.tenant()) }

// ingest makes a case of some files and folders.
func (e *evidence) ingest(stage string, paths ...string) error {
	if err := e.removeCase(); err != nil {
		return err
	}
	_, err := e.run(stage, append([]string{"ingest", e.casePath()}, paths...)...)
	return err
}

// removeCase removes the case, if there is one.
func (e *evidence) removeCase() error { return removeDatabase(e.casePath()) }

// removeDatabase removes a file of SQLite and those next to it, if they are there.
func removeDatabase(path string) error {
	for _, suffix := range []string{"", "-wal", "-shm", "-journal"} {
		if err := os.Remove(path + suffix); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	return nil
}

// walk walks the case whole and compares its sources, as users do.
func (e *evidence) walk(stage string) error {
	answer, err := e.run(stage, "walk", e.casePath(), "--trust", e.trust(), "--output", "json")
	_, err = requireVerified(answer, err, e.anchored())
	return err
}

// walkSince walks on from where the last walk ended, at the end.
func (e *evidence) walkSince(stage string) error {
	answer, err := e.run(stage, "walk", e.casePath(), "--trust", e.trust(), "--output", "json", "--since-last")
	_, err = requireExamined(answer, err, e.anchored())
	return err
}

// walkForeign walks the case as a user whose key does not vouch for it.
func (e *evidence) walkForeign(stage string) error {
	command := e.command("walk", e.casePath(), "--trust", e.trust(), "--output", "json")
	answer, err := e.measured(stage, nil, append([]string{"env", "XDG_STATE_HOME=" + e.file("stranger")}, command...)...)
	_, err = requireExamined(answer, err, e.anchored())
	return err
}

// ingestStores makes a case of the evidence in several stores, and keeps it.
func (e *evidence) ingestStores(stage string) error {
	var folders []string
	for i := range e.stores {
		folders = append(folders, e.store(i))
	}
	if err := e.ingest(stage, folders...); err != nil {
		return err
	}
	return os.Rename(e.casePath(), e.fresh())
}

// walkStores walks the stores for the first time.
func (e *evidence) walkStores(stage string, more ...string) error {
	if err := errors.Join(e.removeCase(), copyFile(e.casePath(), e.fresh(), 0)); err != nil {
		return err
	}
	return e.walkAgain(stage, more...)
}

// walkAgain walks the stores, and wants every event to be in each if they are compared.
func (e *evidence) walkAgain(stage string, more ...string) error {
	args := append([]string{"walk", e.casePath(), "--trust", e.trust(), "--output", "json"}, more...)
	answer, err := e.run(stage, args...)
	w, err := requireExamined(answer, err, e.paired())
	if err != nil || len(more) > 0 {
		return err
	}
	for _, s := range w.Stores {
		if s.Shared != e.paired() {
			return fmt.Errorf("expected %d events in each store, found %d", e.paired(), s.Shared)
		}
	}
	if w.Verdict != verified || len(w.Stores) != e.stores {
		return fmt.Errorf("expected %d stores that agree, found %d: %s", e.stores, len(w.Stores), w.Verdict)
	}
	return nil
}

// anchored is how many events a journal and the log with its reports have, and paired how
// many with both sides.
func (e *evidence) anchored() int { return e.count + (e.count+reportEvery-1)/reportEvery }
func (e *evidence) paired() int   { return e.anchored() + e.count/16*2 }

// walked is the answer of a walk, a check or a conclusion.
type walked struct {
	Verdict string `json:"verdict"`
	Logs    []struct {
		Valid int `json:"signature_valid"`
	} `json:"logs"`
	Stores []struct {
		Shared int `json:"shared"`
	} `json:"stores"`
}

const verified = "verified"

// requireVerified wants an answer to be verified, with so many signatures that verify.
func requireVerified(answer []byte, err error, valid int) (walked, error) {
	w, err := requireExamined(answer, err, valid)
	if err == nil && w.Verdict != verified {
		err = fmt.Errorf("expected %s, found %s", verified, w.Verdict)
	}
	return w, err
}

// requireExamined wants so many signatures that verify, and an answer that is not rejected.
func requireExamined(answer []byte, err error, valid int) (w walked, _ error) {
	if parseErr := json.Unmarshal(answer, &w); parseErr != nil {
		return w, errors.Join(err, parseErr)
	}
	sum := 0
	for _, l := range w.Logs {
		sum += l.Valid
	}
	if w.Verdict == "rejected" || sum != valid {
		return w, fmt.Errorf("expected %d signatures that verify, found %d: %s", valid, sum, w.Verdict)
	}
	return w, nil
}
