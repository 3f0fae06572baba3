package text

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/svc-edge/svc-verify/archive/history"
	"github.com/svc-edge/svc-verify/internal/page"
	"github.com/svc-edge/svc-verify/internal/safetext"
	"github.com/svc-edge/svc-verify/trust/change"
)

// MostVersions is how many versions, and how many keys, a page has. The JSON form has all.
const MostVersions = 200

// mostChanges is how many changes of a version a page names.
const mostChanges = 20

// History renders a report: what was not examined, the verdict and the answers, the
// versions with what each changed, what was pinned, and what is not proven.
func History(r *history.Report) (*page.Page, error) {
	p := page.New()
	p.Answer(string(r.Verdict), "a history of "+safetext.Count(r.Entries, "version"))
	for _, sentence := range r.NotExamined {
		p.Prose(2, "not examined: "+sentence)
	}
	for _, f := range r.Findings {
		p.Prose(2, string(f.Code))
		p.Prose(4, strings.TrimPrefix(f.Path+": expected "+f.Expected+", found "+f.Found, ": "))
	}
	historyAnswers(p, r)
	versions(p, r)
	if err := historyKeys(p, r); err != nil {
		return nil, err
	}
	p.Heading("not proved")
	for _, sentence := range r.Limitations {
		p.Prose(2, sentence)
	}
	return p, nil
}

func historyAnswers(p *page.Page, r *history.Report) {
	if r.InForce > 0 {
		p.Prose(2, fmt.Sprintf("version %d was in force", r.InForce))
	}
	if len(r.Recorded) > 0 {
		p.Prose(2, "the trust file is version "+page.Numbers(r.Recorded))
	}
	if r.Newest != "" {
		p.Pairs(page.Pair{"newest entry", r.Newest})
	}
}

func versions(p *page.Page, r *history.Report) {
	for _, v := range r.Versions[:min(len(r.Versions), MostVersions)] {
		until := "on"
		if v.Until != "" {
			until = "until " + v.Until
		}
		p.Heading(fmt.Sprintf("version %d  from %s %s", v.Number, v.From, until))
		p.Pairs(page.Pair{"by", safetext.Quote(v.By)}, page.Pair{"signed by", safetext.Quote(v.Signer)},
			page.Pair{"because", safetext.Quote(v.Reason)}, page.Pair{"trust sha256", v.TrustSHA256})
		versionChanges(p, v)
	}
	historyMore(p, len(r.Versions)-MostVersions)
}

func versionChanges(p *page.Page, v history.Recorded) {
	switch {
	case !v.Kept:
		p.Prose(2, "The trust file is not kept, so what it changed is not known.")
		return
	case v.Changes == nil && v.Number == 1:
		p.Prose(2, "The first version.")
		return
	case v.Changes == nil:
		p.Prose(2, "The file before it is not kept, so what it changed is not known.")
		return
	}
	lines := ChangeLines(v.Changes)
	for _, line := range lines[:min(len(lines), mostChanges)] {
		p.Prose(4, line)
	}
	historyMore(p, len(lines)-mostChanges)
	for _, s := range v.Changes.Sentences {
		p.Prose(2, s)
	}
}

// ChangeLines says in words what a version changed.
func ChangeLines(d *change.Difference) (lines []string) {
	of := func(k *change.Place) string { return string(k.Role) + " key " + safetext.Quote(k.ID) }
	for _, k := range d.Keys {
		switch k.Change {
		case change.Added:
			lines = append(lines, "added "+of(k.After))
		case change.Removed:
			lines = append(lines, "removed "+of(k.Before))
		case change.Replaced:
			lines = append(lines, "replaced "+of(k.Before))
		case change.Moved:
			lines = append(lines, "moved "+of(k.Before)+" to "+of(k.After))
		}
	}
	for _, g := range d.Registries {
		lines = append(lines, g.Change+" registry "+strconv.FormatInt(g.Generation, 10))
	}
	return lines
}

func historyKeys(p *page.Page, r *history.Report) error {
	if len(r.Keys) == 0 {
		return nil
	}
	p.Heading("what was pinned")
	var rows [][]string
	for _, k := range r.Keys[:min(len(r.Keys), MostVersions)] {
		until, by := "", ""
		if k.Until != "" {
			until, by = day(k.Until), strconv.FormatInt(k.TakenIn, 10)
		}
		rows = append(rows, []string{day(k.From), until, strconv.FormatInt(k.PutIn, 10), by, k.Role, safetext.Quote(k.ID)})
	}
	if err := p.Table([]string{"from", "until", "in", "out", "role", "id"}, rows); err != nil {
		return err
	}
	historyMore(p, len(r.Keys)-MostVersions)
	return nil
}

// day is the date of a time.
func day(at string) string { return at[:min(len(at), len("2006-01-02"))] }

func historyMore(p *page.Page, n int) {
	if n > 0 {
		p.Prose(2, fmt.Sprintf("and %d more; --output json has all", n))
	}
}
