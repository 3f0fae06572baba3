package conclude

import (
	"errors"
	"testing"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/fault"
)

// A fault of the program while a part is opened is an error about its file.
func TestFaultOfPart(t *testing.T) {
	p := &Parts{paths: []string{"a", "b"}} // without room for files
	err := p.openAll(t.Context(), nil, nil)
	check.That(t, errors.As(err, new(*fault.Error)), "%v", err)
}
