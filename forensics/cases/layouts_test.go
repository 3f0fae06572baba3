package cases

import (
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/answer"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/cause"
	"github.com/svc-edge/svc-verify/forensics/examine"
	"github.com/svc-edge/svc-verify/forensics/report"
	"github.com/svc-edge/svc-verify/forensics/verdict"
	"github.com/svc-edge/svc-verify/harness/chance"
	"github.com/svc-edge/svc-verify/harness/fleet"
	"github.com/svc-edge/svc-verify/harness/layout"
	"github.com/svc-edge/svc-verify/harness/tamper"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/columns"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/trust"
	"github.com/svc-edge/svc-verify/verify"
)

// incomplete are the codes that report a missing end of a log.
var incomplete = []finding.Code{finding.TailMissing, finding.TailUnread, finding.Absent, finding.StatementNotCovered}

// early are the causes that must come first then: the logs were copied before the
// anchors, or while they were written.
var early = []cause.Code{cause.CopyOrder, cause.UnreadSource}

// TestLayouts: clean evidence is clean in every ordinary layout. Where it really is
// incomplete, the missing part is named, and nothing else.
func TestLayouts(t *testing.T) {
	e := Evidence(t, fleet.Scene)
	all := must.Get(layout.All(e))(t)
	check.That(t, len(all) >= 40, "%d layouts", len(all))
	for i, l := range all {
		if testing.Short() && i%50 != 0 {
			continue
		}
		t.Run(l.Name, func(t *testing.T) {
			t.Parallel()
			r := examineFiles(t, l.Files, Root(t, e))
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
	path := Ingest(t, dir, []string{given})
	return must.Get(examine.Examine(t.Context(), path, root, examine.Options{}))(t)
}

// cleanLines is how many lines the first screen of a clean case has at most.
const cleanLines = 10

// screenOf returns the first screen of an answer, which is never larger than a terminal.
func screenOf(t *testing.T, r *verdict.Result) string {
	t.Helper()
	var b strings.Builder
	d := report.Screen(r, report.Asked{Name: "evidence", Case: "case.db", Trust: "trust.json"})
	must.Do(t, answer.WriteText(&b, d, false))
	screen, most := b.String(), answer.ScreenLines
	if r.Verdict == verify.Verified && len(r.LeftOut) == 0 {
		most = cleanLines
	}
	n := strings.Count(screen, "\n")
	check.That(t, n <= most, "%d lines, at most %d:\n%s", n, most, screen)
	for line := range strings.Lines(screen) {
		if columns.Width(strings.TrimSuffix(line, "\n")) > answer.Width && strings.Contains(strings.TrimSpace(line), " ") &&
			!strings.HasPrefix(line, "Next: ") {
			t.Errorf("a line is too wide: %s", line)
		}
	}
	return screen
}

// eventsNamed finds the events that a screen names.
var eventsNamed = regexp.MustCompile(`(\S+?),? (?:events? )?(\d+)(?: to (\d+))?`)

// checkScreen compares the first screen with the damage: the verdict, the log or the file, the
// events, when it was, and who can have done it.
func (m manipulation) checkScreen(t *testing.T, r *verdict.Result) {
	t.Helper()
	screen := screenOf(t, r)
	word := map[verify.Verdict]string{verify.Verified: "VERIFIED", verify.Rejected: "REJECTED",
		verify.Inconclusive: "OPEN"}[r.Verdict]
	check.That(t, strings.HasPrefix(screen, word+" "), "the screen does not begin with %s:\n%s", word, screen)
	if r.Verdict == verify.Verified {
		return
	}
	said := strings.Join(strings.Fields(screen), " ")
	if m.blame == tamper.TheLog || m.blame == tamper.TheSource {
		m.checkPlace(t, said, screen)
	}
	i := r.Incidents[0]
	check.That(t, len(i.Candidates) == 0 || strings.Contains(said, i.Candidates[0].Who),
		"not who can have done it:\n%s", screen)
	w := r.Incidents[0].When
	check.That(t, w.After == nil && w.ClaimedFirst == "" || strings.Contains(said, " when "), "not when:\n%s", screen)
	check.That(t, strings.Contains(screen, "\nNext: svc-verify "), "no next command:\n%s", screen)
}

// checkPlace checks that a screen names the file that was touched, or the log and all events
// of the damage.
func (m manipulation) checkPlace(t *testing.T, said, screen string) {
	t.Helper()
	var all [][2]uint64
	for _, found := range eventsNamed.FindAllStringSubmatch(said, -1) {
		if !strings.HasSuffix(strings.TrimSuffix(found[1], ","), m.damage.LogID) {
			continue
		}
		first, _ := strconv.ParseUint(found[2], 10, 64)
		last, err := strconv.ParseUint(found[3], 10, 64)
		if err != nil {
			last = first
		}
		all = append(all, [2]uint64{first, last})
	}
	last, begins := uint64(0), false
	for _, r := range all {
		begins, last = begins || r[0] <= m.damage.First && m.damage.First <= r[1], max(last, r[1])
	}
	check.That(t, begins && last >= m.damage.Last || strings.Contains(said, m.damage.File),
		"%s is not named:\n%s", m.damage, screen)
}

// TestScreensOfPairs: after two manipulations, the first screen names both.
func TestScreensOfPairs(t *testing.T) {
	pairs := mostPairs
	if testing.Short() {
		pairs = 2
	}
	e := Evidence(t, fleet.Scene)
	scripts := slices.DeleteFunc(tamper.Scripts(), func(s tamper.Script) bool {
		return blameOf(s.Name) == tamper.Nothing || strings.HasPrefix(s.Name, "near-")
	})
	draw := chance.New(1).Stream("pairs")
	for range pairs {
		a, b := scripts[draw.Below(len(scripts))], scripts[draw.Below(len(scripts))]
		t.Run(a.Name+"+"+b.Name, func(t *testing.T) {
			t.Parallel()
			once, first := must.Two(a.Apply(e))(t)
			after, second, err := b.Apply(once)
			if err != nil {
				return // the first leaves nothing for the second to do
			}
			r := examineFiles(t, given(after, slices.Concat(tamper.Given(e, after, first), tamper.Given(e, after, second))...),
				Root(t, after))
			manipulation{damage: first}.checkScreen(t, r)
		})
	}
}

// mostPairs is how many pairs are drawn.
const mostPairs = 100
