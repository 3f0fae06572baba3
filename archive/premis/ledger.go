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
	"github.com/svc-edge/svc-verify/archive/run"
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

// Write writes a document about the archive of an id: its objects, and then the events of its runs.
func Write(w io.Writer, id string, objects iter.Seq2[Object, error], runs iter.Seq2[ledger.Run, error],
	changesOf func(number int64) Changes) error {
	p, err := NewWriter(w, id)
	if err != nil {
		return err
	}
	for o, err := range objects {
		if err == nil {
			err = p.Object(o)
		}
		if err != nil {
			return err
		}
	}
	if err := p.addEvents(runs, changesOf); err != nil {
		return err
	}
	return p.Close()
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
func (p *Writer) addEvents(runs iter.Seq2[ledger.Run, error], changesOf func(number int64) Changes) error {
	for r, err := range runs {
		if err != nil {
			return err
		}
		if err := p.changeEvents(changesOf(r.Number), &r); err != nil {
			return err
		}
		if err := p.Event(ofRun(&r)); err != nil {
			return err
		}
	}
	return nil
}

// changeEvents writes the events of a run that concern one object.
func (p *Writer) changeEvents(changes Changes, r *ledger.Run) error {
	n := 0
	for c, err := range changes {
		if err != nil {
			return err
		}
		n++
		e, worth := ofChange(&c, r)
		if !worth {
			continue
		}
		e.ID = fmt.Sprintf("%x-%d", r.Digest, n)
		if err := p.Event(e); err != nil {
			return err
		}
	}
	return nil
}

// outcomes are the outcomes of runs, by their exit code.
var outcomes = []string{"success", "failure", "unreadable", "inconclusive"}

// ofRun is the event of a run.
func ofRun(r *ledger.Run) Event {
	var counts []string
	for _, name := range slices.Sorted(maps.Keys(r.Counts)) {
		counts = append(counts, fmt.Sprintf("%s %d", name, r.Counts[name]))
	}
	e := Event{ID: hex.EncodeToString(r.Digest[:]), Type: "fixity check", At: r.Ended, Outcome: "inconclusive",
		Detail: fmt.Sprintf("run %d over %s of %s, trust file sha256 %x", r.Number,
			safetext.Count(r.Objects, "object"), safetext.Count(r.Octets, "octet"), r.Trust),
		Note: strings.Join(counts, ", "), Agent: Agent{Name: r.Tool}}
	if r.Exit >= 0 && r.Exit < len(outcomes) {
		e.Outcome = outcomes[r.Exit]
	}
	return e
}

// ofChange is the event of a change: an acceptance, or a failure. Others have none.
func ofChange(c *run.Change, r *ledger.Run) (e Event, worth bool) {
	e = Event{Type: "fixity check", At: r.Ended, Detail: c.Class, Outcome: "failure", Agent: Agent{Name: r.Tool},
		Path: c.Path, Note: states(c)}
	if a := c.Acceptance; a != nil {
		e.Type, e.At, e.Detail, e.Outcome = "acceptance", a.At, a.Reason, "accepted"
		e.Agent = Agent{Name: a.By, Person: true}
		return e, true
	}
	if c.After == nil {
		return e, false
	}
	lost := c.Before != nil && c.Before.Verdict == outcome.Verified && c.After.Verdict != outcome.Verified
	return e, lost || c.After.Wrong != "" || c.After.Verdict == outcome.Rejected
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
