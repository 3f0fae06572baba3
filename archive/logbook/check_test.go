package logbook_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/svc-edge/svc-verify/archive"
	"github.com/svc-edge/svc-verify/archive/ledger"
	"github.com/svc-edge/svc-verify/archive/logbook"
	"github.com/svc-edge/svc-verify/archive/object"
	"github.com/svc-edge/svc-verify/archive/run"
	"github.com/svc-edge/svc-verify/harness"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/outcome"
	"github.com/svc-edge/svc-verify/trust"
)

// TestStatusIsThatOfTheCheck: after a whole check, the status has the verdict of the check.
func TestStatusIsThatOfTheCheck(t *testing.T) {
	evidence := t.TempDir()
	s := must.Get(harness.Build("revoked", 1, harness.Options{}))(t)
	must.Do(t, s.Write(evidence))
	const one, two = "svc-evidence-tx-2026-0001.json", "svc-evidence-tx-2026-0002.json"
	said := map[outcome.Class]bool{}
	for name, damage := range map[string]func(f *folder){
		"nothing":                    func(*folder) {},
		"another octet":              func(f *folder) { f.write("1.json", append(f.read("1.json"), ' ')) },
		"half":                       func(f *folder) { f.write("1.json", f.read("1.json")[:3000]) },
		"nothing left":               func(f *folder) { f.write("1.json", nil) },
		"gone":                       func(f *folder) { f.remove("1.json") },
		"moved":                      func(f *folder) { f.write("3.json", f.read("1.json")); f.remove("1.json") },
		"another proof in its place": func(f *folder) { f.write("1.json", f.read("2.json")) },
		"the same, written again":    func(f *folder) { f.write("1.json", append([]byte("\n"), f.read("1.json")...)) },
		"a link in its place":        func(f *folder) { f.remove("1.json"); f.link("2.json", "1.json") },
		"a letter that changed":      func(f *folder) { f.write("letter.txt", []byte("dear all")) },
		"one more, bad":              func(f *folder) { f.write("0.json", f.read("1.json")[:3000]) },
		"a log without others":       func(f *folder) { f.write("tenant.ndjson", f.from("tenant.ndjson")) },
	} {
		t.Run(name, func(t *testing.T) {
			f := &folder{t: t, evidence: evidence, dir: t.TempDir(), ledger: filepath.Join(t.TempDir(), "ledger")}
			f.write("1.json", f.from(one))
			f.write("2.json", f.from(two))
			f.write("letter.txt", []byte("dear all,"))
			f.check(1)
			damage(f)
			want := f.check(2)
			said[want] = true
			got := f.status(3)
			check.That(t, got == want, "the status is %s, and the check came to %s", got, want)
			again := f.check(3)
			check.That(t, again == want, "the next check comes to %s, and not to %s", again, want)
		})
	}
	check.That(t, len(said) >= 4, "the checks came to %v alone", said)
}

// folder is an archive with its ledger.
type folder struct {
	t                     *testing.T
	evidence, dir, ledger string
}

func (f *folder) from(path ...string) []byte {
	return must.Get(os.ReadFile(filepath.Join(append([]string{f.evidence}, path...)...)))(f.t)
}

func (f *folder) read(name string) []byte {
	return must.Get(os.ReadFile(filepath.Join(f.dir, name)))(f.t)
}

func (f *folder) write(name string, octets []byte) {
	must.Do(f.t, os.WriteFile(filepath.Join(f.dir, name), octets, 0o600))
}

func (f *folder) remove(name string) { must.Do(f.t, os.Remove(filepath.Join(f.dir, name))) }

func (f *folder) link(to, name string) { must.Do(f.t, os.Symlink(to, filepath.Join(f.dir, name))) }

// check checks the archive on a day.
func (f *folder) check(n int64) outcome.Class {
	f.t.Helper()
	root := must.Get(trust.Parse(f.from("trust.json")))(f.t)
	w := must.Get(ledger.OpenWrite(f.t.Context(), f.ledger, secret))(f.t)
	r := must.Get(archive.Check(f.t.Context(), w, archive.Options{Dir: f.dir, Tool: "test", At: time.UnixMilli(day(n)),
		Fixed: true, Workers: 1, TempDir: f.t.TempDir(), MaxAge: time.Hour * 999,
		Judge: object.NewJudge(object.Options{Root: root, TempDir: f.t.TempDir(), Workers: 1})}))(f.t)
	must.Do(f.t, r.Close(), w.Close())
	return r.Verdict
}

// status is the verdict of the status on a day.
func (f *folder) status(n int64) outcome.Class {
	f.t.Helper()
	l := must.Get(ledger.Open(f.t.Context(), f.ledger, secret))(f.t)
	defer l.Close()
	about := must.Get(logbook.Look(f.t.Context(), l, (*run.Digest)(nil)))(f.t)
	s := must.Get(logbook.ReadStatus(f.t.Context(), l, about, time.UnixMilli(day(n)), time.Hour*999))(f.t)
	return s.Verdict
}
