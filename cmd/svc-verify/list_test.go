package main

import (
	"bytes"
	"testing"

	"github.com/svc-edge/svc-verify/answer"
	"github.com/svc-edge/svc-verify/forensics/query"
	"github.com/svc-edge/svc-verify/internal/must"
)

// TestListIsTheSameDocument: what a list writes element by element is what
// answer.JSON writes at once.
func TestListIsTheSameDocument(t *testing.T) {
	type document struct {
		Schema string        `json:"schema"`
		Before string        `json:"before"`
		Things []query.Event `json:"things"`
		After  []int         `json:"after"`
	}
	for n := range 4 {
		want := document{"x/v1", hostile, make([]query.Event, n), []int{1, 2}}
		var at, once bytes.Buffer
		l := newList(&at, want.Schema, "things", member{"before", want.Before})
		for _, e := range want.Things {
			l.add(e)
		}
		l.end(member{"after", want.After})
		must.Do(t, answer.JSON(&once, want))
		if at.String() != once.String() {
			t.Errorf("%d elements:\n%s\nwant\n%s", n, at.String(), once.String())
		}
	}
}
