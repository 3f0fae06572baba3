package batch

import (
	"github.com/svc-edge/svc-verify/bundle"
	"github.com/svc-edge/svc-verify/outcome"
)

// Entries counts them. Seen is the sum of the five after it. The others are parts
// of it, but for LeftOut, which were not looked at.
type Entries struct {
	Seen         int64 `json:"seen"`
	Verified     int64 `json:"verified"`
	Rejected     int64 `json:"rejected"`
	NotABundle   int64 `json:"not_a_bundle"`
	Unreadable   int64 `json:"unreadable"`
	Inconclusive int64 `json:"inconclusive"`
	Contradicted int64 `json:"contradicted"`
	Doubled      int64 `json:"doubled"` // with the bytes of an earlier one
	Unexpected   int64 `json:"unexpected"`
	LeftOut      int64 `json:"left_out"` // by --only

	// The proven bundles, whatever their class, and by their content.
	Genuine    int64 `json:"genuine"`
	Refused    int64 `json:"refused"` // they do not match the request
	Stale      int64 `json:"stale"`   // they are not recent enough
	Issued     int64 `json:"issued"`
	Revoked    int64 `json:"revoked"`
	Superseded int64 `json:"superseded"` // their status does not count
}

// supersede moves a record that was counted to those that are superseded.
func (e *Entries) supersede(record *Record) {
	if n := e.statusCount(record.Status); n != nil {
		*n--
	}
	e.Superseded++
	if record.judgedByStatus() {
		*e.class(record.Verdict)--
		*e.unmet(record.Verdict)--
		e.Verified++
	}
}

// unmet returns where proven bundles of a class are counted that is not Verified.
func (e *Entries) unmet(class outcome.Class) *int64 {
	if class == outcome.Rejected {
		return &e.Refused
	}
	return &e.Stale
}

// statusCount returns where proven bundles of a status are counted, nil for another one.
func (e *Entries) statusCount(status string) *int64 {
	switch status {
	case bundle.Issued:
		return &e.Issued
	case bundle.Revoked:
		return &e.Revoked
	}
	return nil
}

// countRecord enters a record into the counts.
func (e *Entries) countRecord(record *Record) {
	e.Seen++
	if n := e.statusCount(record.Status); n != nil {
		*n++
	}
	if n := e.class(record.Verdict); n != nil {
		*n++
	}
	if record.Proven() {
		e.Genuine++
		if record.Verdict != outcome.Verified {
			*e.unmet(record.Verdict)++
		}
	}
	if record.SameAs != "" {
		e.Doubled++
	}
	if record.Unexpected {
		e.Unexpected++
	}
}

// Of returns how many entries are of a class.
func (e *Entries) Of(class outcome.Class) int64 {
	if n := e.class(class); n != nil {
		return *n
	}
	return 0
}

// class returns the counter of a class, nil if there is none.
func (e *Entries) class(class outcome.Class) *int64 {
	switch class {
	case outcome.Verified:
		return &e.Verified
	case outcome.Rejected:
		return &e.Rejected
	case outcome.NotABundle:
		return &e.NotABundle
	case outcome.Unreadable:
		return &e.Unreadable
	case outcome.Inconclusive:
		return &e.Inconclusive
	}
	return nil
}
