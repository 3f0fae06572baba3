package logbook_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/svc-edge/svc-verify/answer"
	"github.com/svc-edge/svc-verify/archive/ledger"
	"github.com/svc-edge/svc-verify/archive/logbook"
	"github.com/svc-edge/svc-verify/archive/object"
	"github.com/svc-edge/svc-verify/archive/run"
	"github.com/svc-edge/svc-verify/archive/text"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/outcome"
	"github.com/svc-edge/svc-verify/verify"
)

// day is when a run of a test begins.
func day(n int64) int64 { return time.Date(2026, 1, int(n), 2, 0, 0, 0, time.UTC).UnixMilli() }

// book is a ledger that a test writes.
type book struct {
	t    *testing.T
	path string
	w    *ledger.Writer
}

// secret is the key of the user.
var secret = ledger.Secret{1}

func newBook(t *testing.T) *book {
	path := filepath.Join(t.TempDir(), "ledger.db")
	return &book{t, path, must.Get(ledger.OpenWrite(context.Background(), path, secret))(t)}
}

var theContext = object.Context{Trust: [32]byte{7}, Policy: object.PolicyDigest(verify.Policy{}), Rules: "1"}

// is returns an object as a run reads it.
func is(path, octets string, run int64, verdict outcome.Class) ledger.Object {
	o := ledger.Object{Path: path, Size: int64(len(octets)), SHA256: sha256.Sum256([]byte(octets)),
		AddedIn: run, ReadIn: run,
		ReadAt: day(run), Judgement: object.Judgement{Kind: object.Bundle, Verdict: verdict},
		Context: theContext, VerifiedIn: run,
		VerifiedAt: day(run)}
	if verdict == outcome.Rejected {
		o.Judgement.Code, o.Judgement.Reason = "signature.invalid", "a signature does not verify"
	}
	return o
}

// put enters an object, with its change.
func (b *book) put(class, from string, o ledger.Object) {
	b.t.Helper()
	at := o.Path
	if from != "" {
		at = from
	}
	before, known, err := b.w.Object(at)
	must.Do(b.t, err)
	c := run.Change{Path: o.Path, Class: class, From: from, After: o.State()}
	if known {
		c.Before = before.State()
	}
	if from != "" {
		must.Do(b.t, b.w.Remove(from))
	}
	must.Do(b.t, b.w.Put(&o))
	must.Do(b.t, b.w.Note(&c))
}

// end ends a run, and returns its digest.
func (b *book) end(counts map[string]int64) run.Digest {
	b.t.Helper()
	n := b.w.Next()
	r, err := b.w.AppendRun(context.Background(),
		run.Record{Began: day(n), Ended: day(n) + 1000, Tool: "test", Trust: theContext.Trust,
			Rules: "1", Whole: true, Counts: counts})
	must.Do(b.t, err)
	return r.Digest
}

// read opens the ledger under a key, and looks at it.
func (b *book) read(key ledger.Secret, expect *run.Digest) (*ledger.Ledger, logbook.About) {
	b.t.Helper()
	must.Do(b.t, b.w.Close())
	l := must.Get(ledger.Open(b.t.Context(), b.path, key))(b.t)
	b.t.Cleanup(func() { _ = l.Close() })
	about := must.Get(logbook.Look(b.t.Context(), l, expect))(b.t)
	return l, about
}

