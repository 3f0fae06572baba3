package report

// Columns bounds how finely a picture is drawn: more would be thinner than a
// line on the screen.
const Columns = 800

// The bounds of lists. They are long enough to work with, and the command that
// lists everything stands beside each.
const (
	mostStretches = 100
	mostGaps      = 50
	mostForks     = 8
	mostCauses    = 20            // in the forms for people
	mostShown     = 300           // findings, in the forms for people
	mostInGroup   = 20            // findings of one code about one log
	mostItems     = 20            // things that a note names
	mostSources   = 200           // in the forms for people
	mostProofs    = 200           // likewise
	mostLogs      = 100           // with pictures, in the forms for people
	mostPlaces    = 6             // of a finding, in the forms for people
	mostBars      = 120           // of the deliveries over time
	mostCells     = 64 * mostBars // in which deliveries are counted, so that the picture can leave far-off times out
)
