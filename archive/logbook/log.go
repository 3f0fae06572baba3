package logbook

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	"github.com/svc-edge/svc-verify/archive"
	"github.com/svc-edge/svc-verify/archive/ledger"
	"github.com/svc-edge/svc-verify/archive/run"
	"github.com/svc-edge/svc-verify/outcome"
)

// LogSchema names the JSON form of a [Log].
const LogSchema = "svc-verify/archive-log/v1"

// Log is the history of an archive: the results of each run, and who accepted which objects.
type Log struct {
	Schema  string        `json:"schema"`
	Verdict outcome.Class `json:"verdict"` // on the ledger
	Ledger  About         `json:"ledger"`
	Runs    []Run         `json:"runs"`              // the first first
	Pending *Changes      `json:"pending,omitempty"` // changes that no run has in its record yet; nil for none
}

// Run is one run of a log.
type Run struct {
	SHA256   string          `json:"sha256"`
	Document json.RawMessage `json:"record"` // SPEC 15.2
	Record   run.Record      `json:"-"`
	Changes  Changes         `json:"changes"`
}

// Changes are the changes of a run: the number of objects of each class, and those that a
// reader has to know.
type Changes struct {
	Classes map[string]int64  `json:"classes"`
	Listed  []json.RawMessage `json:"listed"` // SPEC 15.4
	More    int64             `json:"more"`   // of those that a reader has to know
	Changes []run.Change      `json:"-"`      // as listed
}

// listed is how many changes of a run are listed.
const listed = 20

// quiet are the classes of changes that are counted, and not listed.
var quiet = map[string]bool{string(archive.Added): true, string(archive.Moved): true, string(archive.Repacked): true,
	string(archive.Grown): true}

// ReadLog returns the history that a ledger has of a span.
func ReadLog(ctx context.Context, l *ledger.Ledger, about About, s Span) (*Log, error) {
	log := &Log{Schema: LogSchema, Verdict: about.Verdict(), Ledger: about, Runs: []Run{}}
	if !about.Believed() {
		return log, nil
	}
	altered, err := log.Ledger.fault(log.read(ctx, l, s))
	if altered {
		log.Verdict, log.Runs, log.Pending = outcome.Rejected, []Run{}, nil
	}
	return log, err
}

func (log *Log) read(ctx context.Context, l *ledger.Ledger, s Span) error {
	since, until, err := s.findRuns(ctx, l)
	if err != nil {
		return err
	}
	for r, err := range l.Runs(ctx) {
		if err != nil {
			return err
		}
		if r.Number <= since.Number || s.Until != "" && r.Number > until.Number {
			continue
		}
		changes, err := changesOf(ctx, l, r.Number)
		if err != nil {
			return err
		}
		log.Runs = append(log.Runs, Run{hex.EncodeToString(r.Digest[:]), r.Document, r.Record, changes})
	}
	if s.Until != "" {
		return nil
	}
	newest, _ := l.Newest()
	pending, err := changesOf(ctx, l, newest+1)
	if len(pending.Classes) > 0 {
		log.Pending = &pending
	}
	return err
}

// changesOf returns the changes of a run.
func changesOf(ctx context.Context, l *ledger.Ledger, n int64) (Changes, error) {
	c := Changes{Classes: map[string]int64{}, Listed: []json.RawMessage{}}
	for change, err := range l.Changes(ctx, n) {
		if err != nil {
			return c, err
		}
		c.count(change.Class)
		switch {
		case quiet[change.Class]:
		case len(c.Listed) == listed:
			c.More++
		default:
			c.Listed, c.Changes = append(c.Listed, change.Line()), append(c.Changes, change)
		}
	}
	return c, nil
}

// mostClasses bounds how many classes are distinguished, whatever a ledger names.
const mostClasses = 63

func (c *Changes) count(class string) {
	if _, known := c.Classes[class]; !known && len(c.Classes) >= mostClasses {
		class = "others"
	}
	c.Classes[class]++
}

// AcceptedSchema names the JSON form of an [Accepted].
const AcceptedSchema = "svc-verify/archive-accepted/v1"

// Accepted reports an acceptance by the owner of an archive.
type Accepted struct {
	Schema   string          `json:"schema"`
	Verdict  outcome.Class   `json:"verdict"` // on the ledger
	Ledger   About           `json:"ledger"`
	Document json.RawMessage `json:"change,omitempty"` // SPEC 15.4; nil if nothing was accepted
	Change   *run.Change     `json:"-"`
}

// Accept accepts an object as it is, as [ledger.Writer.Accept] does. Nothing is
// accepted in a ledger that is not the user's own, or not the one that was expected.
func Accept(w *ledger.Writer, about About, path string, digest [sha256.Size]byte,
	by run.Acceptance) (*Accepted, error) {
	a := &Accepted{Schema: AcceptedSchema, Verdict: about.Verdict(), Ledger: about}
	if a.Verdict != outcome.Verified {
		return a, nil
	}
	change, err := w.Accept(path, digest, by)
	if err != nil {
		return nil, err
	}
	a.Change, a.Document = &change, change.Line()
	return a, nil
}
