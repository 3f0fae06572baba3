package batch

import (
	"testing"

	"github.com/svc-edge/svc-verify/batch/entry"
	"github.com/svc-edge/svc-verify/outcome"
)

// A fault of the program costs the entry that it was in.
func TestFault(t *testing.T) {
	x := (&run{}).examine(entry.Entry{Name: "a.json"}) // there is no session
	if x.record.Verdict != outcome.Unreadable || x.record.Name != "a.json" || x.facts != nil {
		t.Errorf("%+v", x.record)
	}
}
