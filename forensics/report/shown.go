package report

import (
	"fmt"

	"github.com/svc-edge/svc-verify/forensics/crosscheck"
	"github.com/svc-edge/svc-verify/forensics/verdict"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

// more is what a list leaves out, and the command that lists it all.
type more struct {
	Count   int
	Command string
}

const allFindings = "svc-verify findings --case FILE --trust TRUST"

func moreLogs(r *Report) more {
	return more{max(0, len(r.Logs)-mostLogs), "svc-verify walk --case FILE --trust TRUST"}
}

func moreProofs(r *Report) more {
	return more{max(0, len(r.Proofs)-mostProofs), "svc-verify walk --case FILE --trust TRUST --output json"}
}

func shownProofs(r *Report) []crosscheck.Bundle { return r.Proofs[:min(len(r.Proofs), mostProofs)] }

func moreForks(l Log) more {
	return more{l.MoreForks, allFindings + " --code chain.fork --log " + safetext.Quote(l.LogID)}
}

func moreGaps(l Log) more {
	return more{l.MoreGaps, "svc-verify gaps --case FILE --log " + safetext.Quote(l.LogID)}
}

func moreSources(r *Report) more {
	return more{max(0, len(r.Sources)-mostSources), "svc-verify report --case FILE --output json"}
}

func moreCauses(r *Report) more {
	return more{max(0, len(r.Causes)-mostCauses), "svc-verify report --case FILE --output json"}
}

// firstStretches are those that are named in words.
func firstStretches(l Log) []Stretch { return l.Presence.Stretches[:min(len(l.Presence.Stretches), 6)] }

// leftItems names the first of what was left out.
func leftItems(l verdict.LeftOut) string {
	text := ""
	for i, item := range l.Items[:min(len(l.Items), mostItems)] {
		if i > 0 {
			text += ","
		}
		text += " " + safetext.Quote(item)
	}
	if more := len(l.Items) - mostItems; more > 0 {
		text += fmt.Sprintf(", and %d more", more)
	}
	return text
}
