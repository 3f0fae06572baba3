package ingest

import "github.com/svc-edge/svc-verify/forensics/casefile"

// Spool is a temporary file.
type Spool = casefile.Spool

// lasting is a target that can have had evidence before: a case.
type lasting interface {
	Standing() casefile.Standing
	EachPath(visit func(source int64, absolute string)) error
	Beginning(source int64, absolute string) (casefile.Beginning, bool, error)
	Grew(old, source int64, absolute string) error
	Replace(old, source int64) error
	Purge() error
	Index() error
}
