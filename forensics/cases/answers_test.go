package cases

import (
	"archive/zip"
	"bytes"
	"image"
	"image/png"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/cause"
	"github.com/svc-edge/svc-verify/forensics/examine"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/verdict"
	"github.com/svc-edge/svc-verify/harness/fleet"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/harness/shapes"
	"github.com/svc-edge/svc-verify/harness/tamper"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/verify"
)

// packedWith returns an archive of two files.
func packedWith(t *testing.T, one, other string) string {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for name, content := range map[string]string{"one": one, "other": other} {
		must.Get(must.Get(w.Create(name))(t).Write([]byte(content)))(t)
	}
	must.Do(t, w.Close())
	return b.String()
}

// TestAnswers: with a whole journal, a file that is read as evidence or understood leaves
// the verdict as it is. An altered copy is never verified, however it is encoded, and neither
// is a file that no reader reads (SPEC 13.1).
func TestAnswers(t *testing.T) {
	h := must.Get(shortHistory())(t)
	genuine := string(h.lines[2])
	altered := strings.Replace(genuine, `"n":9007199254740991`, `"n":9007199254740990`, 1)
	digits := strings.Repeat("5Hq7RtzLmE9", 9)
	var picture bytes.Buffer
	must.Do(t, png.Encode(&picture, image.NewGray(image.Rect(0, 0, 20, 20))))
	files := map[string]struct {
		content string
		want    verify.Verdict
	}{
		"words":               {"what else is there\n", verify.Verified},
		"digits":              {"key: " + digits + "\n", verify.Verified},
		"digits and an event": {"log: " + genuine + " done\nkey: " + digits + "\n", verify.Inconclusive},
		"a digest and an event": {"log: " + genuine + " done\nkey: " + strings.Repeat("0a", 32) + "\n",
			verify.Verified},
		"an image":           {picture.String(), verify.Verified},
		"more than an image": {picture.String() + "x", verify.Inconclusive},
		"EBCDIC":             {strings.Repeat("\xc1\x40\x93\x89\x95\x85\x40\xa3\x85\xa7\xa3\x25", 9), verify.Inconclusive},
		"octal numbers": {"0000000 075173 067542\n0000020 075173 067542\n0000040 075173 067542\nlog: " +
			genuine + "\n", verify.Inconclusive},
	}
	program := "\x7fELF\x02\x01\x01" + strings.Repeat("\x00\x01\x02\x03", 300)
	for name, c := range map[string]struct {
		content string
		want    verify.Verdict
	}{
		"a program":                    {program, verify.Verified},
		"a program of another kind":    {"\xcf\xfa\xed\xfe" + program, verify.Verified},
		"a core dump":                  {program[:16] + "\x04\x00" + program[18:], verify.Inconclusive},
		"a program with an archive":    {program + "7z\xbc\xaf\x27\x1c\x00\x04", verify.Inconclusive},
		"a program that unpacks":       {program + "PK\x05\x06" + strings.Repeat("\x00", 18), verify.Inconclusive},
		"a program with a copy":        {program + genuine + program, verify.Inconclusive},
		"a program with an altered":    {program + altered + program, verify.Rejected},
		"a picture":                    {"\xff\xd8\xff\xe0" + program, verify.Verified},
		"a document":                   {"%PDF-1.7\n" + program, verify.Inconclusive},
		"a disk":                       {"QFI\xfb" + program, verify.Inconclusive},
		"an encrypted message":         {"Salted__" + program, verify.Inconclusive},
		"of no known format":           {"\x00\x01\x02" + program, verify.Inconclusive},
		"a program beside an event":    {packedWith(t, program, genuine), verify.Inconclusive},
		"a program beside what is not": {packedWith(t, program, "words\n"), verify.Verified},
	} {
		files[name] = c
	}
	for name, code := range encodings {
		files["a copy in "+name] = struct {
			content string
			want    verify.Verdict
		}{"a copy:\n" + code(genuine) + "\n", verify.Verified}
		files["an altered copy in "+name] = struct {
			content string
			want    verify.Verdict
		}{"a copy:\n" + code(altered) + "\n", verify.Rejected}
	}
	for name, content := range strangeFiles(genuine, altered) {
		files[name] = struct {
			content string
			want    verify.Verdict
		}{content, verify.Inconclusive}
	}
	for i, name := range slices.Sorted(maps.Keys(files)) {
		if testing.Short() && i%8 > 0 {
			continue
		}
		c := files[name]
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := hand(t, h, shapes.Files{"journal.ndjson": append(bytes.Join(h.lines, []byte("\n")), '\n'),
				"elsewhere/more": []byte(c.content)}).examine(t, h)
			defer f.say(t)
			check.That(t, f.result.Verdict == c.want, "%s, want %s", f.result.Verdict, c.want)
		})
	}
}

// historyFor returns the journal that a shape is tried with.
func historyFor(t *testing.T, s shapes.Shape) *history {
	t.Helper()
	return must.Get(historyIn(s))(t)
}

// fidelityNames are the classes of fidelity as pages call them.
var fidelityNames = map[facts.Fidelity]string{facts.Exact: "exact", facts.Unquoted: "unquoted",
	facts.Recanonicalised: "recanonicalised", facts.Lossy: "lossy"}

// TestHistories: the events are right before anything wraps them.
func TestHistories(t *testing.T) {
	for _, s := range []shapes.Shape{{}, {Cuts: true}} {
		h := historyFor(t, s)
		f := hand(t, h, shapes.Files{"journal.ndjson": append(bytes.Join(h.lines, []byte("\n")), '\n')}).examine(t, h)
		check.That(t, f.result.Verdict == "verified" && len(f.genuine) == len(h.lines) && len(f.counting()) == 0,
			"%s, %d events", f.result.Verdict, len(f.genuine))
		f.say(t)
	}
}