// history fills a ledger with five runs: three objects come; one is altered; that is
// accepted and one moves; one is lost and another altered; that one is back.
func history(t *testing.T) (*book, []run.Digest) {
	b := newBook(t)
	var digests []run.Digest
	end := func() { digests = append(digests, b.end(map[string]int64{"read": 3})) }
	for _, path := range []string{"a", "b", "c"} {
		b.put("added", "", is(path, path, 1, outcome.Verified))
	}
	end()
	altered := func(path string, n int64) ledger.Object {
		o := is(path, path, 1, outcome.Verified)
		o.Wrong = ledger.Altered
		o.Found = ledger.Found{Size: 5, SHA256: sha256.Sum256([]byte("other")), ReadIn: n, ReadAt: day(n),
			Judgement: object.Judgement{Kind: object.Bundle, Verdict: outcome.Rejected, Code: "json.syntax",
				Reason: "it is no JSON"}}
		return o
	}
	b.put("altered", "", altered("a", 2))
	end()
	accepted := run.Acceptance{At: day(3), By: "R. Berg", Reason: "known"}
	must.Get(b.w.Accept("a", sha256.Sum256([]byte("other")), accepted))(t)
	b.put("moved", "b", is("d", "b", 3, outcome.Verified))
	end()
	lost := is("c", "c", 1, outcome.Verified)
	lost.Wrong = ledger.Missing
	b.put("missing", "", lost)
	b.put("altered", "", altered("d", 4))
	end()
	b.put("intact", "", is("d", "b", 5, outcome.Verified))
	end()
	return b, digests
}

// TestLog reads a history as a logbook.
func TestLog(t *testing.T) {
	b, digests := history(t)
	must.Get(b.w.Accept("c", sha256.Sum256([]byte("c")), run.Acceptance{At: day(6), By: "A", Reason: "lost"}))(t)
	l, about := b.read(secret, &digests[1])
	log, err := logbook.ReadLog(t.Context(), l, about, logbook.Span{})
	must.That(t, err == nil && log.Verdict == outcome.Verified && len(log.Runs) == 5 && log.Ledger.Expected.Run == 2,
		"%+v, %v", log, err)
	for i, r := range log.Runs {
		if sum := sha256.Sum256(r.Document); r.SHA256 != hex.EncodeToString(digests[i][:]) || sum != digests[i] {
			t.Errorf("run %d has the digest %s", i+1, r.SHA256)
		}
	}
	c := log.Runs[0].Changes
	check.That(t, c.Classes["added"] == 3 && len(c.Listed) == 0, "run 1: %+v", c)
	c = log.Runs[2].Changes
	check.That(t, len(c.Changes) == 1 && c.Changes[0].Acceptance.By == "R. Berg" &&
		c.Classes["moved"] == 1, "run 3: %+v", c)
	check.That(t, log.Pending != nil && log.Pending.Changes[0].Path == "c", "what no run has yet: %+v", log.Pending)
	for span, want := range map[logbook.Span]string{{Since: "3"}: "4 5 pending", {Until: "2"}: "1 2",
		{Since: "2", Until: hex.EncodeToString(digests[3][:])}: "3 4", {Since: "2", Until: "2"}: ""} {
		part := must.Get(logbook.ReadLog(t.Context(), l, about, span))(t)
		var got []string
		for _, r := range part.Runs {
			got = append(got, strconv.FormatInt(r.Record.Number, 10))
		}
		if part.Pending != nil {
			got = append(got, "pending")
		}
		check.That(t, strings.Join(got, " ") == want, "%+v: %s, want %s", span, got, want)
	}
	check.That(t, check.Err(logbook.ReadLog(t.Context(), l, about, logbook.Span{Since: "6"})) != nil,
		"there is no run 6")
	page := shownText(t, text.Log(log))
	for _, want := range []string{"run 2  2026-01-02", "accepted  a", "by \"R. Berg\" at 2026-01-03T02:00:00.000Z: known",
		"since then", hex.EncodeToString(digests[4][:])} {
		check.That(t, strings.Contains(page, want), "the page lacks %q:\n%s", want, page)
	}
	narrow(t, page)
}

// narrow wants no line of more than 80 columns.
func narrow(t *testing.T, page string) {
	t.Helper()
	for line := range strings.Lines(page) {
		check.That(t, len([]rune(line)) <= 81, "%q is too long", line)
	}
}

// shownText is a document as a terminal shows it.
func shownText(t *testing.T, d *answer.Doc) string {
	t.Helper()
	var b strings.Builder
	must.Do(t, answer.WriteText(&b, d, false))
	return b.String()
}
