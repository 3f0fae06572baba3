//go:build linux

package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// interleaved is how many logs one file has where each event is of another log than
// the one before.
const interleaved = 1000

var sharesTable = table{
	unit: "events",
	rows: []row{
		{"ingest", "ingest"},
		{"walk", "walk"},
		{"part", "part"},
		{"two parts of half each", "half"},
		{"conclude", "conclude"},
		{"check on one core", "check-1"},
		{"check on two cores", "check-2"},
	},
	whole: []string{"ingest", "walk"},
	ratios: []ratio{
		{"part / (ingest + walk)", []string{"part"}, []string{"ingest", "walk"}},
		{"(part + conclude) / (ingest + walk)", []string{"part", "conclude"}, []string{"ingest", "walk"}},
		{"one process / two halves", []string{"part"}, []string{"half"}},
		{"check on one core / (ingest + walk)", []string{"check-1"}, []string{"ingest", "walk"}},
		{"check on two cores / (ingest + walk)", []string{"check-2"}, []string{"ingest", "walk"}},
	},
}

// measureShares measures workers against ingest and walk of the same evidence: four
// logs in a file each, and a thousand in one.
func measureShares(e *evidence, w io.Writer) error {
	for _, logs := range []int{throughNodes, interleaved} {
		one := newEvidence(e.settings, e.count)
		one.dir, one.planned = e.file(fmt.Sprintf("shares-%d", logs)), true
		t, err := newThrough(one, logs-1)
		if err == nil {
			err = t.measureShares(w, logs == interleaved)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// measureShares measures one set of evidence and prints the results.
func (t *through) measureShares(w io.Writer, together bool) error {
	if err := t.writeRound(t.count * 8 / (9 * len(t.journals))); err != nil {
		return err
	}
	if together {
		if err := t.interleave(); err != nil {
			return err
		}
	}
	t.count, _ = t.size()
	for t.round = range t.rounds {
		if err := errors.Join(t.onCase(), t.onParts(), t.onCores()); err != nil {
			return err
		}
	}
	octets, err := fileSizes([]string{t.file("whole.part")})
	if err != nil {
		return err
	}
	t.print(w, &sharesTable)
	fmt.Fprintf(w, "  %d logs, %.1f octets of a part for each event\n", t.logs(), float64(octets[0])/float64(t.count))
	return nil
}

// interleave puts the logs into one file, with a line of each in turn.
func (t *through) interleave() error {
	var texts [][]byte
	for log := range t.logs() {
		text, err := os.ReadFile(t.logFile(log))
		if err := errors.Join(err, os.Remove(t.logFile(log))); err != nil {
			return err
		}
		texts = append(texts, text)
	}
	return writeFile(filepath.Join(t.folder(), "all.ndjson"), func(w *bufio.Writer) error {
		for left := true; left; {
			left = false
			for i := range texts {
				line, rest, found := bytes.Cut(texts[i], []byte("\n"))
				if texts[i] = rest; found {
					_, _ = w.Write(append(line[:len(line):len(line)], '\n')) // Flush returns the error
					left = true
				}
			}
		}
		return nil
	})
}

// onCase ingests and walks.
func (t *through) onCase() error {
	if err := t.ingest("ingest", t.folder()); err != nil {
		return err
	}
	answer, err := t.run("walk", "walk", t.casePath(), "--trust", t.trust(), "--output", "json")
	_, err = requireVerified(answer, err, t.count)
	return err
}

// onParts makes one part of all evidence and concludes, and then one of each half in two
// processes at once.
func (t *through) onParts() error {
	if err := t.part("part", t.file("whole.part"), nil, t.folder()); err != nil {
		return err
	}
	answer, err := t.run("conclude", "conclude", "--trust", t.trust(), "--output", "json", t.file("whole.part"))
	if _, err := requireVerified(answer, err, t.count); err != nil {
		return err
	}
	return t.share("half", 2)
}

// onCores checks on one core and on two.
func (t *through) onCores() error {
	for _, cores := range []string{"1", "2"} {
		check := t.command("check", "--trust", t.trust(), "--output", "json", t.folder())
		answer, err := t.measured("check-"+cores, nil, append([]string{"env", "GOMAXPROCS=" + cores}, check...)...)
		if _, err := requireVerified(answer, err, t.count); err != nil {
			return err
		}
	}
	return nil
}
