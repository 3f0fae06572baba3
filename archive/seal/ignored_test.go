package seal_test

import (
	"testing"

	records "github.com/svc-edge/svc-verify/archive/run"
	"github.com/svc-edge/svc-verify/archive/seal"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/listing"
)

// TestContradictsPatterns: a seal has the patterns of the run that it names, and no others.
func TestContradictsPatterns(t *testing.T) {
	a, b := listing.Patterns{"a"}, listing.Patterns{"b"}
	for _, tt := range []struct {
		sealed, ran listing.Patterns
		fits        bool
	}{{nil, nil, true}, {a, a, true}, {a, nil, false}, {nil, a, false}, {a, b, false}} {
		st, record := seal.Statement{Objects: 1, Ignored: tt.sealed}, records.Record{Objects: 1}
		if tt.ran != nil {
			record.Ignored = &records.Ignored{Patterns: tt.ran}
		}
		found := st.Contradicts(&record)
		check.That(t, (found == nil) == tt.fits, "%q in the seal and %q in the run: %+v", tt.sealed, tt.ran, found)
	}
}
