package plan

import (
	"errors"
	"testing"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/tasks"
)

// A fault of the program while a file is read ends the plan with an error.
func TestFaultEndsPlan(t *testing.T) {
	m := &maker{files: []*file{{}, {}}} // files have names
	err := m.readAll(t.Context())
	check.That(t, errors.As(err, new(*tasks.Panic)), "%v", err)
}
