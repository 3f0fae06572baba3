package object

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"io"

	"github.com/svc-edge/svc-verify/bundle"
	"github.com/svc-edge/svc-verify/forensics/store"
	"github.com/svc-edge/svc-verify/internal/form"
	"github.com/svc-edge/svc-verify/internal/ijson"
	"github.com/svc-edge/svc-verify/trust"
	"github.com/svc-edge/svc-verify/verify"
)

// Most is the largest number of bytes of an object that is judged in memory.
const Most = form.MaxBundle

// ErrChanged reports an object whose bytes were no longer the hashed ones when it was judged.
var ErrChanged = errors.New("it changed while it was read")

// Options configure how objects are judged.
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

// Context returns the context that the judgements depend on, besides the bytes.
func (j *Judge) Context() Context { return j.context }

// Policy returns the demands of the judgements beyond the trust file.
func (j *Judge) Policy() verify.Policy { return j.o.Policy }

// Err returns an error if no judgement counts, because two implementations of
// Ed25519 disagreed. Ask before a judgement is used.
func (j *Judge) Err() error { return j.session.Err() }

// File is an object that was opened and hashed.
type File struct {
	Octets io.ReaderAt
	Size   int64
	SHA256 [sha256.Size]byte
}

// Octets judges an object in memory, of at most [Most] bytes. An error is none of the object:
// there was no room for a temporary case, or ctx was done.
func (j *Judge) Octets(ctx context.Context, octets []byte) (Judgement, error) {
	if isCase, err := store.IsCase(bytes.NewReader(octets)); isCase || err != nil || !beginsAsObject(octets) {
		return j.other(ctx, octets)
	}
	in := bundle.Open(octets)
	switch {
	case in.Foreign || in.Bundle == nil && isLines(octets):
		return j.other(ctx, octets)
	case in.Bundle == nil && !namesParts(octets):
		// It is damaged: a part of a bundle, or of logs.
		if judged, err := j.other(ctx, octets); judged.Kind != Other || err != nil {
			return judged, err
		}
	}
	return j.bundle(in), nil
}

// other judges an object that is no bundle.
func (j *Judge) other(ctx context.Context, octets []byte) (Judgement, error) {
	return j.File(ctx, File{bytes.NewReader(octets), int64(len(octets)), sha256.Sum256(octets)})
}

// File judges an object that is no single bundle, such as one of more than [Most] bytes. The
// error is [ErrChanged], or none of the object.
func (j *Judge) File(ctx context.Context, f File) (Judgement, error) {
	isCase, err := store.IsCase(f.Octets)
	if err != nil {
		return Judgement{}, err
	}
	if isCase {
		return j.examine(ctx, f, Case)
	}
	if open, err := f.unsettled(); open || err != nil {
		return unsettled(), err
	}
	found, err := f.hasEvidence(ctx)
	if err != nil || !found {
		return Judgement{Kind: Other}, err
	}
	return j.examine(ctx, f, Logs)
}

// beginsAsObject reports whether the bytes begin as a JSON object does, or there are none but
// white space.
func beginsAsObject(octets []byte) bool {
	octets = bytes.TrimLeft(bytes.TrimPrefix(octets, []byte("\xef\xbb\xbf")), " \t\n\r")
	return len(octets) == 0 || octets[0] == '{'
}

// isLines reports whether bytes are lines of JSON, as journals are: the first one is a
// document, and not the only one. If it is a bundle the second one is a document too: else
// there is something behind a bundle.
func isLines(octets []byte) bool {
	first, rest, _ := bytes.Cut(bytes.TrimLeft(octets, " \t\n\r"), []byte("\n"))
	second, _, _ := bytes.Cut(bytes.TrimLeft(rest, " \t\n\r"), []byte("\n"))
	if len(first) == 0 || len(second) == 0 {
		return false
	}
	_, fault := ijson.Parse(first)
	if fault == nil && namesParts(first) {
		_, fault = ijson.Parse(second)
	}
	return fault == nil
}

// namesParts reports whether a document names parts that no document but a bundle
// has.
func namesParts(octets []byte) bool {
	for _, name := range []string{bundle.ProtocolBundle, bundle.ProtocolManifest, `"audit_path"`} {
		if bytes.Contains(octets, []byte(name)) {
			return true
		}
	}
	return false
}
