package text

import (
	"fmt"
	"strings"

	"github.com/svc-edge/svc-verify/forensics/crosscheck"
	"github.com/svc-edge/svc-verify/forensics/examine"
	"github.com/svc-edge/svc-verify/forensics/verdict"
	"github.com/svc-edge/svc-verify/internal/page"
	"github.com/svc-edge/svc-verify/internal/safetext"
	"github.com/svc-edge/svc-verify/verify"
)

// Crosscheck renders a crosscheck for people.
func Crosscheck(r *examine.Crosschecked, file string) *page.Page {
	p := page.New()
	writeAnswer(p, answer{r.Verdict, file, r.UnknownKeys, verdict.Why(r.Verdict, r.Decides, r.LeftOut), r.LeftOut})
	if r.OtherStores {
		p.Prose(2, "These are not the stores of the case: what they show does not count for its verdict.")
	}
	if r.Compared == 0 {
		p.Prose(2, "No two pieces of evidence are about the same thing, so nothing was compared.")
	}
	p.Pairs(append([]page.Pair{{"trust sha256", r.TrustSHA256}}, endPairs(r.Case)...)...)
	writeCauses(p, r.Causes, r.Findings)
	for _, l := range r.Case.Logs {
		p.Heading("log: " + safetext.Quote(l.LogID))
		p.Pairs(wordPairs(l.CompleteByOthers, l.CompleteByOwn)...)
	}
	writeBundles(p, r)
	for _, j := range r.Journals {
		p.Heading("journal and tenant log: " + safetext.Quote(j.LogID))
		p.Pairs(journalPairs(j)...)
	}
	writeStores(p, r.Stores)
	for i, pause := range r.Pauses {
		if i == 0 {
			p.Heading("pauses of issuance")
		}
		p.Prose(2, pauseText(pause))
	}
	if r.FurtherPauses > 0 {
		p.Prose(2, safetext.Count(r.FurtherPauses, "further pause"))
	}
	for _, l := range r.Presence {
		if l.Unsound > 0 {
			p.Heading("not sound: " + safetext.Quote(l.LogID))
			p.Prose(2, safetext.Count(l.Unsound,
				"event")+" without a copy that matches its hash: svc-verify walk shows which")
		}
	}
	writePresence(p, r)
	p.Heading("findings")
	writeFindings(p, r.Findings)
	return p
}

// writeStores says which files were taken for which store, if there are several.
func writeStores(p *page.Page, stores []crosscheck.Store) {
	if len(stores) < 2 {
		return
	}
	p.Heading("stores")
	for _, s := range stores {
		text := safetext.Quote(s.Name) + ": one file"
		if s.Parts > 1 {
			text = fmt.Sprintf("%s: %d files, %s", safetext.Quote(s.Name), s.Parts, s.Rule.Text())
		}
		p.Prose(2, text)
		p.Prose(4, standingText(s))
	}
}

// standingTexts are the standings of stores in words.
var standingTexts = map[crosscheck.Standing]string{
	crosscheck.StoreAltered:    "altered",
	crosscheck.StoreDiffers:    "has other events than another store",
	crosscheck.StoreIncomplete: "incomplete",
	crosscheck.StoreLossy:      "lossy",
	crosscheck.StoreEndsEarly:  "ends early",
	crosscheck.StoreFaithful:   "faithful",
	crosscheck.NotComparable:   "not comparable: it shares no event with another store",
}

// standingText says what is to be said of a store as a whole.
func standingText(s crosscheck.Store) string {
	word := standingTexts[s.State]
	switch early := fmt.Sprintf("up to %d of %s, ends early", s.Events, safetext.Count(s.Events+s.Ends, "event")); {
	case s.State == crosscheck.StoreEndsEarly:
		word = "faithful " + early
	case s.Ends > 0:
		word += ", " + early
	}
	text := fmt.Sprintf("%s: of %s, %d are also in other stores", word,
		safetext.Count(s.Events, "event"), s.Shared)
	for _, n := range []struct {
		of   int64
		what string
	}{{s.Altered, "altered"}, {s.Differs, "differ"}, {s.Named, "of these in the history that anchors name"},
		{s.Lossy, "lossy"}, {s.Lacking, "lacking"}} {
		if n.of > 0 {
			text += fmt.Sprintf(", %d %s", n.of, n.what)
		}
	}
	return text
}