// firstCauses has the first cause of each script without an actor, unless the script leads to
// nothing that needs a cause. The other scripts are in docs/manipulations.md.
var firstCauses = map[string]cause.Code{
	"rename-log": cause.LogRenamed, "copied-early": cause.CopyOrder, "near-crowd": cause.AlteredStore,
	"sample-at-store": cause.LossyStore, "near-sign-far-event": cause.EventsDeleted,

	"cut-frame": cause.UnreadSource, "cut-gzip": cause.UnreadSource, "cut-line-feed": cause.UnreadSource,
	"cut-zstd": cause.UnreadSource, "database": cause.UnreadSource, "duplicate-body": cause.UnreadSource,
	"garbage": cause.UnreadSource, "garbage-for-event": cause.UnreadSource, "garbage-for-tail": cause.UnreadSource,
	"near-garbage-at-end": cause.UnreadSource, "gzip-trailing-data": cause.UnreadSource,
	"huge-line": cause.UnreadSource, "lose-file": cause.UnreadSource, "named-pipe": cause.UnreadSource,
	"symbolic-link": cause.UnreadSource, "two-documents": cause.UnreadSource, "unknown-file": cause.UnreadSource,
}

// examined examines the given paths of evidence.
func examined(t *testing.T, e *fleet.Evidence, given []string) *verdict.Result {
	t.Helper()
	path := exam{fleet.Scene, given, false, false}.add(t, t.TempDir(), e)
	return must.Get(examine.Examine(t.Context(), path, Root(t, e), examine.Options{}))(t)
}

// first is the code of the first cause of a result, "" if there is none.
func first(r *verdict.Result) cause.Code {
	if len(r.Causes) == 0 {
		return ""
	}
	return r.Causes[0].Code
}

func logCauses(t *testing.T, r *verdict.Result) {
	t.Helper()
	for _, c := range r.Causes {
		t.Logf("%s: %s %s, for %q, against %q", c.Code, c.Message, c.Follow(r.Findings), c.For, c.Against)
	}
}

// TestFirstCauses plays every script that has no actor. Every finding that counts for the
// verdict, save that a limit was reached, follows from a cause.
func TestFirstCauses(t *testing.T) {
	for i, s := range tamper.Scripts() {
		if s.Actor(tamper.Damage{}) != "" || testing.Short() && i%20 != 0 {
			continue
		}
		t.Run(s.Name, func(t *testing.T) {
			e, damage := must.Two(s.Apply(Evidence(t, fleet.Scene)))(t)
			r := examined(t, e, givenOf(s.Name))
			if got := first(r); got != firstCauses[s.Name] {
				t.Errorf("the first cause is %q, want %q", got, firstCauses[s.Name])
				logCauses(t, r)
			}
			follows := map[int]bool{}
			for _, c := range r.Causes {
				for _, i := range c.Findings {
					follows[i] = true
				}
			}
			for i, f := range r.Findings {
				check.That(t, follows[i] || f.Effect() == finding.None || f.Code == finding.LimitReached,
					"%s follows from no cause", say(f))
			}
			if len(r.Causes) > 0 && damage.LogID != "" && len(r.Causes[0].Logs) > 0 &&
				!slices.Contains(r.Causes[0].Logs, damage.LogID) {
				t.Errorf("the first cause is about %v, and the damage about %s", r.Causes[0].Logs, damage.LogID)
			}
		})
	}
}

// elsewhere is the evidence of another environment: the same tenant, nodes and key
// ids, and other keys.
func elsewhere(t *testing.T) *fleet.Evidence {
	t.Helper()
	return must.Get(fleet.Build(fleet.Scene, 2, Length))(t)
}

// TestAlteredUnderAWrongKey: events that do not give their hashes are not made
// good by a trust file.
func TestAlteredUnderAWrongKey(t *testing.T) {
	e := Evidence(t, fleet.Scene).Clone()
	root := seal.CloneObject(e.Scene.Trust)
	delete(seal.Member(root, "nodes"), "mesh-oslo-1")
	e.Files[fleet.TrustFile] = fleet.Bytes(seal.Canonical(root))
	content := must.Get(e.Content(fleet.Journal("mesh-oslo-1")))(t)
	e.Files[fleet.Journal("mesh-oslo-1")] = fleet.Bytes(bytes.ReplaceAll(content, []byte(`"occurred_at":"2026-`),
		[]byte(`"occurred_at":"2027-`)))
	r := examined(t, e, []string{fleet.Journal("mesh-oslo-1"), fleet.Journal("mesh-berlin-1")})
	if got := first(r); got != cause.AlteredStore {
		t.Errorf("the first cause is %q", got)
		logCauses(t, r)
	}
}

// TestRenamedAlone: the hashes of a log under another name are known from the log's anchors
// too.
func TestRenamedAlone(t *testing.T) {
	s, _ := tamper.Lookup("rename-log")
	e, _ := must.Two(s.Apply(Evidence(t, fleet.Scene)))(t)
	for name, tt := range map[string]struct {
		given []string
		want  cause.Code
	}{
		"with its anchors":  {[]string{fleet.TenantLog, fleet.Journal("mesh-berlin-1")}, cause.LogRenamed},
		"with its store":    {[]string{fleet.Journal("mesh-berlin-1"), fleet.Store("kafka/raw.jsonl")}, cause.LogRenamed},
		"with nothing else": {[]string{fleet.Journal("mesh-berlin-1")}, cause.AlteredStore},
	} {
		r := examined(t, e, tt.given)
		if got := first(r); got != tt.want {
			t.Errorf("%s: the first cause is %q, want %q", name, got, tt.want)
			logCauses(t, r)
		}
	}
}
