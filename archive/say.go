package archive

import (
	"cmp"
	"context"
	"encoding/hex"
	"strconv"
	"strings"

	"github.com/svc-edge/svc-verify/archive/ledger"
	"github.com/svc-edge/svc-verify/archive/object"
	"github.com/svc-edge/svc-verify/archive/run"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/internal/form"
	"github.com/svc-edge/svc-verify/internal/listing"
	"github.com/svc-edge/svc-verify/internal/safetext"
	"github.com/svc-edge/svc-verify/internal/spool"
)

func newResult(l *ledger.Writer, o *Options, records *spool.File) *Result {
	context := o.Judge.Context()
	number, newest := l.Newest()
	return &Result{Schema: CheckSchema, Began: form.MomentText(o.At.UnixMilli()), NotExamined: []string{},
		Findings:    []finding.InDocument{},
		Ledger:      Standing{Standing: l.Standing(), Objects: l.Len(), Runs: number, Newest: digestText(newest)},
		TrustSHA256: hex.EncodeToString(context.Trust[:]), Policy: hex.EncodeToString(context.Policy[:]),
		Rules: context.Rules, Seed: o.Seed, Sample: o.Sample, Said: object.NewSaid(), Counts: newCounts(),
		Ignored: run.Ignored{Patterns: listing.Patterns{}, Paths: []string{}},
		causes:  map[string]int64{},
		records: records, dir: o.Dir, interrupted: l.Interrupted()}
}

// believe decides how far the ledger counts. It returns false if the check ends here.
func (r *Result) believe(ctx context.Context, l *ledger.Writer, o *Options) (bool, error) {
	if l.Standing() == ledger.Changed {
		r.edited(l.Fault())
		return false, nil
	}
	if n, _ := l.Newest(); n > 0 {
		newest, err := l.Run(n)
		if err != nil {
			return false, err
		}
		if newest.Ended > o.At.UnixMilli() {
			r.behind = form.MomentText(newest.Ended)
		}
	}
	if o.Expect != nil {
		e, err := l.Expect(ctx, *o.Expect)
		if err != nil {
			return false, err
		}
		if e.Run == 0 {
			r.state.Unexpected = true
			want := hex.EncodeToString(o.Expect[:])
			r.find(AnotherHistory, want, "expected "+want+", found "+cmp.Or(r.Ledger.Newest, "no run"))
			return false, nil
		}
		r.expected = e.Newest && e.Fits
	}
	if l.Standing() == ledger.Own {
		return true, nil
	}
	if !o.Adopt {
		r.state.Foreign = true
		r.find(LedgerForeign, "", "")
		return true, nil
	}
	_, r.adopted = l.Newest()
	r.Ledger.Standing, r.expected = "adopted", true
	return true, l.Adopt(ctx)
}

// digestText writes a digest; "" for zeros.
func digestText(d run.Digest) string {
	if d == (run.Digest{}) {
		return ""
	}
	return hex.EncodeToString(d[:])
}

// runOf names a record.
func runOf(done *ledger.Run) *RunRef {
	return &RunRef{Number: done.Number, Digest: digestText(done.Digest), Previous: digestText(done.Previous),
		Root: hex.EncodeToString(done.Root[:]), Changed: done.Changed}
}

// notExamined returns the parts that the run did not examine, the weightiest first.
func (r *Result) notExamined() []string {
	all, c := object.Sentences{}, &r.Counts
	say := all.Say
	say(len(r.Ignored.Patterns) > 0, "%s", r.Ignored.PassedOver())
	say(r.kept.Objects > 0, "The patterns cover evidence that the ledger has, and that was examined all the same: %s.",
		r.kept.FileList())
	say(len(r.disbelieved.Patterns) > 0, "The patterns of the ledger do not count, as it is under another user's key: %s.",
		r.disbelieved.PatternList())
	say(r.state.Edited, "No object was read, as the ledger cannot be believed.")
	say(r.state.Unexpected, "No object was read, as the ledger has not the run that was expected.")
	say(r.state.Foreign && !r.expected,
		"The ledger is under another user's key: every object counts as new, and nothing is recorded.")
	say(r.state.Foreign && r.expected,
		"The ledger is under another user's key, and has the run that was expected: its digests "+
			"count, its verdicts do not, and nothing is recorded.")
	say(r.Ledger.Standing == "adopted" && r.Ledger.Runs > 0,
		"The ledger was adopted from another user: that its objects were unchanged "+
			"until now is what it says.")
	unread := c.Classes[Unread] + c.Classes[Stale]
	were := numbered(unread, "object", "was", "were")
	say(r.state.Stopped, "The run was stopped: %s not reached.", were)
	say(!r.state.Stopped && unread > 0, "%s not read in this run.", were)
	say(c.Classes[Unreadable] > 0, "%s could not be read.", safetext.Count(c.Classes[Unreadable], "object"))
	say(r.drawn[1] > r.drawn[0], "A sample was read: %d of %s that are neither new nor failed. Its seed is %s.",
		r.drawn[0], safetext.Count(r.drawn[1], "object"), r.Seed)
	say(c.OldContext > 0, "%s from another trust file, policy or version of the rules.",
		numbered(c.OldContext, "verdict", "is", "are"))
	say(c.Objects > 0 && c.Others == c.Objects, "No object is evidence, so there was nothing to verify.")
	say(c.Others > 0 && c.Others < c.Objects, "%s no evidence: read and compared, without a verdict.",
		numbered(c.Others, "object", "is", "are"))
	say(r.interrupted != 0, "A run that began at %s was interrupted: this one continues it.",
		form.MomentText(r.interrupted))
	say(r.behind != "", "The clock went back: the newest run ended at %s.", r.behind)
	return all
}

// numbered is a number of things with the verb that goes with it.
func numbered(n int64, thing, one, more string) string {
	if n == 1 {
		more = one
	}
	return safetext.Count(n, thing) + " " + more
}

// ParsePercent reads how large a sample is to be, such as 5% or 0.25%, in parts of
// [PartsOfAll].
func ParsePercent(text string) (parts int64, ok bool) {
	text, ok = strings.CutSuffix(text, "%")
	whole, fraction, pointed := strings.Cut(text, ".")
	if !ok || len(whole) > 3 || len(fraction) > 4 || pointed && fraction == "" {
		return 0, false
	}
	n, err := strconv.ParseUint(whole+fraction+strings.Repeat("0", 4-len(fraction)), 10, 32)
	parts = int64(n) // #nosec G115 -- it has at most seven digits
	return parts, err == nil && whole != "" && parts > 0 && parts <= PartsOfAll
}
