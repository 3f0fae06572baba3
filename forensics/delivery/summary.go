package delivery

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/svc-edge/svc-verify/finding"
)

// rules is raised whenever the index gives other findings than before: then the summary of an
// earlier program counts for nothing.
const rules = 3

// summary is the result of a pass over the index, as the case keeps it.
type summary struct {
	Rules    int               `json:"rules"`
	Findings []finding.Finding `json:"findings"`
	Journals []Journal         `json:"journals"`
}

// recall restores the results of an earlier pass, if nothing was added since.
func (x *examiner) recall(ctx context.Context, memory Memory) (known bool, err error) {
	doc, ok, err := memory.Recall(ctx)
	if !ok || err != nil {
		return false, err
	}
	var s summary
	if err := json.Unmarshal(doc, &s); err != nil {
		return false, fmt.Errorf("the kept arrivals of the case: %w", err)
	}
	if s.Rules != rules {
		return false, nil
	}
	x.found, x.own = s.Findings, s.Journals
	for i := range x.found { // in the words of this program
		x.found[i].Explanations = nil
		x.found[i] = x.found[i].Complete()
	}
	return true, nil
}

// summary writes the result of a pass, as recall reads it.
func (x *examiner) summary() ([]byte, error) {
	return json.Marshal(summary{rules, x.found, x.own})
}
