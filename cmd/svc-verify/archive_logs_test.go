package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/archive/object"
	"github.com/svc-edge/svc-verify/harness/fleet"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// packedLogs writes files of the evidence as one archive.
func (f ends) packedLogs(to string, names ...string) {
	f.t.Helper()
	files := must.FilesBelow(f.t, f.dir)
	maps.DeleteFunc(files, func(file string, _ []byte) bool {
		within := func(name string) bool { return file == name || strings.HasPrefix(file, name+"/") }
		return !slices.ContainsFunc(names, within)
	})
	must.WriteFile(f.t, to, must.Tar(must.Pairs(files)...))
}

// TestArchiveOfLogs: the answer on an archive states both numbers of each log, as check does,
// in every form, whether it verified the logs now or earlier.
func TestArchiveOfLogs(t *testing.T) {
	for name, names := range sampled(map[string][]string{
		"a checkpoint alone":       {fleet.TenantLog, fleet.Checkpoints},
		"a checkpoint and bundles": {fleet.TenantLog, fleet.Checkpoints, "bundles"},
		"everything":               {fleet.TenantLog, fleet.Checkpoints, "bundles", "journals", "cursors"},
	}, 3) {
		t.Run(name, func(t *testing.T) {
			f := newEnds(t)
			f.packedLogs(f.path("keep/logs.tar"), names...)
			trust, checked := f.path(fleet.TrustFile), f.check(nil, "keep")
			archiving := []string{"archive", "check", f.path("keep"), "--ledger", f.path("l.db"), "--trust", trust}
			var want, row []string
			for _, l := range checked.Logs {
				if l.LogID == "tenant/acme-corp" {
					want = append(want, fmt.Sprintf("complete up to %d by others' word, up to %d by its own",
						l.CompleteByOthers.Sequence, l.CompleteByOwn.Sequence))
					row = append(row, fmt.Sprintf("logs.tar tenant/acme-corp to %d to %d %d",
						l.CompleteByOthers.Sequence, l.CompleteByOwn.Sequence, l.TailByOthers))
				}
			}
			must.That(t, len(want) == 1, "%+v", checked.Logs)
			said := answers(t, archiving...)
			again := answers(t, archiving...)
			_, status, _ := call(nil, "archive", "status", "--ledger", f.path("l.db"))
			texts := map[string]string{"status": strings.Join(strings.Fields(status), " "), "check": said["text"],
				"again": again["text"]}
			for _, all := range []map[string]string{said, again} {
				f.sameWords(checked, all["json"])
				keepMachineForms(all)
			}
			wantAll(t, "check", said, want...)
			wantAll(t, "again", again, want...)
			wantAll(t, "archive", texts, row...)
			_, status, _ = call(nil, "archive", "status", "--ledger", f.path("l.db"), "--output", "json")
			f.sameWords(checked, status)
			direct := answers(t, "check", "--trust", trust, f.path("keep"))
			keepMachineForms(direct)
			wantAll(t, "check of the logs", direct, want...)
		})
	}
}

// keepMachineForms deletes the forms that have the two numbers as members or in columns.
func keepMachineForms(said map[string]string) {
	for _, form := range []string{"json", "jsonl", "html", "markdown", "github-summary", "text"} {
		delete(said, form)
	}
}

// sameWords compares the words of the logs in an answer on an archive with the words in
// check's answer.
func (f ends) sameWords(checked said, doc string) {
	f.t.Helper()
	var a object.Said
	must.Do(f.t, json.Unmarshal([]byte(doc), &a))
	got := map[string][4]uint64{}
	for _, l := range a.Logs {
		got[l.Log.LogID] = [4]uint64{l.Log.CompleteByOthers.Sequence, l.Log.CompleteByOwn.Sequence, l.Log.TailByOthers,
			l.Log.UnanchoredTail}
	}
	check.That(f.t, len(got) == len(checked.Logs), "%d logs, want %d", len(got), len(checked.Logs))
	for _, l := range checked.Logs {
		want := [4]uint64{l.CompleteByOthers.Sequence, l.CompleteByOwn.Sequence, l.TailByOthers, l.UnanchoredTail}
		check.Equal(f.t, got[l.LogID], want, "%s", l.LogID)
	}
}

// TestArchiveUnderStaleTrust: every answer on an archive reports first and once which keys the
// trust file lacks, and how many objects rest on them. Under the whole trust file none does.
func TestArchiveUnderStaleTrust(t *testing.T) {
	f := newEnds(t)
	f.packedLogs(f.path("keep/logs.tar"), fleet.TenantLog, fleet.Checkpoints, "journals")
	for _, lacks := range []stale{staleTrust[2], staleTrust[4]} { // TestStaleTrust has the others
		t.Run(lacks.name, func(t *testing.T) {
			doc := must.Get(os.ReadFile(f.bundleNaming(lacks)))(t)
			must.Do(t, os.WriteFile(f.path("keep/proof.json"), doc, 0o600))
			for trust, unknown := range map[string]bool{f.without(lacks): true, f.path(fleet.TrustFile): false} {
				db := filepath.Join(t.TempDir(), "l.db")
				archiving := []string{"archive", "check", f.path("keep"), "--ledger", db, "--trust", trust}
				all := map[string]map[string]string{"check": answers(t, archiving...), "again": answers(t, archiving...)}
				status := map[string]string{}
				_, status["text"], _ = call(nil, "archive", "status", "--ledger", db)
				_, status["json"], _ = call(nil, "archive", "status", "--ledger", db, "--output", "json")
				all["status"] = status
				bag := filepath.Join(t.TempDir(), "bag")
				exporting := []string{"archive", "export", f.path("keep"), "--ledger", db, "--trust", trust, "--out", bag}
				_, exported, _ := call(nil, append(exporting, "--output", "json")...)
				all["export"] = map[string]string{"json": exported}
				all["bag"] = answers(t, "archive", "verify", bag, "--trust", trust)
				var checked struct{ Evidence json.RawMessage }
				must.Do(t, json.Unmarshal([]byte(all["bag"]["json"]), &checked))
				all["bag"]["json"] = string(checked.Evidence)
				for who, said := range all {
					delete(said, "jsonl") // a line for each object, with its own
					for form, doc := range said {
						// JUnit has it as a message and as a detail of two cases; annotations come with a line for people.
						once := max(1, map[string]int{"annotations": 2, "junit": 3}[form])
						n := strings.Count(doc, "unknown key ids: "+lacks.name)
						check.That(t, (n == once) == unknown && (n == 0) != unknown && strings.Contains(doc, "keys.unknown") == unknown,
							"%s: %s says %d times that %s is unknown:\n%.3000s", who, form, n, lacks.name, doc)
					}
					var n notice
					must.Do(t, json.Unmarshal([]byte(said["json"]), &n))
					got := n.names()
					check.That(t, (len(got) == 1 && got[0] == lacks.name) == unknown, "%s: unknown are %v", who, got)
					check.That(t, !unknown || n.UnknownKeys.Keys[0].RestsOn[0].Of == 2 && n.UnknownKeys.MayBeGood,
						"%s: %+v", who, n.UnknownKeys)
				}
			}
		})
	}
}
