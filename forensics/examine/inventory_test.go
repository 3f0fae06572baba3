package examine

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/verdict"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// dumped is a record of a collector's export whose body is a text.
func dumped(body string) string {
	return `{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"body":{"stringValue":"` + strings.ReplaceAll(body, `"`, `\"`) +
		`"}}]}]}]}` + "\n"
}

// TestRecordsThatAreNoEvents: what a record is instead of an event is named by
// its own code, at its place.
func TestRecordsThatAreNoEvents(t *testing.T) {
	dir := t.TempDir()
	path, root := fill(t, dir, "tenant.ndjson")
	journal := must.Get(os.ReadFile(filepath.Join(dir, "tenant.ndjson")))(t)
	line, _, _ := strings.Cut(string(journal), "\n")
	long := strings.Replace(line, `{"data":{`, `{"data":{"a":"`+strings.Repeat("x", 20_000)+`",`, 1)
	for code, record := range map[finding.Code]string{
		finding.BodyTruncated:     long[:10_000],
		finding.SourceUnparseable: long[:10_001],
		finding.Malformed:         strings.Replace(line, `"sequence":1,`, `"sequence":0,`, 1),
		finding.Ambiguous:         strings.Replace(line, `"sequence":1,`, `"sequence":1,"sequence":2,`, 1),
	} {
		name := string(code) + ".ndjson"
		must.Do(t, os.WriteFile(filepath.Join(dir, name), []byte(dumped(record)), 0o644))
		add(t, path, dir, name)
		found := about(run(t, path, root, Whole), name)
		check.That(t, len(found) == 1 && found[0] == code, "%s: %v", code, found)
	}
}

// TestDeliveryIsSaid: how the evidence came is in the walk's findings and keeps
// the verdict as it was.
func TestDeliveryIsSaid(t *testing.T) {
	dir := t.TempDir()
	path, root := fill(t, dir, "journals", "tenant.ndjson")
	before := run(t, path, root, Whole)
	journal := must.Get(os.ReadFile(filepath.Join(dir, "tenant.ndjson")))(t)
	lines := bytes.SplitAfter(journal, []byte("\n"))
	must.Do(t, os.WriteFile(filepath.Join(dir, "again.ndjson"), bytes.Join(append(lines[5:9:9], lines[:5]...), nil),
		0o644))
	add(t, path, dir, "again.ndjson")
	after := run(t, path, root, Whole)
	var codes []finding.Code
	for _, f := range after.Findings {
		if f.Code == finding.DuplicateDelivery {
			codes = append(codes, f.Code)
		}
	}
	check.That(t, len(codes) == 1 && len(after.Findings) == len(before.Findings)+1 && after.Verdict == before.Verdict,
		"%s after %s, findings %v", after.Verdict, before.Verdict, after.Findings)
}

// about returns the codes of the findings whose first place is in a file.
func about(r *verdict.Result, name string) (codes []finding.Code) {
	for _, f := range r.Findings {
		if len(f.Evidence) > 0 && strings.HasSuffix(f.Evidence[0].Source, name) {
			codes = append(codes, f.Code)
		}
	}
	return codes
}
