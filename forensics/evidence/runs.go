package evidence

// Arrivals is the arrivals of one sequence, or of a run of them. A run has no gap and
// one copy of each event, which arrived in the same containers, each behind the one
// before and once from each source; and nothing is to be said of how any arrived, as
// package delivery has it.
type Arrivals struct {
	Same    []Arrived // of the first sequence, as [Reader.Arrivals] yields them
	Through []Arrived // of the last sequence of a run; nil for a single one
}
