package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/forensics/cases"
	"github.com/svc-edge/svc-verify/harness/fleet"
	"github.com/svc-edge/svc-verify/harness/tamper"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// TestTwoHistories: two signed histories are a fork, and name no thief. A node that was
// restored before it had signed anything that the copy lacks has one history.
func TestTwoHistories(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	e := cases.Evidence(t, fleet.Scene)
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
	for name, apply := range sampled(applied, 3) {
		t.Run(name, func(t *testing.T) {
			after, _ := must.Two(apply(e))(t)
			dir := t.TempDir()
			given := []string{"journals", fleet.TenantLog, fleet.Checkpoints, "cursors", "bundles"}
			must.Do(t, after.Write(dir, append(slices.Clone(given), fleet.TrustFile)...))
			b := askAll[blamed](ends{t, dir}, nil, ends{t, dir}.paths(given))
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
