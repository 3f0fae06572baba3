//go:build unix

package copies_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/svc-edge/svc-verify/archive"
	"github.com/svc-edge/svc-verify/archive/copies"
	"github.com/svc-edge/svc-verify/archive/ledger"
	"github.com/svc-edge/svc-verify/archive/object"
	"github.com/svc-edge/svc-verify/harness"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/listing"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/outcome"
	"github.com/svc-edge/svc-verify/trust"
)

var revoked = sync.OnceValue(func() *harness.Scene { return must.Have(harness.Build("revoked", 1, harness.Options{})) })

// pair is an archive, its ledger and a copy, which have the same files at first.
type pair struct {
	t                     *testing.T
	archive, copy, ledger string
	secret                ledger.Secret
	proof                 []byte
}

// hostile is a path with control characters, and with everything that a shell interprets.
const hostile = "-rf $(id)/it's \"a\" \\ name\n\x1b[31m\xff; -x"

// newPair writes two folders, and checks the first.
func newPair(t *testing.T) *pair {
	p := &pair{t: t, archive: filepath.Join(t.TempDir(), "-archive"), copy: filepath.Join(t.TempDir(), "the copy"),
		ledger: filepath.Join(t.TempDir(), "l.db"), secret: ledger.Secret{1},
		proof: seal.Canonical(revoked().Exports[0].Bundle)}
	for _, dir := range []string{p.archive, p.copy} {
		must.WriteFiles(t, dir, map[string]string{"a.json": string(p.proof), "b/note": "a note", hostile: "hostile",
			"same": "the same"})
	}
	p.check(nil)
	return p
}

func (p *pair) judge() *object.Judge {
	return object.NewJudge(object.Options{Root: must.Have(trust.Parse(seal.Canonical(revoked().Trust))), Workers: 1})
}

// check checks the archive.
func (p *pair) check(ignore listing.Patterns) {
	w := must.Get(ledger.OpenWrite(p.t.Context(), p.ledger, p.secret))(p.t)
	defer w.Close()
	r := must.Get(archive.Check(p.t.Context(), w, archive.Options{Dir: p.archive, Tool: "test", Workers: 1,
		At: time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC), Fixed: true, Judge: p.judge(), Ignore: ignore}))(p.t)
	must.Do(p.t, r.Close())
}

// compare compares with the ledger, or by verification alone.
func (p *pair) compare(withLedger bool) *copies.Result {
	p.t.Helper()
	o := copies.Options{Archive: p.archive, Copy: p.copy, Judge: p.judge()}
	if withLedger {
		o.Ledger = must.Get(ledger.Open(p.t.Context(), p.ledger, p.secret))(p.t)
		defer o.Ledger.Close()
	}
	return must.Get(copies.Compare(p.t.Context(), o))(p.t)
}

// listed are the objects of a result with their states, and where they are whole.
func listed(r *copies.Result) string {
	var all []string
	for _, o := range r.Objects {
		all = append(all, fmt.Sprintf("%s %s %s %s %d", o.Path, o.State, o.Whole, o.By, len(o.Commands)))
	}
	return strings.Join(all, "; ")
}

// run runs the commands of a result in a shell, as they stand.
func (p *pair) run(r *copies.Result) {
	p.t.Helper()
	var script []string
	for _, o := range r.Objects {
		script = append(script, o.Commands...)
	}
	out, err := exec.Command("bash", "-euc", strings.Join(script, "\n")).CombinedOutput() // #nosec G204 -- the test
	must.That(p.t, err == nil, "%v: %s\n%s", err, out, strings.Join(script, "\n"))
}

