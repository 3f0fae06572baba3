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
	"slices"
	"sync"
	"time"

	"github.com/svc-edge/svc-verify/harness/seal"
)

// interleaved is how many logs one file has where each event is of another log than
// the one before.
const interleaved = 1000

// measureShares measures workers against ingest and walk of the same evidence: four
// logs in a file each, and a thousand in one.
func measureShares(w io.Writer, s settings) error {
	events := s.sizes[len(s.sizes)-1]
	for _, logs := range []int{4, interleaved} {
		t, err := newThrough(evidence{dir: filepath.Join(s.dir, fmt.Sprintf("shares-%d", logs)), events: events}, logs-1)
		if err == nil {
			err = t.measureShares(w, s.rounds, logs == interleaved)
		}
		if err := errors.Join(err, os.RemoveAll(filepath.Join(s.dir, fmt.Sprintf("shares-%d", logs)))); err != nil {
			return err
		}
	}
	return nil
}

// measureShares measures one set of evidence and prints what it took.
func (t *through) measureShares(w io.Writer, rounds int, together bool) error {
	if err := t.lay(together); err != nil {
		return err
	}
	plan := t.file("plan.json")
	if _, err := t.run("plan", "--parts", "2", "--out", plan, t.file("logs")); err != nil {
		return err
	}
	for range rounds {
		if err := errors.Join(t.onCase(), t.onParts(plan), t.onCores()); err != nil {
			return err
		}
	}
	octets, err := sizes([]string{t.file("whole.part")})
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "%d events in %d logs, %.1f octets of a part for each\n", t.count, len(t.journals)+1,
		float64(octets)/float64(t.count))
	t.printShares(w)
	return nil
}

// lay writes the logs into files, or all into one, event by event.
func (t *through) lay(together bool) error {
	each := t.events * 8 / (9 * len(t.journals))
	from, reports := make([]int, len(t.journals)), make([][]seal.Object, len(t.journals))
	texts := make([]bytes.Buffer, len(t.journals)+1)
	for i := range texts {
		w := bufio.NewWriter(&texts[i])
		var err error
		if i < len(t.journals) {
			from[i] = 1
			err = t.journal(i, w, each, &reports[i])
		} else {
			err = t.answer(w, from, reports)
		}
		if err := errors.Join(err, w.Flush()); err != nil {
			return err
		}
	}
	if err := os.Mkdir(t.file("logs"), 0o750); err != nil {
		return err
	}
	if together {
		return os.WriteFile(filepath.Join(t.file("logs"), "all.ndjson"), mixed(texts), 0o600)
	}
	for i := range texts {
		if err := os.WriteFile(filepath.Join(t.file("logs"), fmt.Sprintf("%04d.ndjson", i)), texts[i].Bytes(),
			0o600); err != nil {
			return err
		}
	}
	return nil
}

// mixed takes a line of each text in turn.
func mixed(texts []bytes.Buffer) []byte {
	var all []byte
	for left := len(texts); left > 0; {
		left = 0
		for i := range texts {
			line, err := texts[i].ReadBytes('\n')
			all = append(all, line...)
			if err == nil {
				left++
			}
		}
	}
	return all
}

// onCase ingests and walks.
func (t *through) onCase() error {
	if err := t.removeCase(); err != nil {
		return err
	}
	home := []string{"XDG_STATE_HOME=" + t.file("home")}
	if _, err := t.runAs("ingest", home, "ingest", t.casePath(), t.file("logs")); err != nil {
		return err
	}
	answer, err := t.runAs("walk", home, "walk", t.casePath(), "--trust", t.trust(), "--output", "json")
	_, err = t.judged(answer, err)
	return errors.Join(err, t.removeCase())
}

// onParts makes one part of all evidence and concludes, and then one of each half in
// two processes at once.
func (t *through) onParts(plan string) error {
	part := []string{"part", "--trust", t.trust(), "--temp-dir", t.dir, "--jobs", "1", "--out"}
	if _, err := t.runAs("part", nil, append(slices.Clone(part), t.file("whole.part"), t.file("logs"))...); err != nil {
		return err
	}
	answer, err := t.run("conclude", "--trust", t.trust(), "--output", "json", t.file("whole.part"))
	if _, err := t.judged(answer, err); err != nil {
		return err
	}
	faults := make([]error, 2)
	var running sync.WaitGroup
	for i := range faults {
		running.Go(func() {
			_, faults[i] = t.runAs("half", nil, append(slices.Clone(part), t.file(fmt.Sprintf("half-%d.part", i)), "--plan",
				plan, "--index", fmt.Sprint(i))...)
		})
	}
	running.Wait()
	return errors.Join(faults...)
}

// onCores checks on one core and on two.
func (t *through) onCores() error {
	for i, name := range []string{"check-1", "check-2"} {
		jobs := fmt.Sprint(i + 1)
		answer, err := t.runAs(name, []string{"GOMAXPROCS=" + jobs, "TMPDIR=" + t.dir}, "check", "--trust", t.trust(),
			"--output", "json", t.file("logs"))
		if _, err := t.judged(answer, err); err != nil {
			return err
		}
	}
	return nil
}

// printShares prints the medians, and the ratios, each taken within a round.
func (t *through) printShares(w io.Writer) {
	fmt.Fprintf(w, "  %-10s %15s %15s %10s\n", "", "CPU µs an event", "wall µs an event", "peak MiB")
	rounds := len(t.used["part"])
	cpu := func(name string, round int) (sum float64) {
		of := len(t.used[name]) / rounds
		for _, u := range t.used[name][round*of : (round+1)*of] {
			sum += float64(u.CPU)
		}
		return sum
	}
	for _, name := range []string{"ingest", "walk", "part", "half", "conclude", "check-1", "check-2"} {
		var wall []time.Duration
		peak := int64(0)
		for _, u := range t.used[name] {
			wall, peak = append(wall, u.Wall), max(peak, u.Peak)
		}
		slices.Sort(wall)
		all := each(rounds, func(i int) float64 { return cpu(name, i) })
		fmt.Fprintf(w, "  %-10s %15.2f %15.2f %10.0f\n", name, all[rounds/2]/1000/float64(t.count),
			float64(wall[len(wall)/2].Nanoseconds())/1000/float64(t.count), float64(peak)/1024)
	}
	both := func(i int) float64 { return cpu("ingest", i) + cpu("walk", i) }
	for _, r := range []struct {
		name string
		of   func(int) float64
	}{
		{"part / (ingest + walk)", func(i int) float64 { return cpu("part", i) / both(i) }},
		{"(part + conclude) / (ingest + walk)",
			func(i int) float64 { return (cpu("part", i) + cpu("conclude", i)) / both(i) }},
		{"one process / two halves", func(i int) float64 { return cpu("part", i) / cpu("half", i) }},
		{"check on one core / (ingest + walk)", func(i int) float64 { return cpu("check-1", i) / both(i) }},
		{"check on two cores / (ingest + walk)", func(i int) float64 { return cpu("check-2", i) / both(i) }},
	} {
		all := each(rounds, r.of)
		fmt.Fprintf(w, "  %-38s %6.2f (%.2f to %.2f)\n", r.name, all[rounds/2], all[0], all[rounds-1])
	}
}

// each is a figure of every round, ascending.
func each(rounds int, of func(int) float64) (all []float64) {
	for i := range rounds {
		all = append(all, of(i))
	}
	slices.Sort(all)
	return all
}
