package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/harness/fleet"
	"github.com/svc-edge/svc-verify/harness/tamper"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// TestTwoHistories: two signed histories are a fork, and name no thief. A node that was
// restored before it had signed anything that the copy lacks has one history.
func TestTwoHistories(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	e := smallFleet(t)
	actor := "insider at the node: "
	applied := map[string]func(*fleet.Evidence) (*fleet.Evidence, tamper.Damage, error){}
	for _, name := range []string{"restore-backup", "second-copy", "restart", "fork", "near-restored-backup"} {
		s, ok := tamper.Lookup(name)
		must.That(t, ok, "%v", name)
		applied[name] = s.Apply
	}
	for _, m := range tamper.Manipulations(1) {
		if name, ok := strings.CutPrefix(m.Name, actor); ok && slices.Contains([]string{"restore a backup", "restart"}, name) {
			applied[m.Name] = m.Apply
		}
	}
	must.That(t, len(applied) == 7, "%d manipulations", len(applied))
	for name, apply := range applied {
		t.Run(name, func(t *testing.T) {
			after, _ := must.Two(apply(e))(t)
			dir := t.TempDir()
			must.Do(t, after.Write(dir, after.Names()...))
			given := []string{"journals", fleet.TenantLog, fleet.Checkpoints, "cursors", "bundles"}
			b := asked(t, dir, ends{t, dir}.paths(given))
			var codes []string
			for _, c := range b.Causes {
				codes = append(codes, c.Code)
			}
			want, causes := "rejected", []string{"cause.two-histories"}
			if name == "near-restored-backup" {
				want, causes = "verified", nil
			}
			check.That(t, b.Verdict == want && slices.Equal(codes, causes), "%s, %v", b.Verdict, codes)
		})
	}
}

// blamed is what the commands say of evidence in JSON.
type blamed struct {
	Verdict string
	Logs    []struct {
		LogID   string `json:"log_id"`
		Verdict string
	}
	Findings []struct {
		Code, Expected, Found string
		LogID                 string `json:"log_id"`
	}
	Causes []struct {
		Code   string
		KeyIDs []string `json:"key_ids"`
	}
}

// asked asks check, walk, and plan with part and conclude, which all say the same.
func asked(t *testing.T, dir string, paths []string) (b blamed) {
	t.Helper()
	run := func(args ...string) (out bytes.Buffer) {
		program().Run(append(args, "--quiet"), strings.NewReader(""), &out, io.Discard)
		return out
	}
	aside := t.TempDir()
	db, plan := filepath.Join(aside, "case.db"), filepath.Join(aside, "plan.json")
	ask := []string{"--trust", filepath.Join(dir, "trust.json"), "--output", "json"}
	run(append([]string{"ingest", db}, paths...)...)
	run(append([]string{"plan", "--parts", "2", "--out", plan}, paths...)...)
	var parts []string
	for i := range 2 {
		parts = append(parts, filepath.Join(aside, fmt.Sprint(i, ".part")))
		run("part", "--plan", plan, "--index", fmt.Sprint(i), "--trust", ask[1], "--out", parts[i])
	}
	for i, args := range [][]string{append([]string{"check"}, paths...), {"walk", db},
		append([]string{"conclude", "--plan", plan}, parts...)} {
		var o blamed
		out := run(slices.Concat(args[:1], ask, args[1:])...)
		must.Do(t, json.Unmarshal(out.Bytes(), &o))
		if i == 0 {
			b = o
		}
		if fmt.Sprint(b) != fmt.Sprint(o) {
			t.Errorf("check says\n%v\n%s says\n%v", b, args[0], o)
		}
	}
	return b
}
