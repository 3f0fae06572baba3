package verify

import "github.com/svc-edge/svc-verify/bundle"

// wellFormed is SPEC 8.1. It counts every value of the document.
func wellFormed(r *run, _ *bundle.Bundle) {
	faults := r.in.Faults
	if r.in.Empty() {
		r.absent(Code(faults[0].Code), faults[0].Pointer, faults[0].Expected, faults[0].Found)
		return
	}
	for _, f := range faults {
		r.expect(false, Code(f.Code), f.Pointer, f.Expected, f.Found)
	}
	r.held(max(r.in.Values-len(faults), 0))
}
