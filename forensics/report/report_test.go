package report

import (
	"bytes"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/answer"
	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/forensics/cases"
	"github.com/svc-edge/svc-verify/forensics/examine"
	"github.com/svc-edge/svc-verify/forensics/ingest"
	"github.com/svc-edge/svc-verify/forensics/store"
	"github.com/svc-edge/svc-verify/forensics/verdict"
	"github.com/svc-edge/svc-verify/harness"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/trust"
)

var update = flag.Bool("update", false, "rewrite the golden reports")

// sources are the files of the damaged case.
var sources = []string{"tenant.ndjson", "berlin.ndjson", "restored.ndjson", "lisbon.ndjson", "oslo.ndjson",
	"again.ndjson", "junk.ndjson"}

// damaged writes damaged evidence into the current folder: in Berlin's journal event 7 is
// altered and 10 to 12 are missing, and a second journal parts from it at 18; Lisbon's journal
// ends too early; some of Oslo's events were delivered twice; and one file contains a line
// that is no event.
func damaged(t *testing.T) *trust.Root {
	t.Helper()
	scene := must.Get(harness.Build("revoked", 1, harness.Options{}))(t)
	berlin, oslo := scene.Journals["mesh-berlin-1"], lines(scene.Journals["mesh-oslo-1"])
	whole := lines(berlin)
	altered := bytes.Replace(whole[6], []byte(`"occurred_at":"2026`), []byte(`"occurred_at":"2025`), 1)
	write := func(name string, parts ...[][]byte) {
		content := bytes.Join(slices.Concat(parts...), nil)
		must.Do(t, os.WriteFile(name, content, 0o644))
	}
	write("tenant.ndjson", lines(scene.Tenant))
	write("berlin.ndjson", whole[:6], [][]byte{altered}, whole[7:9], whole[12:])
	write("restored.ndjson", lines(restored(scene, berlin, 18)))
	write("lisbon.ndjson", lines(scene.Journals["mesh-lisbon-1"])[:8])
	write("oslo.ndjson", oslo)
	write("again.ndjson", oslo[:5])
	write("junk.ndjson", [][]byte{oslo[0], []byte("{\"body\":\n")})
	root := must.Get(trust.Parse(seal.Canonical(scene.Trust)))(t)
	return root
}

func lines(events []seal.Object) [][]byte {
	var all [][]byte
	for _, e := range events {
		all = append(all, append(seal.Canonical(e), '\n'))
	}
	return all
}

// restored signs a journal anew from a sequence on.
func restored(scene *harness.Scene, journal []seal.Object, from int) []seal.Object {
	log := seal.LogOf("acme-corp", "node/mesh-berlin-1", journal[:from-1])
	var events []seal.Object
	for _, e := range journal[from-1:] {
		e = seal.CloneObject(e)
		body := seal.Member(e, "body")
		body["salt"] = seal.Base64(bytes.Repeat([]byte{7}, 16))
		events = append(events, log.AppendBody(body, scene.Keys.Node[seal.Text(e, "key_id")]))
	}
	return events
}

// open ingests files into a new case, examines it and opens it.
func open(t *testing.T, root *trust.Root, files ...string) (*store.Case, *verdict.Result) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "case.db")
	for _, name := range files {
		ingestInto(t, path, name)
	}
	examinePath(t, path, root)
	return reopen(t, path, root)
}

func ingestInto(t *testing.T, path, name string) {
	t.Helper()
	w := must.Get(store.OpenWrite(path, cases.As(1)))(t)
	must.Do(t, check.Err(ingest.Paths(t.Context(), w, []string{name}, ingest.Options{}, nil)))
	must.Do(t, w.Close())
}

func examinePath(t *testing.T, path string, root *trust.Root) {
	t.Helper()
	if _, err := examine.Examine(t.Context(), path, root,
		examine.Options{Case: []store.Option{cases.As(1)}, Workers: 2}); err != nil {
		t.Fatal(err)
	}
}

// reopen opens a case that was examined.
func reopen(t *testing.T, path string, root *trust.Root) (*store.Case, *verdict.Result) {
	t.Helper()
	c := must.Get(store.OpenCase(path, cases.As(1)))(t)
	t.Cleanup(func() { c.Close() })
	r, err := verdict.Last(t.Context(), c, chain.Hash(root.SHA256()))
	must.That(t, err == nil && r != nil, "%v %v", r, err)
	return c, r
}

// gathered is the report of a case.
func gathered(t *testing.T, path string, root *trust.Root) *Report {
	t.Helper()
	c, r := reopen(t, path, root)
	report := must.Get(Gather(t.Context(), c, r))(t)
	return report
}

