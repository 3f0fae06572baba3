//go:build linux

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/svc-edge/svc-verify/bundle"
	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/forensics/casefile"
	"github.com/svc-edge/svc-verify/forensics/crosscheck"
	reader "github.com/svc-edge/svc-verify/forensics/evidence"
	"github.com/svc-edge/svc-verify/forensics/examine"
	"github.com/svc-edge/svc-verify/forensics/ingest"
	"github.com/svc-edge/svc-verify/forensics/report"
	"github.com/svc-edge/svc-verify/forensics/verdict"
	"github.com/svc-edge/svc-verify/harness/worst"
	"github.com/svc-edge/svc-verify/verify"
)

// worstStages are the steps for a hard input, in this order.
var worstStages = []string{"worst-ingest", "worst-walk", "worst-crosscheck", "worst-report", "worst-verify"}

// base is an input of next to nothing: what every stage takes at least.
const base = "(nothing)"

// measureWorst prints what hard inputs take: seconds of CPU, and MiB of memory
// above what next to nothing takes, for each MiB of input. Texts have so many
// parts, and cases a tenth of them.
func measureWorst(w io.Writer, dir string, parts int) (err error) {
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	inputs := map[string]worst.Case{base: {"a.ndjson": []byte("\n")}}
	for name, text := range worst.Texts(parts) {
		inputs["text: "+name] = worst.Case{"a.ndjson": []byte(text)}
	}
	for name, files := range worst.Cases(max(1, parts/10)) {
		inputs["case: "+name] = files
	}
	fmt.Fprintf(w, "%-40s %6s", "hard inputs: s/MiB, MiB/MiB", "MiB")
	for _, stage := range worstStages {
		fmt.Fprintf(w, " %15s", strings.TrimPrefix(stage, "worst-"))
	}
	fmt.Fprintln(w)
	least := map[string]usage{}
	for _, name := range slices.Sorted(maps.Keys(inputs)) { // base comes first
		if err := measureInput(w, dir, name, inputs[name], least); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

func measureInput(w io.Writer, dir, name string, files worst.Case, least map[string]usage) error {
	e := evidence{dir: filepath.Join(dir, "worst")}
	size, err := e.writeWorst(files)
	if err != nil {
		return err
	}
	mib := float64(size) / (1 << 20)
	line := fmt.Sprintf("  %-38s %6.2f", name, mib)
	for _, stage := range worstStages {
		u, err := e.runStage(stage)
		if err != nil {
			return err
		}
		if name == base {
			least[stage] = u
		}
		seconds := (u.CPU - least[stage].CPU).Seconds() / mib
		line += fmt.Sprintf(" %6.2f %8.1f", max(0, seconds), max(0, float64(u.Peak-least[stage].Peak)/1024/mib))
	}
	if name != base {
		fmt.Fprintln(w, line)
	}
	return os.RemoveAll(e.dir)
}

// worstDir is the folder of a hard input.
func (e evidence) worstDir() string { return e.file("evidence") }

func (e evidence) writeWorst(files worst.Case) (size int64, err error) {
	for name, content := range files {
		path := filepath.Join(e.worstDir(), filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
			return 0, err
		}
		if err := os.WriteFile(path, content, 0o600); err != nil {
			return 0, err
		}
		size += int64(len(content))
	}
	return size, os.WriteFile(e.trust(), worst.Trust(), 0o600)
}

func worstIngest(e evidence, _ *meter) error {
	w, err := casefile.OpenWrite(e.casePath(), own())
	if err != nil {
		return err
	}
	_, err = ingest.Paths(context.Background(), w, []string{e.worstDir()}, ingest.Options{}, nil)
	return errors.Join(err, w.Close())
}

func worstWalk(e evidence, _ *meter) error {
	root, err := e.root()
	if err != nil {
		return err
	}
	options := examine.Options{Case: []casefile.Option{own()}, Workers: 1}
	_, err = examine.Examine(context.Background(), e.casePath(), root, options)
	return err
}

// withCase opens the case for a stage that reads it.
func (e evidence) withCase(do func(*casefile.Case) error) error {
	c, err := casefile.OpenRead(e.casePath(), own())
	if err != nil {
		return err
	}
	return errors.Join(do(c), c.Close())
}

func worstCrosscheck(e evidence, _ *meter) error {
	root, err := e.root()
	if err != nil {
		return err
	}
	return e.withCase(func(c *casefile.Case) error {
		_, err := crosscheck.Run(context.Background(), reader.OfCase(c), root, crosscheck.Options{})
		return err
	})
}

func worstReport(e evidence, _ *meter) error {
	root, err := e.root()
	if err != nil {
		return err
	}
	return e.withCase(func(c *casefile.Case) error {
		ctx := context.Background()
		result, err := verdict.Last(ctx, c, chain.Hash(root.SHA256()))
		if err != nil || result == nil {
			return errors.Join(err, errors.New("the walk was not kept"))
		}
		r, err := report.Gather(ctx, c, result)
		if err != nil {
			return err
		}
		return report.HTML(io.Discard, r)
	})
}

// worstVerify takes the first file for a bundle.
func worstVerify(e evidence, _ *meter) error {
	root, err := e.root()
	if err != nil {
		return err
	}
	var doc []byte
	err = filepath.WalkDir(e.worstDir(), func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || doc != nil {
			return err
		}
		doc, err = os.ReadFile(path) // #nosec G304 G122 -- the developer's own folder
		return err
	})
	if err != nil {
		return err
	}
	if r := verify.Verify(bundle.Open(bytes.TrimSpace(doc)), root, verify.Policy{}); r.Verdict == verify.Verified {
		return errors.New("a hard input was verified")
	}
	return nil
}
