package logbook

import (
	"context"
	"encoding/hex"
	"time"

	"github.com/svc-edge/svc-verify/archive"
	"github.com/svc-edge/svc-verify/archive/ledger"
	"github.com/svc-edge/svc-verify/archive/object"
	"github.com/svc-edge/svc-verify/archive/run"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/internal/form"
	"github.com/svc-edge/svc-verify/outcome"
)

// StatusSchema names the JSON form of a [Status].
const StatusSchema = "svc-verify/archive-status/v1"

// Status is the status of an archive, according to its ledger.
type Status struct {
	Schema  string        `json:"schema"`
	Verdict outcome.Class `json:"verdict"` // as a check would come to that found nothing new
	Ledger  About         `json:"ledger"`

	At            string     `json:"at"`
	MaxAgeSeconds int64      `json:"max_age_seconds"`
	Objects       Amount     `json:"objects"`
	Read          Amount     `json:"read"`                 // at most so long ago
	Stale         Amount     `json:"stale"`                // longer ago, or never
	Absent        Amount     `json:"absent"`               // missing or unreadable
	Oldest        *Reading   `json:"oldest,omitempty"`     // nil without an object that was read
	NewestRun     *NewestRun `json:"newest_run,omitempty"` // nil without a run

	Verified      int64 `json:"verified"`
	Rejected      int64 `json:"rejected"`
	Inconclusive  int64 `json:"inconclusive"`
	NoEvidence    int64 `json:"no_evidence"`
	NeverRead     int64 `json:"never_read"`     // that the newest run found, could not read, and knows nothing about
	Accepted      int64 `json:"accepted"`       // of those rejected and inconclusive
	OtherContexts int64 `json:"other_contexts"` // verified under another trust file, policy or rules than in the newest run

	object.Said // nothing of a ledger that is another user's

	Wrong []Wrong `json:"wrong"` // in the order of their paths
	More  int64   `json:"more_wrong"`
}

// Amount is a number of objects, and the bytes that they have together.
type Amount struct {
	Objects int64 `json:"objects"`
	Octets  int64 `json:"octets"`
}

func (a *Amount) add(octets int64) {
	a.Objects++
	a.Octets += octets
}

// Reading is when an object was read last.
type Reading struct {
	Path   string `json:"path"` // as [object.PathText] writes it
	ReadAt string `json:"read_at"`
	at     int64
}

// NewestRun is the run that a ledger ends with.
type NewestRun struct {
	RunName
	Exit    int          `json:"exit"`
	Whole   bool         `json:"whole"`
	Ignored *run.Ignored `json:"ignored,omitempty"` // nil if no pattern was in force
}

// Wrong is an object with which something is wrong.
type Wrong struct {
	Path    string        `json:"path"`   // as [object.PathText] writes it
	Wrong   string        `json:"wrong"`  // unreadable, missing, altered or replaced; "" if its evidence alone is bad
	SHA256  string        `json:"sha256"` // to accept it by: of the present or former bytes
	Verdict outcome.Class `json:"verdict"`
	Code    finding.Code  `json:"code"`
	Reason  string        `json:"reason"`
	ReadAt  string        `json:"read_at"` // when its correct bytes were read last
	Run     int64         `json:"run"`     // that read them
}

// mostWrong is how many objects are listed with which something is wrong.
const mostWrong = 1000

// status adds up the objects of a ledger.
type status struct {
	*Status
	now     time.Time
	age     time.Duration // of a reading that is not stale
	context object.Context
	counts  archive.Counts
}

// ReadStatus returns how an archive stood at a time, as its ledger has it.
func ReadStatus(ctx context.Context, l *ledger.Ledger, about About, at time.Time,
	maxAge time.Duration) (*Status, error) {
	empty := Status{Schema: StatusSchema, Verdict: outcome.Rejected, Ledger: about, At: form.FormatTime(at),
		MaxAgeSeconds: int64(maxAge / time.Second), Said: object.NewSaid(), Wrong: []Wrong{}}
	if !about.Believed() {
		return &empty, nil
	}
	answer := empty
	s := &status{Status: &answer, now: at, age: maxAge,
		counts: archive.Counts{Classes: map[archive.Class]int64{}}}
	if altered, err := empty.Ledger.fault(s.read(ctx, l)); altered || err != nil {
		return &empty, err
	}
	s.Verdict = outcome.Worst(about.Verdict(), s.counts.Verdict(archive.State{}))
	return &answer, nil
}

