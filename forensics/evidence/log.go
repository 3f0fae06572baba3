package evidence

import "github.com/svc-edge/svc-verify/forensics/facts"

// Stretch is the sequences from First to Last, both included.
type Stretch struct{ First, Last uint64 }

// Count is how many sequences a stretch has.
func (s Stretch) Count() uint64 { return s.Last - s.First + 1 }

// SourceContainer is a source, or a file in an archive of it.
type SourceContainer struct {
	Container, Source int64
	Path              string // of the file in the archive, "" for the source
	Format            string
}

// GivenPath is a place where a source was given.
type GivenPath struct {
	Source   int64
	Path     string // as it was given
	Absolute string // "" for a stream
}

// Choice selects events of a log.
type Choice struct {
	Types         []string // of one of these types
	TransactionID string   // about this transaction; "" for any
}

// Typed is a copy of an event that was selected by its type, and the place of its
// data.
type Typed struct {
	facts.Event
	Said []byte // its data in the form of [AppendSaid], if the evidence contains that form instead of the data
}
