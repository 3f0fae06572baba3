package run

import (
	"github.com/svc-edge/svc-verify/archive/object"
	"github.com/svc-edge/svc-verify/outcome"
)

// Change is what became of one object in a run (SPEC 15.4).
type Change struct {
	Path  string
	Class string // a class of package archive, or Accepted
	From  string // the path that it had before; "" unless it moved

	Before *State // nil if the object was not known
	After  *State // nil if it is not there any more

	Acceptance *Acceptance // nil unless the class is Accepted
}

// Accepted is the class of a change by which the owner accepted an object as it is.
const Accepted = "accepted"

// State is what an object was before or after a change.
type State struct {
	Size    int64
	SHA256  Digest        // zeros, with the size 0, if it was never read
	Verdict outcome.Class // "" if there is none
	Code    string        // of the finding that decides; "" if there is none
	Wrong   string        // as in Object
}

// Acceptance is who accepted an object, and why.
type Acceptance struct {
	At     int64 // milliseconds since 1970
	By     string
	Reason string
}

// Line returns the change as a document, without a newline.
func (c *Change) Line() []byte {
	w := writer{}
	if a := c.Acceptance; a != nil {
		w.name("accepted")
		inner := writer{}
		inner.time("at", a.At)
		inner.text("by", a.By)
		inner.text("reason", a.Reason)
		w.b = append(w.b, inner.end()...)
	}
	w.state("after", c.After)
	w.state("before", c.Before)
	w.text("class", c.Class)
	if c.From != "" {
		w.text("from", object.PathText(c.From))
	}
	w.text("path", object.PathText(c.Path))
	return w.end()
}

func (w *writer) state(name string, s *State) {
	if s == nil {
		return
	}
	w.name(name)
	inner := writer{}
	if s.Code != "" {
		inner.text("code", s.Code)
	}
	if s.SHA256 != (Digest{}) {
		inner.bytes("sha256", s.SHA256)
		inner.int("size", s.Size)
	}
	if s.Verdict != "" {
		inner.text("verdict", string(s.Verdict))
	}
	if s.Wrong != "" {
		inner.text("wrong", s.Wrong)
	}
	w.b = append(w.b, inner.end()...)
}
