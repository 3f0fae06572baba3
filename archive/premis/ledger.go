package premis

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/svc-edge/svc-verify/archive/ledger"
	"github.com/svc-edge/svc-verify/archive/object"
	"github.com/svc-edge/svc-verify/archive/run"
	"github.com/svc-edge/svc-verify/internal/form"
	"github.com/svc-edge/svc-verify/internal/safetext"
	"github.com/svc-edge/svc-verify/outcome"
)

// FromLedger writes a document of all objects and events of a ledger. SHA512 returns the digest of an object; it
// can be nil.
func FromLedger(ctx context.Context, w io.Writer, l *ledger.Ledger, sha512 func(*ledger.Object) ([]byte, error)) error {
	id, err := ArchiveID(l)
	if err != nil {
		return err
	}
	objects := func(yield func(Object, error) bool) {
		for o, err := range l.Objects(ctx) {
			var one Object
			if err == nil {
				one = Object{Object: o.Committed(), Kind: o.Judgement.Kind}
			}
			if err == nil && sha512 != nil {
				one.SHA512, err = sha512(o)
			}
			if !yield(one, err) {
				return
			}
		}
	}
	return Write(w, id, objects, l.Runs(ctx), func(number int64) Changes { return l.Changes(ctx, number) })
}

// Changes are the changes of a run.
type Changes = iter.Seq2[run.Change, error]

// ArchiveID identifies the archive of a ledger: by the digest of its first record,
// which later ones commit to.
func ArchiveID(l *ledger.Ledger) (string, error) {
	if newest, _ := l.Newest(); newest == 0 {
		return "", errors.New("the ledger has no run")
	}
	first, err := l.Run(1)
	return hex.EncodeToString(first.Digest[:]), err
}

// addEvents writes an event for each run, after the events for objects that failed or were
// accepted in it.
func (p *writer) addEvents(runs iter.Seq2[ledger.Run, error], changesOf func(number int64) Changes) error {
	for r, err := range runs {
		if err != nil {
			return err
		}
		if err := p.changeEvents(changesOf(r.Number), &r); err != nil {
			return err
		}
		if err := p.addEvent(p.ofRun(&r), programAgent(r.Tool)); err != nil {
			return err
		}
	}
	return nil
}

// changeEvents writes the events of a run that concern one object.
func (p *writer) changeEvents(changes Changes, r *ledger.Run) error {
	n := 0
	for c, err := range changes {
		if err != nil {
			return err
		}
		n++
		e, by, worth := ofChange(&c, r)
		if !worth {
			continue
		}
		e.ID = fmt.Sprintf("%x-%d", r.Digest, n)
		if err := p.addEvent(e, by); err != nil {
			return err
		}
	}
	return nil
}

// fixityCheck is the type of the events of runs.
const fixityCheck = "fixity check"

// outcomes are the outcomes of runs, by their exit code.
var outcomes = []string{"success", "failure", "unreadable", "inconclusive"}

// ofRun is the event of a run.
func (p *writer) ofRun(r *ledger.Run) eventElement {
	var counts []string
	for _, name := range slices.Sorted(maps.Keys(r.Counts)) {
		counts = append(counts, fmt.Sprintf("%s %d", name, r.Counts[name]))
	}
	e := eventElement{IDType: idRun, ID: hex.EncodeToString(r.Digest[:]), Type: fixityCheck,
		At: form.FormatMillis(r.Ended), Outcome: "inconclusive", ObjectType: idArchive, Object: p.archive,
		Detail: fmt.Sprintf("run %d over %s of %s, trust file sha256 %x", r.Number,
			safetext.Count(r.Objects, "object"), safetext.Count(r.Octets, "octet"), r.Trust),
		Note: noteOf(strings.Join(counts, ", "))}
	if r.Exit >= 0 && r.Exit < len(outcomes) {
		e.Outcome = outcomes[r.Exit]
	}
	return e
}

// ofChange is the event of a change: an acceptance, or a failure. Others have none.
func ofChange(c *run.Change, r *ledger.Run) (e eventElement, by agent, worth bool) {
	e = eventElement{IDType: idChange, Type: fixityCheck, At: form.FormatMillis(r.Ended), Detail: c.Class,
		Outcome: "failure", Note: noteOf(states(c)), ObjectType: idPath, Object: object.PathText(c.Path)}
	if a := c.Acceptance; a != nil {
		e.Type, e.At, e.Detail, e.Outcome = "acceptance", form.FormatMillis(a.At), a.Reason, "accepted"
		return e, agent{"person", "authorizer", a.By}, true
	}
	by = programAgent(r.Tool)
	if c.After == nil {
		return e, by, false
	}
	lost := c.Before != nil && c.Before.Verdict == outcome.Verified && c.After.Verdict != outcome.Verified
	return e, by, lost || c.After.Wrong != "" || c.After.Verdict == outcome.Rejected
}

// states returns the states of an object before and after a change.
func states(c *run.Change) string {
	var all []string
	for _, s := range []struct {
		when string
		*run.State
	}{{"before", c.Before}, {"after", c.After}} {
		if s.State == nil {
			continue
		}
		text := fmt.Sprintf("%s: sha256 %x, %d octets", s.when, s.SHA256, s.Size)
		for _, more := range []string{string(s.Verdict), s.Code, s.Wrong} {
			if more != "" {
				text += ", " + more
			}
		}
		all = append(all, text)
	}
	return strings.Join(all, "; ")
}
