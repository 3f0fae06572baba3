package cases

import (
	"slices"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/cause"
	"github.com/svc-edge/svc-verify/forensics/verdict"
	"github.com/svc-edge/svc-verify/harness"
	"github.com/svc-edge/svc-verify/harness/fleet"
	"github.com/svc-edge/svc-verify/harness/tamper"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/verify"
)

// manipulation is one deed, and the evidence that an investigator is given.
type manipulation struct {
	name, what string
	actor      tamper.Actor
	blame      tamper.Blame // "" where the script does not say
	given      map[string]fleet.File
	trust      *fleet.Evidence
	damage     tamper.Damage
}

// honest are the scenes of a fleet in which no one abuses anything, byTheCloud those
// in which the cloud does. In the others it is the thief of a node key.
var (
	honest     = []string{fleet.Scene, "unabused", "lost-answer"}
	byTheCloud = []string{"hidden-approval", "hidden-decision", "paused"}
)

// manipulations does all known manipulations, or every n-th: scripts, generated ones, and the
// scenes in which a key is abused.
func manipulations(t *testing.T, every int) []manipulation {
	t.Helper()
	e := Evidence(t, fleet.Scene)
	var all []manipulation
	for i, m := range tamper.Manipulations(1) {
		if i%every > 0 {
			continue
		}
		after, damage := must.Two(m.Apply(e))(t)
		all = append(all, manipulation{m.Name, m.What, m.Actor, m.Blame, given(after, m.Given...), after, damage})
	}
	for i, s := range tamper.Scripts() {
		if i%every > 0 {
			continue
		}
		after, damage := must.Two(s.Apply(e))(t)
		if actor := s.Actor(damage); actor != "" {
			all = append(all, manipulation{s.Name, s.Summary, actor, blameOf(s.Name),
				given(after, tamper.Given(e, after, damage)...), after, damage})
		}
	}
	for i, d := range harness.Scenes() {
		if i%every == 0 && d.Fleet && !slices.Contains(honest, d.Name) {
			after, actor := Evidence(t, d.Name), tamper.NodeThief
			if slices.Contains(byTheCloud, d.Name) {
				actor = tamper.AuditKey
			}
			all = append(all, manipulation{d.Name, d.Summary, actor, "", given(after, tamper.Collected()...), after,
				tamper.Damage{}})
		}
	}
	return all
}

// given are the files at or below paths.
func given(e *fleet.Evidence, paths ...string) map[string]fleet.File {
	files := map[string]fleet.File{}
	for _, name := range e.Names(paths...) {
		files[name] = e.Files[name]
	}
	return files
}

// TestManipulations does every manipulation, and checks the answer and the page.
func TestManipulations(t *testing.T) {
	var answered rows
	every := 1
	if testing.Short() {
		every = 30
	}
	all := manipulations(t, every)
	t.Run("each", func(t *testing.T) {
		for _, m := range all {
			t.Run(m.name, func(t *testing.T) {
				t.Parallel()
				r := examineFiles(t, m.given, Root(t, m.trust))
				m.check(t, r)
				answered.add(m, r)
			})
		}
	})
	answered.checkPage(t, every == 1)
	check.That(t, len(all)*every >= 100, "%d manipulations", len(all))
}

// harmless are the scripts after which every event, and every statement about one,
// is still there as it was: of a journal that is removed in a store.
var harmless = map[string]bool{
	"duplicate": true, "reorder": true, "respace-event": true, "redeliver-batch": true, "drop-batch-ids": true,
	"reuse-batch-id": true, "late-export": true, "clock-behind": true, "lose-octet": true, "remove-journal": true,
	"earlier-copy-and-end": true,
}

// untold are the scripts that nothing in the evidence contradicts. Their actions are reported
// all the same, with a code.
var untold = map[string]finding.Code{
	"clock-set-back":        finding.TimeRegression,
	"silence":               finding.Quiet,
	"unanchored-event":      finding.TailUnanchored,
	"remove-newest-anchors": finding.TailUnanchored,
	"truncate-tail":         finding.JournalEndsEarly,
}

// blameOf returns the blame that the answer after a script must name, if that follows from the
// script: "" if not.
func blameOf(script string) tamper.Blame {
	if harmless[script] || untold[script] != "" {
		return tamper.Nothing
	}
	return ""
}

