package object

import (
	"errors"

	"github.com/svc-edge/svc-verify/internal/form"
	"github.com/svc-edge/svc-verify/trust"
	"github.com/svc-edge/svc-verify/verify"
)

// Most is how many octets an object can have that is judged in memory.
const Most = form.MaxBundle

// ErrChanged reports an object whose octets were no longer those that were hashed
// when it was judged.
var ErrChanged = errors.New("it changed while it was read")

// Options are what objects are judged with.
type Options struct {
	Root    *trust.Root
	Policy  verify.Policy
	TempDir string // for temporary cases; "" is where temporary files usually are
	Workers int    // that walk the logs of one object, at least 1
}

// Judge judges objects in one context. It is safe for concurrent use. Bundles are
// judged side by side, logs and cases one after the other.
type Judge struct {
	o       Options
	session *trust.Session
	context Context
	logs    chan struct{} // holds a value while logs or a case are judged
}

// NewJudge returns a judge.
func NewJudge(o Options) *Judge {
	return &Judge{o: o, session: trust.NewSession(o.Root, trust.SessionMemory), context: ContextOf(o.Root, o.Policy),
		logs: make(chan struct{}, 1)}
}

// Context returns what the judgements depend on, beside the octets.
func (j *Judge) Context() Context { return j.context }

// Policy returns what the judgements demand beyond the trust file.
func (j *Judge) Policy() verify.Policy { return j.o.Policy }
