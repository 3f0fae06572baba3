package verify

import "github.com/svc-edge/svc-verify/bundle"

// wellFormed is SPEC 8.1. It counts every value of the document.
func wellFormed(r *run, _ *bundle.Bundle) {
	faults := r.in.Faults
	if r.in.Empty() {
		f := faults[0]
		r.noteAbsent(Code(f.Code), f.Path, f.Expected, f.Found)
		return
	}
	for _, f := range faults {
		r.expect(false, Code(f.Code), f.Path, f.Expected, f.Found)
	}
	r.noteHeld(max(r.in.Values-len(faults), 0))
}