// TestCompare: a damage in either folder is found, the folder that has the object whole is named, and the commands
// mend it.
func TestCompare(t *testing.T) {
	proof, note := "a.json", "b/note"
	for what, tt := range map[string]struct {
		damage             func(*pair)
		ledger, without    string // objects listed with the ledger, and by verification alone
		verdict, otherwise outcome.Class
	}{
		"nothing": {func(*pair) {}, "", "", outcome.Verified, outcome.Verified},
		"altered in the archive": {func(p *pair) { must.WriteFile(p.t, filepath.Join(p.archive, note), "A note") },
			"b/note different copy ledger 2", "b/note different unknown nothing 0", outcome.Rejected, outcome.Rejected},
		"altered in the copy": {func(p *pair) { must.WriteFile(p.t, filepath.Join(p.copy, note), "A note") },
			"b/note different archive ledger 2", "b/note different unknown nothing 0", outcome.Rejected, outcome.Rejected},
		"a proof altered": {func(p *pair) { must.WriteFile(p.t, filepath.Join(p.archive, proof), string(p.proof[:100])) },
			"a.json different copy ledger 2", "a.json different copy verification 2", outcome.Rejected, outcome.Rejected},
		"missing in the archive": {func(p *pair) { os.RemoveAll(filepath.Join(p.archive, "b")) },
			"b/note only-in-copy copy ledger 2", "b/note only-in-copy unknown nothing 0", outcome.Rejected, outcome.Rejected},
		"a proof missing in the copy": {func(p *pair) { os.Remove(filepath.Join(p.copy, proof)) },
			"a.json only-in-archive archive ledger 1", "a.json only-in-archive archive verification 1",
			outcome.Rejected, outcome.Rejected},
		"missing in both": {func(p *pair) {
			os.Remove(filepath.Join(p.copy, note))
			os.Remove(filepath.Join(p.archive, note))
		},
			"b/note absent neither ledger 0", "", outcome.Rejected, outcome.Verified},
		"altered alike in both": {func(p *pair) {
			must.WriteFile(p.t, filepath.Join(p.copy, proof), "{")
			must.WriteFile(p.t, filepath.Join(p.archive, proof), "{")
		},
			"a.json same neither ledger 0", "a.json same neither verification 0", outcome.Rejected, outcome.Rejected},
		"altered otherwise in both": {func(p *pair) {
			must.WriteFile(p.t, filepath.Join(p.copy, note), "1")
			must.WriteFile(p.t, filepath.Join(p.archive, note), "2")
		},
			"b/note different neither ledger 0", "b/note different unknown nothing 0", outcome.Rejected, outcome.Rejected},
		"a link in place of a file": {func(p *pair) {
			os.Remove(filepath.Join(p.copy, note))
			must.Do(p.t, os.Symlink(filepath.Join(p.archive, "same"), filepath.Join(p.copy, note)))
		}, "b/note unreadable archive ledger 2", "b/note unreadable unknown nothing 0", outcome.Rejected, outcome.Unreadable},
	} {
		t.Run(what, func(t *testing.T) {
			p := newPair(t)
			tt.damage(p)
			r, by := p.compare(true), p.compare(false)
			check.That(t, listed(r) == tt.ledger && r.Verdict == tt.verdict, "by the ledger %s: %s", r.Verdict, listed(r))
			check.That(t, listed(by) == tt.without && by.Verdict == tt.otherwise, "without %s: %s", by.Verdict, listed(by))
			if strings.Contains(tt.ledger, "neither") {
				return
			}
			p.run(r)
			r = p.compare(true)
			check.That(t, r.Verdict == outcome.Verified && r.Counts.Same == 4, "mended: %s: %s", r.Verdict, listed(r))
		})
	}
}

// TestHostileNames: a name of any bytes is printed as ASCII, and the commands mend that file and nothing else.
func TestHostileNames(t *testing.T) {
	for _, whole := range []string{copies.InArchive, copies.InCopy} {
		p := newPair(t)
		dir := p.copy
		if whole == copies.InCopy {
			dir = p.archive
		}
		must.Do(t, os.RemoveAll(filepath.Join(dir, filepath.Dir(hostile))))
		r := p.compare(true)
		must.That(t, len(r.Objects) == 1 && r.Objects[0].Whole == whole, "%s", listed(r))
		for _, c := range strings.Join(r.Objects[0].Commands, "") {
			must.That(t, c >= ' ' && c <= '~', "%q is in a command", c)
		}
		p.run(r)
		check.Equal(t, p.compare(true).Verdict, outcome.Verified, "mended:")
	}
}

// TestLinkedFolder: no command writes through a link.
func TestLinkedFolder(t *testing.T) {
	p := newPair(t)
	must.Do(t, os.RemoveAll(filepath.Join(p.copy, "b")))
	must.Do(t, os.Symlink(t.TempDir(), filepath.Join(p.copy, "b")))
	r := p.compare(true)
	for _, o := range r.Objects {
		check.That(t, o.Path != "b/note" || o.Whole == copies.InArchive && len(o.Commands) == 0, "%+v", o)
	}
	check.Equal(t, len(r.Objects), 2, "objects:")
}

// TestLedgers: only the user's own ledger decides, and its patterns are passed over.
func TestLedgers(t *testing.T) {
	p := newPair(t)
	must.WriteFile(t, filepath.Join(p.archive, "x.log"), "1")
	must.WriteFile(t, filepath.Join(p.copy, "x.log"), "22")
	check.Equal(t, listed(p.compare(true)), "x.log different unknown nothing 0", "without a pattern:")
	p.check(listing.Patterns{"*.log"})
	r := p.compare(true)
	check.That(t, r.Verdict == outcome.Verified && strings.Contains(r.NotExamined[0], "x.log"), "%+v", r)
	p.secret = ledger.Secret{2}
	r = p.compare(true)
	check.That(t, r.Ledger == "foreign" && r.Verdict == outcome.Rejected && r.Counts.Unproven == 3, "%+v", r)
}

// TestFolders: two folders that are no copies of each other are refused.
func TestFolders(t *testing.T) {
	p := newPair(t)
	link := filepath.Join(t.TempDir(), "link")
	must.Do(t, os.Symlink(p.archive, link))
	for _, dirs := range [][2]string{{p.archive, p.archive}, {p.archive, link}, {p.archive, filepath.Join(p.archive, "b")},
		{filepath.Join(p.archive, "b"), p.archive}, {p.archive, p.archive + "x"}} {
		_, err := copies.Compare(context.Background(), copies.Options{Archive: dirs[0], Copy: dirs[1]})
		check.That(t, err != nil, "%q are compared", dirs)
	}
}
