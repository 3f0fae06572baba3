package store

import (
	"errors"
	"testing"

	"github.com/svc-edge/svc-verify/chain/event"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/fault"
)

// A fault of the program while events are judged is an error of the store, and every
// worker goes on until it is told to end.
func TestFaultOfJudges(t *testing.T) {
	j := newJudges(nil, 2) // there is a trust file
	for range 5 * enough {
		j.add(facts.Log{LogID: "node/a"}, &event.Header{}, nil)
	}
	err := j.settle()
	check.That(t, errors.As(err, new(*fault.Error)), "%v", err)
	j.close()
}
