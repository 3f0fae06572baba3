package report

// The bounds of lists in all forms. The bounds of the forms for people are in package answer.
const (
	mostStretches = 100
	mostMarks     = 800 // of one kind on a log: closer ones become one
	mostTimes     = 240 // buckets of the events of a log
	mostGaps      = 50
	mostForks     = 8
	mostItems     = 20            // things that a note names
	mostBars      = 120           // of the deliveries over time
	mostCells     = 64 * mostBars // in which deliveries are counted, so that the picture can leave far-off times out
)