// forms writes a report of a case, under the trust file of its examination, in every form.
func forms(t *testing.T, c *store.Case, w *verdict.Result, root *trust.Root) map[string][]byte {
	t.Helper()
	r, err := Gather(t.Context(), c, w)
	if err == nil {
		err = r.FindAffected(t.Context(), c, root, w)
	}
	must.Do(t, err)
	r.Title, r.Tool = "Incident 17", "svc-verify 1.0.0"
	all := map[string][]byte{}
	for _, form := range FormNames() {
		var b bytes.Buffer
		must.Do(t, check.Err(Write(t.Context(), &b, c, r, form)))
		all["report."+form] = b.Bytes()
	}
	all["report.html"] = programParts.ReplaceAll(all["report.html"], []byte("$1…$3"))
	var b bytes.Buffer
	must.Do(t, answer.JSON(&b, must.Get(exploreWithin(t.Context(), c, r, usualBounds))(t)))
	all["explorer.json"] = b.Bytes()
	return all
}

// programParts are the script of a page and the values that it shows, which have files of their own.
var programParts = regexp.MustCompile(`(?s)(<script[^>]*>)(.*?)(</script>)`)

// TestGolden compares every form with the one that was read and approved.
func TestGolden(t *testing.T) {
	dir := must.Get(filepath.Abs("testdata"))(t)
	t.Chdir(t.TempDir())
	root := damaged(t)
	c, w := open(t, root, sources...)
	for name, got := range forms(t, c, w, root) {
		golden(t, filepath.Join(dir, name), got)
	}
}

// golden compares with a file that was looked at, or writes it with -update.
func golden(t *testing.T, path string, got []byte) {
	t.Helper()
	if *update {
		must.Do(t, errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, got, 0o644)))
	}
	want := must.Get(os.ReadFile(path))(t)
	check.That(t, bytes.Equal(got, want), "%s differs: go test ./forensics/report -update, and look at it", path)
}

// TestOrderOfIngest: a case that was filled in another order reads alike.
func TestOrderOfIngest(t *testing.T) {
	t.Chdir(t.TempDir())
	root := damaged(t)
	c, w := open(t, root, sources...)
	want := forms(t, c, w, root)
	backwards := slices.Clone(sources)
	slices.Reverse(backwards)
	for _, order := range [][]string{backwards, append(backwards[3:], backwards[:3]...)} {
		c, w := open(t, root, order...)
		for name, got := range forms(t, c, w, root) {
			check.That(t, bytes.Equal(got, want[name]), "%s depends on the order of ingest", name)
		}
	}
}

// TestAnswers holds the two answers apart.
func TestAnswers(t *testing.T) {
	t.Chdir(t.TempDir())
	c, w := open(t, damaged(t), sources...)
	r := must.Get(Gather(t.Context(), c, w))(t)
	want := map[string][2]string{
		"node/mesh-berlin-1": {Broken, Incomplete},
		"node/mesh-lisbon-1": {Holds, Incomplete},
		"node/mesh-oslo-1":   {Holds, Complete},
		"tenant/acme-corp":   {Holds, Complete}, // nodes witnessed it in their journals
	}
	for _, l := range r.Logs {
		check.Equal(t, [2]string{l.Integrity.Word, l.Completeness.Word}, want[l.LogID], "%s", l.LogID)
		delete(want, l.LogID)
	}
	check.That(t, len(want) == 0, "no answer on %v", want)
	berlin := r.Logs[0]
	check.That(t, len(berlin.Gaps) == 1 && berlin.Gaps[0].First == 10 && berlin.Gaps[0].Last == 12,
		"gaps %+v", berlin.Gaps)
	must.That(t, len(berlin.Forks) == 1 && berlin.Forks[0].Sequence == 18 && len(berlin.Forks[0].Branches) == 2,
		"forks %+v", berlin.Forks)
	held := map[string]bool{}
	for _, b := range berlin.Forks[0].Branches {
		held[strings.Join(b.Sources, " ")] = b.Events == 8 && b.KeyID == "mesh-berlin-1"
	}
	if !held["berlin.ndjson"] || !held["restored.ndjson"] {
		t.Errorf("branches %+v", berlin.Forks[0].Branches)
	}
}

// TestLaterSource: a source that came into the case after the walk is reported as unexamined.
func TestLaterSource(t *testing.T) {
	t.Chdir(t.TempDir())
	root := damaged(t)
	path := filepath.Join(t.TempDir(), "case.db")
	ingestInto(t, path, "tenant.ndjson")
	examinePath(t, path, root)
	early := gathered(t, path, root)
	ingestInto(t, path, "oslo.ndjson")
	late := gathered(t, path, root)
	has := func(r *Report, code string) bool {
		return slices.ContainsFunc(r.NotExamined, func(n Note) bool { return n.Code == code })
	}
	check.That(t, !has(early, "later") && has(late, "later") && len(late.LeftOut) == 1,
		"not examined: %+v, and then %+v", early.NotExamined, late.NotExamined)
	check.That(t, !has(early, "logs"), "not examined: %+v", early.NotExamined)
}
