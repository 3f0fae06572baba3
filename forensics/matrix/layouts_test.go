package matrix

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/cause"
	"github.com/svc-edge/svc-verify/forensics/examine"
	"github.com/svc-edge/svc-verify/forensics/fleettest"
	"github.com/svc-edge/svc-verify/forensics/verdict"
	"github.com/svc-edge/svc-verify/harness/fleet"
	"github.com/svc-edge/svc-verify/harness/layout"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/trust"
	"github.com/svc-edge/svc-verify/verify"
)

// incomplete are the codes of what is missing at the end of a log.
var incomplete = []finding.Code{finding.TailMissing, finding.TailUnread, finding.Absent, finding.StatementNotCovered}

// early are the causes that must come first then: the logs were copied before the
// anchors, or while they were written.
var early = []cause.Code{cause.CopyOrder, cause.UnreadSource}

// TestLayouts: clean evidence is clean in every ordinary layout. Where it really
// is incomplete, what is missing is named, and nothing else.
func TestLayouts(t *testing.T) {
	e := fleettest.Evidence(t, fleet.Scene)
	all := must.Get(layout.All(e))(t)
	check.That(t, len(all) >= 40, "%d layouts", len(all))
	for i, l := range all {
		if testing.Short() && i%50 != 0 {
			continue
		}
		t.Run(l.Name, func(t *testing.T) {
			t.Parallel()
			r := examineFiles(t, l.Files, fleettest.Root(t, e))
			var short []string
			for _, f := range r.Findings {
				node, _ := strings.CutPrefix(f.LogID, "node/")
				switch {
				case f.Severity == finding.Info:
				case slices.Contains(incomplete, f.Code) && slices.Contains(l.Lacking, node):
					short = append(short, node)
				default:
					t.Errorf("%s: expected %s, found %s", say(f), f.Expected, f.Found)
				}
			}
			check.That(t, len(l.Lacking) == 0 || len(r.Causes) != 0 && slices.Contains(early, r.Causes[0].Code),
				"the causes are %v", r.Causes)
			slices.Sort(short)
			if short = slices.Compact(short); !slices.Equal(short, l.Lacking) {
				t.Errorf("incomplete are %v, want %v", short, l.Lacking)
			}
			want := verify.Verified
			if len(l.Lacking) > 0 || l.HalfWritten {
				want = r.Verdict
			}
			check.That(t, r.Verdict == want && (r.Verdict != verify.Verified || len(l.Lacking) == 0), "%s", r.Verdict)
		})
	}
}

// examineFiles ingests files and examines them.
func examineFiles(t *testing.T, files map[string]fleet.File, root *trust.Root) *verdict.Result {
	t.Helper()
	dir := t.TempDir()
	given := filepath.Join(dir, "evidence")
	must.Do(t, (&fleet.Evidence{Files: files}).Write(given))
	path := fleettest.Case(t, dir, []string{given})
	return must.Get(examine.Examine(t.Context(), path, root, examine.Options{}))(t)
}

// say is a finding without the words.
func say(f finding.Finding) string {
	return fmt.Sprintf("%s %s %s %d..%d", f.Severity, f.Code, f.LogID, f.Sequence, f.LastSequence)
}
