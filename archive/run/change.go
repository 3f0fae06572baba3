package run

import (
	"encoding/hex"
	"encoding/json"

	"github.com/svc-edge/svc-verify/archive/codec"
	"github.com/svc-edge/svc-verify/internal/form"
	"github.com/svc-edge/svc-verify/internal/ijson"
	"github.com/svc-edge/svc-verify/outcome"
)

// Change is the change of one object in a run (SPEC 15.4).
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

// State is the state of an object before or after a change.
type State struct {
	Size    int64
	SHA256  Digest        // zeros, with the size 0, if it was never read
	Verdict outcome.Class // "" if there is none
	Code    string        // of the finding that decides; "" if there is none
	Wrong   string        // as in Object
}

// MarshalJSON writes the state as answers have it: with every member.
func (s *State) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Size    int64         `json:"size"`
		SHA256  string        `json:"sha256"`
		Verdict outcome.Class `json:"verdict"`
		Code    string        `json:"code"`
		Wrong   string        `json:"wrong"`
	}{s.Size, hex.EncodeToString(s.SHA256[:]), s.Verdict, s.Code, s.Wrong})
}

// Acceptance is who accepted an object, and why.
type Acceptance struct {
	At     int64 // milliseconds since 1970
	By     string
	Reason string
}

// describeMembers describes the line of a change (SPEC 15.4).
func (c *Change) describeMembers(m *codec.Members) {
	codec.Part(m, "accepted?", &c.Acceptance, (*Acceptance).describeMembers)
	codec.Part(m, "after?", &c.After, (*State).describeMembers)
	codec.Part(m, "before?", &c.Before, (*State).describeMembers)
	m.Text("class", &c.Class, "lower-case letters and hyphens", isName)
	PackPath(m, "from?", &c.From)
	PackPath(m, "path", &c.Path)
	if v := m.Value; v != nil && v.Kind() == ijson.Object && (c.Class == Accepted) != (c.Acceptance != nil) {
		m.Fault(v, form.BadValue, "the member accepted exactly for the class accepted", "otherwise")
	}
}

func (a *Acceptance) describeMembers(m *codec.Members) {
	m.Moment("at", &a.At)
	PackText(m, "by", &a.By)
	PackText(m, "reason", &a.Reason)
}

func (s *State) describeMembers(m *codec.Members) {
	if m.Has("size") != m.Has("sha256") {
		m.Fault(m.Value, form.BadValue, "sha256 and size, or none of them", "one")
	}
	m.Text("code?", &s.Code, "a code of svc-verify", form.Identifier[string])
	if !m.Writing() || s.SHA256 != (Digest{}) {
		m.Hash("sha256?", &s.SHA256)
		codec.Number(m, "size?", &s.Size, 0, form.MaxInt)
	}
	packVerdict(m, &s.Verdict)
	packWrong(m, &s.Wrong)
}

// Line returns the change as a document, without a newline.
func (c *Change) Line() []byte {
	m := codec.WriteMembers(nil)
	c.describeMembers(&m)
	return m.End()
}
