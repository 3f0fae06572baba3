//go:build linux

package main

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"

	"github.com/svc-edge/svc-verify/harness/worst"
)

// worstStages are the steps for a hard input, in this order.
var worstStages = []string{"ingest", "walk", "report", "verify"}

// base is an input of next to nothing: the least cost of every stage.
const base = "(nothing)"

// measureWorst prints the costs of hard inputs: seconds of CPU, and MiB of memory, above the
// costs of next to nothing, for each MiB of input. Texts have so many parts, and cases a tenth
// of them.
func measureWorst(e *evidence, w io.Writer) error {
	inputs := map[string]worst.Case{base: {"a.ndjson": []byte("\n")}}
	for name, text := range worst.Texts(e.count) {
		inputs["text: "+name] = worst.Case{"a.ndjson": []byte(text)}
	}
	for name, files := range worst.Cases(max(1, e.count/10)) {
		inputs["case: "+name] = files
	}
	fmt.Fprintf(w, "%-40s %6s", "hard inputs: s/MiB, MiB/MiB", "MiB")
	for _, stage := range worstStages {
		fmt.Fprintf(w, " %15s", stage)
	}
	fmt.Fprintln(w)
	for i, name := range slices.Sorted(maps.Keys(inputs)) { // base comes first
		e.round = i
		size, err := e.measureInput(inputs[name])
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if name == base {
			continue
		}
		mib := float64(size) / (1 << 20)
		fmt.Fprintf(w, "  %-38s %6.2f", name, mib)
		for _, stage := range worstStages {
			least, u := e.used[stage][0], e.used[stage][i]
			fmt.Fprintf(w, " %6.2f %8.1f", max(0, (u.CPU-least.CPU).Seconds()/mib),
				max(0, float64(u.Peak-least.Peak)/1024/mib))
		}
		fmt.Fprintln(w)
	}
	return nil
}

// measureInput runs the stages on an input, and returns its bytes.
func (e *evidence) measureInput(files worst.Case) (size int, err error) {
	folder := e.file("evidence")
	defer func() { err = errors.Join(err, os.RemoveAll(e.dir)) }()
	names := slices.Sorted(maps.Keys(files))
	for _, name := range names {
		path := filepath.Join(folder, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
			return 0, err
		}
		if err := os.WriteFile(path, files[name], 0o600); err != nil {
			return 0, err
		}
		size += len(files[name])
	}
	if err := os.WriteFile(e.trust(), worst.Trust(), 0o600); err != nil {
		return 0, err
	}
	if err := commandError(e.ingest("ingest", folder)); err != nil {
		return 0, err
	}
	_, err = e.run("walk", "walk", e.casePath(), "--trust", e.trust())
	if err := commandError(err); err != nil {
		return 0, err
	}
	if _, err := e.run("report", "report", e.casePath(), "--trust", e.trust(), "--output", "html"); err != nil {
		return 0, err
	}
	_, err = e.run("verify", "--evidence", filepath.Join(folder, filepath.FromSlash(names[0])), "--trust", e.trust())
	if err == nil {
		return 0, errors.New("a hard input was verified")
	}
	return size, commandError(err)
}

// commandError is the error of a command unless it is that the evidence is not verified.
func commandError(err error) error {
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) && (exit.ExitCode() == 1 || exit.ExitCode() == 3) {
		return nil
	}
	return err
}