func (s *status) read(ctx context.Context, l *ledger.Ledger) error {
	if n, _ := l.Newest(); n > 0 {
		r, err := l.Run(n)
		if err != nil {
			return err
		}
		s.context = r.Context()
		s.NeverRead = r.Counts[string(archive.Unreadable)]
		s.NewestRun = &NewestRun{nameOf(r), r.Exit, r.Whole, r.Ignored}
	}
	for o, err := range l.Objects(ctx) {
		if err != nil {
			return err
		}
		if o.Accepted && o.VerifiedIn == 0 && o.ReadIn <= s.Ledger.Runs && l.Standing() == ledger.Own {
			// Accepted bytes were judged in the run that found them.
			r, err := l.Run(o.ReadIn)
			if err != nil {
				return err
			}
			o.Context = r.Context()
		}
		if o.Wrong == ledger.Unreadable {
			s.NeverRead--
		}
		if err := s.add(o); err != nil {
			return err
		}
	}
	s.Said.Conclude()
	c := &s.counts
	s.Verified, s.Rejected, s.Inconclusive, s.NoEvidence = c.Verified, c.Rejected, c.Inconclusive, c.NoVerdict
	s.Accepted, s.OtherContexts = c.Accepted+c.Tolerated, c.OldContext
	s.NeverRead = max(s.NeverRead, 0)
	s.counts.Classes[archive.Unreadable] += s.NeverRead
	return nil
}

// add adds an object.
func (s *status) add(o *ledger.Object) error {
	is := o.Present()
	size, readAt, judged := is.Size, is.ReadAt, is.Judgement
	s.Objects.add(size)
	if o.Wrong == ledger.Missing || o.Wrong == ledger.Unreadable {
		s.Absent.add(size)
	} else {
		s.reading(o.Path, size, readAt)
		s.verdict(o, &judged)
	}
	s.counts.Classes[archive.Class(o.Wrong)]++
	if o.Wrong == ledger.Replaced && !archive.Alike(o, &o.Found.Judgement) {
		s.counts.Unlike++
	}
	if o.Wrong == "" && o.Lost {
		s.counts.Lost++
	}
	if o.Wrong != "" || o.Lost || judged.Verdict == outcome.Rejected && !o.Accepted {
		s.wrong(o, &judged)
	}
	absent := o.Wrong == ledger.Missing || o.Wrong == ledger.Unreadable
	if s.Ledger.Standing != ledger.Own || judged.Verdict == "" || absent {
		return nil
	}
	return s.Said.Add(o.Path, judged.Facts.Tally(), func() (*object.Facts, error) { return &judged.Facts, nil })
}

// reading adds when an object was read.
func (s *status) reading(path string, size, at int64) {
	if archive.IsStale(at, s.now, s.age) {
		s.Stale.add(size)
		s.counts.Classes[archive.Stale]++
	} else {
		s.Read.add(size)
		s.counts.Read++
	}
	if at != 0 && (s.Oldest == nil || at < s.Oldest.at) {
		s.Oldest = &Reading{object.PathText(path), form.MomentText(at), at}
	}
}

// verdict counts the verdict on an object.
func (s *status) verdict(o *ledger.Object, judged *object.Judgement) {
	*s.counts.OfVerdict(judged.Verdict)++
	switch {
	case o.Accepted && judged.Verdict == outcome.Rejected:
		s.counts.Accepted++
	case o.Accepted && judged.Verdict == outcome.Inconclusive:
		s.counts.Tolerated++
	}
	if o.Wrong == "" && judged.Verdict != "" && o.Context != s.context {
		s.counts.OldContext++
	}
}

// wrong lists an object.
func (s *status) wrong(o *ledger.Object, judged *object.Judgement) {
	if len(s.Wrong) == mostWrong {
		s.More++
		return
	}
	sum := o.Present().SHA256
	w := Wrong{Path: object.PathText(o.Path), Wrong: o.Wrong, SHA256: hex.EncodeToString(sum[:]),
		Verdict: judged.Verdict, Code: judged.Code, Reason: judged.Reason, ReadAt: form.MomentText(o.ReadAt), Run: o.ReadIn}
	if o.Wrong == "" && o.Lost {
		entry, _ := finding.Lookup(archive.ArchiveVerdictLost)
		w.Code, w.Reason = entry.Code, entry.Sentence
	}
	s.Wrong = append(s.Wrong, w)
}
