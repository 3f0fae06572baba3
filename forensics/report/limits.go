package report

// Columns bounds how finely a picture is drawn: more would be thinner than a
// line on the screen.
const Columns = 800

// The bounds of lists in all forms. Those of the forms for people are in package answer.
const (
	mostStretches = 100
	mostTimes     = 240 // buckets of the events of a log
	mostGaps      = 50
	mostForks     = 8
	mostItems     = 20            // things that a note names
	mostBars      = 120           // of the deliveries over time
	mostCells     = 64 * mostBars // in which deliveries are counted, so that the picture can leave far-off times out
)
