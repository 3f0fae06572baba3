package cause

import (
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

// nextStep writes the next step of a cause: a command that shows something.
func (x *index) nextStep(d *draft) string {
	log, step := "", d.code.Entry().Next
	if len(d.logs) > 0 {
		log = slices.Min(d.logs)
	}
	if d.code == EventsDeleted || d.code == LossyStore {
		log, step = x.nextOfMissing(d, step)
	}
	if log == "" {
		step = strings.Replace(step, " --log {log}", "", 1)
	}
	return finding.Fill(step, "{log}", safetext.Quote(log), "{sequence}", strconv.FormatUint(max(1, d.sequence), 10))
}

// nextOfMissing returns the log and the step that show the missing events: the gaps of a log,
// of one file, or else the findings.
func (x *index) nextOfMissing(d *draft, step string) (log, next string) {
	_, why, _ := strings.Cut(step, ": ")
	for _, i := range d.findings {
		if f := x.Findings[i]; hasProperty(f.Code, finding.Entry.Missing) { // svc-verify show gaps lists its events
			return f.LogID, step
		}
	}
	for _, i := range d.findings {
		f := x.Findings[i]
		if file := x.onlyFile(x.lackOf(f)); file != "" && f.Sequence > 0 {
			return f.LogID, "svc-verify show gaps CASE --log {log} --source " + safetext.Quote(file) + ": " + why
		}
	}
	for _, i := range d.findings {
		if f := x.Findings[i]; f.Effect() != finding.None {
			return f.LogID, "svc-verify show findings CASE --log {log} --code " + string(f.Code) + ": " + why
		}
	}
	return "", step
}

// onlyFile returns the path of the only file of a store, "" if it has several, or is in
// an archive.
func (x *index) onlyFile(store string) string {
	if x.Walk == nil {
		return ""
	}
	for _, s := range x.comparedStores() {
		if s.Name != store || s.Parts != 1 || len(s.Paths) != 1 {
			continue
		}
		for _, source := range x.Walk.Sources {
			if path.Clean(filepath.ToSlash(source.Path)) == s.Paths[0] {
				return source.Path
			}
		}
	}
	return ""
}
