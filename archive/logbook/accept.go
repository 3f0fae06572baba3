package logbook

import (
	"crypto/sha256"
	"encoding/json"

	"github.com/svc-edge/svc-verify/archive/ledger"
	"github.com/svc-edge/svc-verify/archive/run"
	"github.com/svc-edge/svc-verify/outcome"
)

// AcceptedSchema names the JSON form of an [Accepted].
const AcceptedSchema = "svc-verify/archive-accepted/v1"

// Accepted is what the owner of an archive accepted.
type Accepted struct {
	Schema   string          `json:"schema"`
	Verdict  outcome.Class   `json:"verdict"` // on the ledger
	Ledger   About           `json:"ledger"`
	Document json.RawMessage `json:"change,omitempty"` // SPEC 15.4; nil if nothing was accepted
	Change   *run.Change     `json:"-"`
}

// Accept accepts an object as it is, as [ledger.Writer.Accept] does. Nothing is
// accepted in a ledger that is not the user's own, or not the one that was expected.
func Accept(w *ledger.Writer, about About, path string, digest [sha256.Size]byte,
	by run.Acceptance) (*Accepted, error) {
	a := &Accepted{Schema: AcceptedSchema, Verdict: about.Verdict(), Ledger: about}
	if a.Verdict != outcome.Verified {
		return a, nil
	}
	change, err := w.Accept(path, digest, by)
	if err != nil {
		return nil, err
	}
	a.Change, a.Document = &change, change.Line()
	return a, nil
}