// check checks that the answer fits the damage: never verified, and about the log or the
// source, with all the events; or verified.
func (m manipulation) check(t *testing.T, r *verdict.Result) {
	t.Helper()
	check.That(t, (r.Verdict == verify.Verified) == (m.blame == tamper.Nothing), "%s after %s", r.Verdict, m.damage)
	if code := untold[m.name]; code != "" && !slices.ContainsFunc(r.Findings,
		func(f finding.Finding) bool { return f.Code == code && f.LogID == m.damage.LogID }) {
		t.Errorf("no %s", code)
	}
	m.checkCause(t, r)
	m.checkScreen(t, r)
	var about []finding.Finding
	for _, f := range r.Findings {
		entry, _ := finding.Lookup(f.Code)
		switch {
		case entry.Effect == finding.None && f.Code != finding.TailUnanchored:
		case m.blame == tamper.TheSource && entry.Subject == finding.Log && entry.Effect != finding.None:
			t.Errorf("a log is blamed: %s", say(f))
		case f.LogID == m.damage.LogID || m.names(f):
			about = append(about, f)
		}
	}
	if m.blame != tamper.TheLog && m.blame != tamper.TheSource || m.covers(about) {
		return
	}
	t.Errorf("%s is not named:", m.damage)
	for _, f := range about {
		t.Logf("%s %s: expected %s, found %s %v", f.Effect(), say(f), f.Expected, f.Found, f.Evidence)
	}
}

// keyed are the causes in which someone has a key, or an older state of its owner.
var keyed = []cause.Code{cause.StolenNodeKey, cause.NodeKeyMisused, cause.EitherKeyMisused, cause.AuditKeyMisused,
	cause.TwoHistories}

// keyless are the actors who have none.
var keyless = []tamper.Actor{tamper.OneStore, tamper.AllStores, tamper.Outsider}

// checkCause checks that after a script every finding that counts for the verdict, save that a limit
// was reached, follows from a cause, that an answer that is not verified names a cause, that some
// cause leads to the finding that decides, and that the first one gives no one a key who needed none.
func (m manipulation) checkCause(t *testing.T, r *verdict.Result) {
	t.Helper()
	follows := map[int]bool{}
	for _, c := range r.Causes {
		for _, i := range c.Findings {
			follows[i] = true
		}
	}
	generated := strings.HasPrefix(m.name, string(m.actor)+": ")
	for i, f := range r.Findings {
		check.That(t, generated || follows[i] || f.Effect() == finding.None || f.Code == finding.LimitReached,
			"%s follows from no cause", f.Code)
	}
	decides := func(i int) bool { return r.Decides != nil && finding.Compare(r.Findings[i], *r.Decides) == 0 }
	if r.Verdict != verify.Verified && !slices.ContainsFunc(r.Causes,
		func(c cause.Cause) bool { return slices.ContainsFunc(c.Findings, decides) }) {
		t.Errorf("no cause leads to the finding that decides, after %s", m.damage)
		for _, c := range r.Causes {
			t.Logf("%s: %s %s", c.Code, c.Message, c.Follow(r.Findings))
		}
	}
	if generated && slices.Contains(keyless, m.actor) && len(r.Causes) > 0 && slices.Contains(keyed, r.Causes[0].Code) {
		t.Errorf("%s takes no key: %s, for %q, against %q", m.name, r.Causes[0].Message, r.Causes[0].For, r.Causes[0].Against)
	}
}

// names reports whether a finding is about the file that was touched.
func (m manipulation) names(f finding.Finding) bool {
	entry, _ := finding.Lookup(f.Code)
	return entry.Subject == finding.Source && slices.ContainsFunc(f.Evidence, func(e finding.Evidence) bool {
		return strings.HasSuffix(e.Source, "/"+m.damage.File)
	})
}

// covers reports whether findings are about all events of the damage together, and
// begin where it begins, or are about the source that was touched and no event.
func (m manipulation) covers(all []finding.Finding) bool {
	slices.SortFunc(all, finding.Compare)
	begins, last := false, m.damage.First
	for _, f := range all {
		switch {
		case f.Sequence == 0 && m.names(f):
			return true
		case f.LogID == m.damage.LogID && f.Sequence > 0 && f.Sequence <= last+1:
			begins = begins || f.Sequence == m.damage.First
			last = max(last, f.LastSequence)
		}
	}
	return begins && last >= m.damage.Last
}
