//go:build linux

package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"
	"syscall"

	"github.com/svc-edge/svc-verify/harness/seal"
)

// throughNodes is how many journals there are besides the tenant log.
const throughNodes = 4

// joinWidth is how many parts are concluded from, or joined, at once. More than that are
// joined first: that costs about a third of concluding. Tests lower it.
var joinWidth = 1024

// through is evidence on its way into parts. It is written into the standard input of the
// workers, and uses no room on the disk; planned, it is files.
type through struct {
	*evidence
	*fleet
	files []string // the parts, in the order of their making
}

func newThrough(e *evidence, nodes int) (*through, error) {
	f, err := newFleet(nodes)
	if err != nil {
		return nil, err
	}
	t := &through{evidence: e, fleet: f}
	return t, errors.Join(os.MkdirAll(t.folder(), 0o750), os.WriteFile(e.trust(), seal.Canonical(f.trust), 0o600))
}

func (t *through) trust() string  { return t.evidence.trust() }
func (t *through) folder() string { return t.file("logs") }
func (t *through) plan() string   { return t.file("plan.json") }

// measureThrough has workers make parts of events and concludes, all by the program's
// commands. Very many parts are joined first. Planned, the evidence is files, which are
// divided by a plan.
func measureThrough(e *evidence, w io.Writer) error {
	t, err := newThrough(e, throughNodes)
	if err != nil {
		return err
	}
	rounds := (e.parts + throughNodes) / (throughNodes + 1)
	each := max(e.count*8/(9*throughNodes*rounds), 16) // events of a journal; the tenant log has an eighth of all
	for range rounds {
		if err := t.writeRound(each); err != nil {
			return err
		}
	}
	if e.planned {
		if err := t.share("part", e.parts); err != nil {
			return err
		}
	}
	return t.conclude(w)
}

// writeRound writes the next events of each journal, two at a time, and then the tenant log's
// entries about them.
func (t *through) writeRound(each int) error {
	err := twoAtATime(len(t.journals), func(i int) error { return t.writeLog(i, each) })
	if err != nil {
		return err
	}
	return t.writeLog(len(t.journals), 0)
}

// twoAtATime calls a function with every number below count.
func twoAtATime(count int, do func(i int) error) error {
	faults, turns := make([]error, count), make(chan struct{}, 2)
	var running sync.WaitGroup
	for i := range count {
		turns <- struct{}{}
		running.Go(func() {
			faults[i] = do(i)
			<-turns
		})
	}
	running.Wait()
	return errors.Join(faults...)
}

// writeLog writes the next events of a log: a worker makes a part of them or, planned,
// they are appended to its file.
func (t *through) writeLog(log, events int) error {
	if !t.planned {
		return t.part("part", t.nextPart(), func(w io.Writer) error { return t.write(log, w, events) }, "-")
	}
	f, err := os.OpenFile(t.logFile(log), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	return errors.Join(t.write(log, f, events), f.Close())
}

func (t *through) logFile(log int) string { return t.file(fmt.Sprintf("logs/%04d.ndjson", log)) }

// nextPart names the next part.
func (t *through) nextPart() string {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	out := t.file(fmt.Sprintf("0-%04d.part", len(t.files)))
	t.files = append(t.files, out)
	return out
}

// part has a worker make a part.
func (t *through) part(stage, out string, write func(io.Writer) error, args ...string) error {
	_, err := t.measured(stage, write, t.command(append([]string{"part", "--trust", t.trust(), "--temp-dir", t.dir,
		"--jobs", "1", "--out", out}, args...)...)...)
	return err
}

// share plans so many shares of the files, and has workers make their parts.
func (t *through) share(stage string, parts int) error {
	if _, err := t.run("plan", "plan", "--parts", fmt.Sprint(parts), "--out", t.plan(), t.folder()); err != nil {
		return err
	}
	return twoAtATime(parts, func(i int) error {
		return t.part(stage, t.nextPart(), nil, "--plan", t.plan(), "--index", fmt.Sprint(i))
	})
}

// conclude joins very many parts in a tree, concludes, and prints all costs.
func (t *through) conclude(w io.Writer) error {
	events, octets := t.size()
	t.count = events
	t.note("evidence", usage{CPU: cpuTime(syscall.RUSAGE_SELF), Peak: peakMemory()})
	sizes, err := fileSizes(t.files)
	if err != nil {
		return err
	}
	parts, err := t.join(t.files)
	if err != nil {
		return err
	}
	args := []string{"conclude", "--trust", t.trust(), "--output", "json"}
	if t.planned {
		args = append(args, "--plan", t.plan())
	}
	answer, err := t.run("conclude", append(args, parts...)...)
	answered, err := requireVerified(answer, err, events)
	if err != nil {
		return err
	}
	t.printThrough(w)
	sum := int64(0)
	for _, size := range sizes {
		sum += size
	}
	kilo := func(i int) float64 { return float64(sizes[i]) / 1e3 }
	fmt.Fprintf(w, "  %.1f GB of evidence in %d parts of %.1f octets an event; a part has %.1f kB, from %.1f to %.1f\n",
		float64(octets)/1e9, len(sizes), float64(sum)/float64(events), kilo(len(sizes)/2), kilo(0), kilo(len(sizes)-1))
	fmt.Fprintf(w, "  concluded from %d parts: %s\n", len(parts), answered.Verdict)
	return nil
}

// printThrough prints the cost of each command, and of making the evidence. The share of joins
// and conclusion comes on top of the work that is divided.
func (t *through) printThrough(w io.Writer) {
	ran := func(stages ...string) []string {
		return slices.DeleteFunc(stages, func(stage string) bool { return t.used[stage] == nil })
	}
	all := ran("plan", "part", "join", "conclude")
	rows := []row{{"making the evidence", "evidence"}}
	for _, stage := range all {
		rows = append(rows, row{stage, stage})
	}
	t.print(w, &table{unit: "events", rows: rows, whole: all, ratios: []ratio{
		{"(join + conclude) / all of the program", ran("join", "conclude"), all}}})
}

// join joins parts until there are few enough to conclude from.
func (t *through) join(parts []string) ([]string, error) {
	for level := 1; len(parts) > joinWidth; level++ {
		var joined []string
		for group := range slices.Chunk(parts, joinWidth) {
			out := t.file(fmt.Sprintf("%d-%04d.part", level, len(joined)))
			if _, err := t.run("join", append([]string{"join", "--out", out}, group...)...); err != nil {
				return nil, err
			}
			for _, name := range group {
				if err := os.Remove(name); err != nil {
					return nil, err
				}
			}
			joined = append(joined, out)
		}
		parts = joined
	}
	return parts, nil
}

// fileSizes is the bytes of each file, ascending.
func fileSizes(files []string) (all []int64, err error) {
	for _, name := range files {
		info, err := os.Stat(name)
		if err != nil {
			return nil, err
		}
		all = append(all, info.Size())
	}
	slices.Sort(all)
	return all, nil
}