// writeBundles writes each bundle and, below it, what the logs say of it.
func writeBundles(p *page.Page, r *examine.Crosschecked) {
	for _, b := range r.Bundles {
		p.Headline(string(b.Verdict), safetext.Quote(b.Name))
		if b.Verdict != verify.Verified {
			p.Prose(2, "next: svc-verify --evidence "+safetext.Quote(b.Name)+" --trust TRUST --output text: all "+
				"checks of the bundle")
		}
		if b.TransactionID != "" {
			p.Pairs(page.Pair{"transaction", safetext.Quote(b.TransactionID)},
				page.Pair{"status", safetext.Quote(b.Status)})
			p.Prose(2, b.Said())
		}
		for _, s := range r.Statements {
			if s.BundleSHA256 == b.SHA256 {
				p.Cells(fmt.Sprintf("%-11s", s.Answer), fmt.Sprintf("%-20s", s.Kind), whoseText(s))
			}
		}
	}
}

// mostProofs is how many proofs a walk lists.
const mostProofs = 20

// writeProofs writes what the genuine bundles say.
func writeProofs(p *page.Page, all []crosscheck.Bundle) {
	if len(all) == 0 {
		return
	}
	p.Heading("proofs")
	for i := range all {
		if i == mostProofs {
			p.Prose(2, fmt.Sprintf("and %d more; --output json has all", len(all)-i))
			break
		}
		p.Prose(2, safetext.Quote(all[i].Name))
		p.Prose(4, all[i].Said())
	}
}

// whoseText says whose statement it is and where it stands.
func whoseText(s crosscheck.Statement) string {
	text := "the service"
	if s.NodeID != "" {
		text = safetext.Quote(s.NodeID)
	}
	if s.Sequence > 0 {
		text += fmt.Sprintf(", event %d", s.Sequence)
	}
	return text
}

func journalPairs(j crosscheck.Journal) []page.Pair {
	held := "no event"
	if j.Last > 0 {
		held = fmt.Sprintf("sequences %d to %d, known to be complete up to %d", j.First, j.Last, j.Covered)
	}
	reports := "none"
	if j.Reports > 0 {
		reports = fmt.Sprintf("%d, of %s up to sequence %d: %d match, %d differ", j.Reports,
			safetext.Count(j.Heads, "head"), j.Reported, j.Matched, j.Differing)
	}
	return []page.Pair{
		{"journal", held},
		{"reports", reports},
		{"approvals", fmt.Sprintf("%d in both, %d signed only, %d recorded only, %d not compared", j.Both, j.SignedOnly,
			j.RecordedOnly, j.NotCompared)},
	}
}

func pauseText(pause crosscheck.Pause) string {
	until := "and not resumed"
	if pause.Resumed > 0 {
		until = fmt.Sprintf("to %d", pause.Resumed)
	}
	return fmt.Sprintf("%s: from event %d %s, %s issued during it", safetext.Quote(pause.LogID), pause.Paused, until,
		safetext.Count(pause.Issued, "certificate"))
}

// writePresence writes what each store holds of each log, if there are several.
func writePresence(p *page.Page, r *examine.Crosschecked) {
	if len(r.Stores) < 2 {
		return
	}
	for _, l := range r.Presence {
		holding := holders(l)
		if len(holding) < 2 {
			continue // there is nothing to compare
		}
		p.Heading("stores: " + safetext.Quote(l.LogID))
		for _, s := range l.Stretches {
			p.Prose(2, stretchText(s, r.Stores, holding))
		}
		if l.Omitted > 0 {
			p.Prose(2, fmt.Sprintf("and %d more stretches", l.Omitted))
		}
	}
}

// holders are the stores, by number, that hold any of a log. The others do not
// keep it, and are not told to lack it.
func holders(l crosscheck.Log) map[int]bool {
	holding := map[int]bool{}
	for _, s := range l.Stretches {
		for i, state := range s.Stores {
			if state != crosscheck.Absent {
				holding[i] = true
			}
		}
	}
	return holding
}

// stretchText says of a stretch which of the stores that hold any of the log are
// in which state.
func stretchText(s crosscheck.Stretch, stores []crosscheck.Store, holding map[int]bool) string {
	parts := []string{}
	for _, state := range []crosscheck.State{crosscheck.Present, crosscheck.Altered, crosscheck.Differs,
		crosscheck.Lossy, crosscheck.Absent} {
		var names []string
		for i, store := range stores {
			if holding[i] && s.Stores[i] == state {
				names = append(names, safetext.Quote(store.Name))
			}
		}
		if len(names) > 0 {
			parts = append(parts, fmt.Sprintf("%s in %s", state, strings.Join(names, ", ")))
		}
	}
	return fmt.Sprintf("%d to %d: %s", s.First, s.Last, strings.Join(parts, "; "))
}
