package verdict

import (
	"context"
	"math"
	"reflect"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/incident"
	"github.com/svc-edge/svc-verify/forensics/store"
	"github.com/svc-edge/svc-verify/forensics/walk"
	"github.com/svc-edge/svc-verify/verify"
)

// ChangesSchema names the form of [Changes] in JSON.
const ChangesSchema = "svc-verify/changes/v1"

// Changes contains the differences between two walks.
type Changes struct {
	Schema    string                   `json:"schema"`
	Since     WalkName                 `json:"since"`
	Walk      WalkName                 `json:"walk"`
	SameTrust bool                     `json:"same_trust"` // both were under one trust file
	Findings  Changed[finding.Finding] `json:"findings"`
	Incidents Changed[string]          `json:"incidents"` // names
	Sources   Changed[walk.SourceFile] `json:"sources"`
	Heads     Changed[LogHead]         `json:"heads"`
}

// WalkName names a walk.
type WalkName struct {
	Number      int64          `json:"number"`
	Verdict     verify.Verdict `json:"verdict"`
	TrustSHA256 string         `json:"trust_sha256"`
}

// Changed are things that only one of two walks had, and those that are not as they were, in the order
// of the walks.
type Changed[T any] struct {
	New     []T       `json:"new"`
	Gone    []T       `json:"gone"`
	Changed []Pair[T] `json:"changed"`
}

// Pair is a thing as it was and is.
type Pair[T any] struct {
	Before T `json:"before"`
	After  T `json:"after"`
}

// LogHead is the end of a log, by a walk.
type LogHead struct {
	TenantID         string `json:"tenant_id"`
	LogID            string `json:"log_id"`
	LastSequence     uint64 `json:"last_sequence"`
	HeadHash         string `json:"head_hash,omitempty"`
	Missing          uint64 `json:"missing"`
	CompleteByOthers uint64 `json:"complete_by_others"` // up to this event
	CompleteByOwn    uint64 `json:"complete_by_own"`
}

// ChangesSince compares the newest walk of a case with an earlier one: the one of a number or, for 0,
// the one before. It returns nil if the user has no such walks.
func ChangesSince(ctx context.Context, c *store.Case, number int64) (*Changes, error) {
	after, newest, err := Through(ctx, c, math.MaxInt64)
	if err != nil || after == nil {
		return nil, err
	}
	most := newest - 1
	if number > 0 {
		most = number
	}
	before, since, err := Through(ctx, c, most)
	if err != nil || before == nil || number > 0 && since != number {
		return nil, err
	}
	return &Changes{Schema: ChangesSchema, Since: WalkName{since, before.Verdict, before.TrustSHA256},
		Walk:      WalkName{newest, after.Verdict, after.TrustSHA256},
		SameTrust: before.TrustSHA256 == after.TrustSHA256,
		Findings:  compareLists(before.Findings, after.Findings, aboutOf),
		Incidents: compareLists(valuesOf(before.Incidents, nameOf), valuesOf(after.Incidents, nameOf),
			func(name string) string { return name }),
		Sources: compareLists(before.Sources, after.Sources, func(s walk.SourceFile) string { return s.SHA256 }),
		Heads:   compareLists(valuesOf(before.Logs, headOf), valuesOf(after.Logs, headOf), logOf)}, nil
}

// compareLists compares lists by the subjects of their elements.
func compareLists[T any, K comparable](before, after []T, about func(T) K) (c Changed[T]) {
	earlier := map[K][]T{}
	for _, one := range before {
		earlier[about(one)] = append(earlier[about(one)], one)
	}
	for _, one := range after {
		was := earlier[about(one)]
		switch {
		case len(was) == 0:
			c.New = append(c.New, one)
			continue
		case !reflect.DeepEqual(was[0], one):
			c.Changed = append(c.Changed, Pair[T]{was[0], one})
		}
		earlier[about(one)] = was[1:]
	}
	for _, one := range before {
		c.Gone = append(c.Gone, earlier[about(one)]...)
		delete(earlier, about(one))
	}
	return c
}

func valuesOf[T, V any](all []T, of func(T) V) []V {
	values := make([]V, len(all))
	for i, one := range all {
		values[i] = of(one)
	}
	return values
}

// about is the subject of a finding: events of a log, or a store or source.
type about struct {
	code          finding.Code
	log           facts.Log
	first, last   uint64
	store, source string
}

func aboutOf(f finding.Finding) about {
	a := about{f.Code, facts.LogOf(f), f.Sequence, f.LastSequence, f.Store, ""}
	if f.Sequence == 0 && len(f.Evidence) > 0 {
		a.source = f.Evidence[0].Source
	}
	return a
}

func nameOf(i incident.Incident) string { return i.Name }

func logOf(h LogHead) facts.Log { return facts.Log{TenantID: h.TenantID, LogID: h.LogID} }

func headOf(l walk.LogResult) LogHead {
	return LogHead{l.TenantID, l.LogID, l.LastSequence, l.HeadHash, l.Missing, l.CompleteByOthers.Sequence,
		l.CompleteByOwn.Sequence}
}
