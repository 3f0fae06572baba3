package logbook_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/svc-edge/svc-verify/archive"
	"github.com/svc-edge/svc-verify/archive/ledger"
	"github.com/svc-edge/svc-verify/archive/logbook"
	"github.com/svc-edge/svc-verify/archive/run"
	"github.com/svc-edge/svc-verify/archive/text"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/outcome"
)

// TestStandings: another user's ledger is said first, and one that was changed gives
// no answer.
func TestStandings(t *testing.T) {
	b, digests := history(t)
	l, about := b.read(ledger.Secret{2}, &digests[4])
	log, err := logbook.ReadLog(t.Context(), l, about, logbook.Span{})
	check.That(t, err == nil && log.Verdict == outcome.Inconclusive && about.Standing == ledger.Foreign &&
		len(log.Runs) == 5, "%+v, %v", log, err)
	first := about.Findings[0].Code
	check.That(t, first == archive.LedgerForeign, "%s is said first", first)
	s, err := logbook.ReadStatus(t.Context(), l, about, time.UnixMilli(day(6)), time.Hour*999)
	check.That(t, err == nil && s.Verdict == outcome.Rejected && s.OtherContexts == 2, "%+v, %v", s, err)
	l, about = again(t, b, digests[4], 1)
	check.That(t, about.Standing == ledger.Own && about.Verdict() == outcome.Inconclusive &&
		about.Findings[0].Code == archive.AnotherHistory, "another run: %+v", about)
	log, err = logbook.ReadLog(t.Context(), l, about, logbook.Span{})
	check.That(t, err == nil && log.Verdict == outcome.Inconclusive, "%+v, %v", log, err)
}

// again opens the ledger and expects a digest that differs in its first byte.
func again(t *testing.T, b *book, digest run.Digest, by byte) (*ledger.Ledger, logbook.About) {
	t.Helper()
	digest[0] += by
	l := must.Get(ledger.Open(t.Context(), b.path, secret))(t)
	t.Cleanup(func() { _ = l.Close() })
	about := must.Get(logbook.Look(t.Context(), l, &digest))(t)
	return l, about
}

// TestAlteredLedger: if something else changed a ledger, an answer that depends on the change
// reports nothing but the change.
func TestAlteredLedger(t *testing.T) {
	for name, c := range map[string]struct {
		was, is string
		noticed bool // as soon as it is opened
	}{
		"who accepted":  {"R. Berg", "T. Berg", false},
		"who made runs": {`"tool":"test"`, `"tool":"tost"`, true},
	} {
		t.Run(name, func(t *testing.T) {
			b, _ := history(t)
			must.Do(t, b.w.Close())
			octets := must.Get(os.ReadFile(b.path))(t)
			must.That(t, bytes.Contains(octets, []byte(c.was)), "the ledger does not have it as it is")
			must.Do(t, os.WriteFile(b.path, bytes.ReplaceAll(octets, []byte(c.was), []byte(c.is)), 0o600))
			l := must.Get(ledger.Open(t.Context(), b.path, secret))(t)
			defer l.Close()
			about := must.Get(logbook.Look(t.Context(), l, nil))(t)
			check.That(t, about.Believed() != c.noticed, "%+v", about)
			log := must.Get(logbook.ReadLog(t.Context(), l, about, logbook.Span{}))(t)
			d := must.Get(logbook.ReadDiff(t.Context(), l, about, logbook.Span{Since: "2", Until: "3"}))(t)
			check.That(t, len(log.Runs) == 0 && log.Verdict == outcome.Rejected && len(d.Objects) == 0 &&
				d.Verdict == outcome.Rejected, "%+v, %+v", log, d)
			pages := []string{shownText(t, text.Log(log)), shownText(t, text.Diff(d))}
			if c.noticed {
				s, err := logbook.ReadStatus(t.Context(), l, about, time.UnixMilli(0), time.Hour)
				check.That(t, err == nil && s.Verdict == outcome.Rejected && s.Objects.Objects <= 0, "%+v, %v", s, err)
				pages = append(pages, shownText(t, text.Status(s)))
			}
			for _, page := range pages {
				check.That(t, strings.Contains(page, "ledger.altered") && !strings.Contains(page, "Berg"),
					"%v", page)
				narrow(t, page)
			}
		})
	}
}

// TestAccept accepts in a ledger of the user's own alone.
func TestAccept(t *testing.T) {
	b, digests := history(t)
	by := run.Acceptance{At: day(6), By: "A", Reason: "lost"}
	sum := sha256.Sum256([]byte("c"))
	about := must.Get(logbook.Look(t.Context(), b.w.Ledger, &run.Digest{}))(t)
	a, err := logbook.Accept(b.w, about, "c", sum, by)
	check.That(t, err == nil && a.Verdict == outcome.Inconclusive && a.Change == nil,
		"with another run than expected: %+v, %v", a, err)
	about, err = logbook.Look(t.Context(), b.w.Ledger, &digests[4])
	must.Do(t, err)
	check.Is(t, check.Err(logbook.Accept(b.w, about, "c", sha256.Sum256(nil), by)), ledger.ErrOtherDigest,
		"with another digest")
	a, err = logbook.Accept(b.w, about, "c", sum, by)
	check.That(t, err == nil && a.Verdict == outcome.Verified && a.Change.Path == "c" && json.Valid(a.Document),
		"%+v, %v", a, err)
	narrow(t, shownText(t, text.Accepted(a)))
	check.Is(t, check.Err(logbook.Accept(b.w, about, "c", sum, by)), ledger.ErrNothingToAccept, "again")
	must.Do(t, b.w.Close())
}
