package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/cases"
	"github.com/svc-edge/svc-verify/harness/fleet"
	"github.com/svc-edge/svc-verify/harness/tamper"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/verify"
)

// logVerdicts checks that a log that a fault blames is not called better than the fault
// allows, whichever examination found it (SPEC 13).
func logVerdicts(t *testing.T, walked string) {
	t.Helper()
	var doc struct {
		Logs []struct {
			TenantID string         `json:"tenant_id"`
			LogID    string         `json:"log_id"`
			Verdict  verify.Verdict `json:"verdict"`
		} `json:"logs"`
		Findings []finding.Finding `json:"findings"`
	}
	must.Do(t, json.Unmarshal([]byte(walked), &doc))
	for _, f := range doc.Findings {
		if f.Subject() != finding.Log || f.Effect() == finding.None {
			continue
		}
		for _, l := range doc.Logs {
			if l.LogID == f.LogID && l.TenantID == f.TenantID && (l.Verdict == verify.Verified || f.Effect() == finding.Rejects &&
				l.Verdict != verify.Rejected) {
				t.Errorf("%s is %s, although there is %s", l.LogID, l.Verdict, f.Code)
			}
		}
	}
}

// TestMemberTwice: an event in which a member occurs twice is ambiguous, wherever the
// first one is and the second one; a store's own members do not matter.
func TestMemberTwice(t *testing.T) {
	e := cases.Evidence(t, fleet.Scene)
	dir := t.TempDir()
	root := trustFile(t, e, dir)
	const journal = "journals/mesh-oslo-1.ndjson"
	content := must.Get(e.Content(journal))(t)
	key := regexp.MustCompile(`"key_id":"[^"]*"`).FindString(string(content))
	for name, c := range map[string]struct {
		damage    func(line string) string
		ambiguous bool
	}{
		"at the beginning":       {func(l string) string { return "{" + key + "," + l[1:] }, true},
		"at the end":             {func(l string) string { return l[:len(l)-1] + "," + key + "}" }, true},
		"both before the body":   {func(l string) string { return `{"a":1,"a":2,` + l[1:] }, true},
		"both behind":            {func(l string) string { return l[:len(l)-1] + `,"a":1,"a":2}` }, true},
		"in the body":            {func(l string) string { return strings.Replace(l, `{"body":{`, `{"body":{"sequence":1,`, 1) }, true},
		"a second body":          {func(l string) string { return l[:len(l)-1] + `,"body":{}}` }, true},
		"in a store's record":    {func(l string) string { return `{"n":1,"log":{` + key + "," + l[1:] + "}" }, true},
		"of the store's record":  {func(l string) string { return `{"n":1,"n":2,"log":` + l + "}" }, false},
		"nowhere, in a record":   {func(l string) string { return `{"n":1,"log":` + l + "}" }, false},
		"nowhere, other members": {func(l string) string { return `{"a":1,` + l[1:] }, false},
	} {
		t.Run(name, func(t *testing.T) {
			lines := strings.Split(strings.TrimSuffix(string(content), "\n"), "\n")
			lines[9] = c.damage(lines[9])
			given := filepath.Join(t.TempDir(), "given.ndjson")
			must.Do(t, os.WriteFile(given, []byte(strings.Join(lines, "\n")+"\n"), 0o600))
			code, out, _ := call(nil, "check", "--trust", root, "--output", "json", given)
			var doc struct {
				Verdict  verify.Verdict    `json:"verdict"`
				Findings []finding.Finding `json:"findings"`
			}
			must.Do(t, json.Unmarshal([]byte(out), &doc))
			found := slices.ContainsFunc(doc.Findings, func(f finding.Finding) bool { return f.Code == finding.Ambiguous })
			if found != c.ambiguous || (code == exitCode(verify.Rejected)) != c.ambiguous {
				t.Error(fmt.Sprintf("exit code %d, %s:", code, doc.Verdict), doc.Findings)
			}
		})
	}
}

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
		name, ok := strings.CutPrefix(m.Name, actor)
		if ok && slices.Contains([]string{"restore a backup", "restart"}, name) {
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

// blamed is the commands' answer about evidence in JSON.
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
