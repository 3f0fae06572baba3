package secretstore_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/service/secretstore"
)

// point is a moment at which the outside world is touched or something becomes
// durable.
type point struct {
	number int    // from 0 on, in the order of a run
	name   string // the operation
}

func (p point) String() string { return fmt.Sprintf("%d %s", p.number, p.name) }

// outcome is the result of an action at a point.
type outcome string

const (
	fine        outcome = ""
	crashBefore outcome = "crash before"
	crashAfter  outcome = "crash after" // and the answer is lost
	stopBefore  outcome = "stop before" // the node's context ends
	stopAfter   outcome = "stop after"  // likewise, and the answer is lost
	failUndone  outcome = "error, not done"
	failDone    outcome = "error, but done"
	failRefused outcome = "refused with 503"
	lateRead    outcome = "error, done after the next read"
	lateWrite   outcome = "error, done after the next write"
	lateHealthy outcome = "error, done when all is well again"
	crashRead   outcome = "crash, done after the next read"
	crashWrite  outcome = "crash, done after the next write"
	crashWell   outcome = "crash, done when all is well again"
	crashGone   outcome = "crash, and the file is gone"
	otherAnswer outcome = "not done, and the answer tells of another version"
	falseAnswer outcome = "not done, and the answer tells of a conflict"
	falseAbsent outcome = "there, and the answer tells of none"
	doneTwice   outcome = "done twice, and answered once"
	answerTwice outcome = "done twice, and the second answer comes"
)

// Outcomes of each kind of point.
var (
	writeOutcomes = []outcome{
		crashBefore, crashAfter, stopBefore, stopAfter, failUndone, failDone, failRefused,
		lateRead, lateWrite, lateHealthy, crashRead, crashWrite, crashWell, otherAnswer, falseAnswer,
		doneTwice, answerTwice,
	}
	readOutcomes = []outcome{crashBefore, stopBefore, failUndone, failRefused}
	keepOutcomes = []outcome{crashBefore, crashAfter, failUndone, failDone}
	workOutcomes = []outcome{crashBefore, crashAfter, stopBefore, stopAfter, failUndone}
	waitOutcomes = []outcome{crashBefore, stopBefore}
	fileOutcomes = []outcome{crashGone}
)

// outcomes are those that a point can have.
func (p point) outcomes() []outcome {
	switch p.name[:4] {
	case "keep":
		return keepOutcomes
	case "read", "meta":
		return readOutcomes
	case "relo", "prob":
		return workOutcomes
	case "wait":
		return waitOutcomes
	case "file":
		return fileOutcomes
	}
	return writeOutcomes
}

// changes reports whether a point changes anything: reads and waiting do not.
func (p point) changes() bool {
	return !slices.Contains([]string{"read", "meta", "wait"}, p.name[:4])
}

// pass passes a point, and returns its outcome. A node that is dead does nothing any more.
func (w *world) pass(name string) outcome {
	if w.dead {
		panic(stopped{})
	}
	w.look()
	p := point{len(w.points), name}
	w.points = append(w.points, p)
	if w.script == nil {
		return fine
	}
	return w.script(p)
}

// look notes the files that the node has made since.
func (w *world) look() {
	entries, err := os.ReadDir(w.settings.ManagedDirectory.Path)
	if err != nil {
		return // a test took the directory away
	}
	for _, e := range entries {
		if !w.files[e.Name()] {
			w.files[e.Name()] = true
			p := point{len(w.points), "file " + e.Name()}
			w.points = append(w.points, p)
			if w.script != nil && w.script(p) == crashGone {
				_ = os.Remove(filepath.Join(w.settings.ManagedDirectory.Path, e.Name()))
				w.stop()
			}
		}
	}
}

// Moments at which a write lands that was on its way.
const (
	atRead    = "read"
	atWrite   = "write"
	atHealthy = "healthy"
)

// line is the connection between node and store, with its faults.
type line struct {
	w     *world
	inner secretstore.Store
	late  []lateWriting
	tries int  // writes that the node tried
	down  bool // nothing arrives

	stamp, stamped string // updated_at of the newest pointer, and its digest
}

type lateWriting struct {
	moment string
	try    int // which of them it was
	write  func()
}

// land lets the writes that wait for a moment arrive. A write that the node tried just now is
// not late yet.
func (l *line) land(moment string) {
	waiting := l.late
	l.late = nil
	for _, late := range waiting {
		if late.moment == moment && (moment != atWrite || late.try < l.tries) || moment == atHealthy {
			late.write()
		} else {
			l.late = append(l.late, late)
		}
	}
}

var errLost = errors.New("the connection was lost")

func (l *line) Metadata(ctx context.Context, path string) (m secretstore.Metadata, err error) {
	if err := l.reading(ctx, "metadata "+path); err != nil {
		return m, err
	}
	defer l.land(atRead)
	return l.inner.Metadata(ctx, path)
}

func (l *line) Read(ctx context.Context, path string) (o seal.Object, m secretstore.Metadata, err error) {
	if err := l.reading(ctx, "read "+path); err != nil {
		return nil, m, err
	}
	defer l.land(atRead)
	return l.inner.Read(ctx, path)
}

// reading passes the point of something that changes nothing.
func (l *line) reading(ctx context.Context, name string) error {
	out := l.w.pass(name)
	l.w.interrupted(out, crashBefore, stopBefore)
	switch out {
	case failUndone:
		return errLost
	case failRefused:
		return &secretstore.RefusedError{Status: 503}
	case falseAbsent:
		l.w.tampered = true // to the node, it has come back
		return secretstore.ErrAbsent
	}
	if l.down && ctx.Err() == nil {
		return errLost
	}
	return ctx.Err()
}

func (l *line) Write(ctx context.Context, path string, cas int64, record seal.Object) (secretstore.Metadata, error) {
	out := l.w.pass(l.name(path, record))
	if err := ctx.Err(); err != nil {
		return secretstore.Metadata{}, err
	}
	if path == "pointer" {
		l.checkStamp(record)
	}
	if l.down {
		return secretstore.Metadata{}, errLost
	}
	l.tries++
	defer l.land(atWrite)
	write := func() (secretstore.Metadata, error) {
		m, err := l.inner.Write(context.Background(), path, cas, record)
		l.w.wrote(path, record, err)
		return m, err
	}
	postpone := func(moment string) {
		l.late = append(l.late, lateWriting{moment, l.tries, func() { _, _ = write() }})
	}
	switch out {
	case crashAfter, stopAfter, failDone:
		_, _ = write()
	case lateRead, crashRead:
		postpone(atRead)
	case lateWrite, crashWrite:
		postpone(atWrite)
	case lateHealthy, crashWell:
		postpone(atHealthy)
	case fine, answerTwice:
		if out == answerTwice {
			_, _ = write()
		}
		return write()
	case doneTwice:
		defer func() { _, _ = write() }()
		return write()
	}
	switch out {
	case crashBefore, crashAfter, crashRead, crashWrite, crashWell:
		l.w.stop()
	case stopBefore, stopAfter:
		l.w.cancel()
		return secretstore.Metadata{}, ctx.Err()
	case failRefused:
		return secretstore.Metadata{}, &secretstore.RefusedError{Status: 503}
	case falseAnswer:
		return secretstore.Metadata{}, secretstore.ErrConflict
	case otherAnswer:
		return secretstore.Metadata{Version: cas + 77}, nil
	}
	return secretstore.Metadata{}, errLost
}

// checkStamp checks that every pointer is newer than all that the node wrote
// before, unless it is the same again.
func (l *line) checkStamp(record seal.Object) {
	stamp, digest := seal.Text(record, "updated_at"), seal.Digest(record)
	check.That(l.w.t, stamp >= l.stamp && (stamp != l.stamp || digest == l.stamped),
		"after a pointer of %s comes another one of %s", l.stamp, stamp)
	l.stamp, l.stamped = stamp, digest
}

// name returns the meaning of a write, by the content of the store.
func (l *line) name(path string, record seal.Object) string {
	if path != "pointer" {
		return "write " + path
	}
	before := l.w.place.read(l.w.t, "pointer", 0).record
	is := func(a, b string) bool { return seal.Text(before, a) == seal.Text(record, b) }
	switch {
	case before == nil:
		return "place pointer"
	case is("standby", "active"):
		return "move"
	case !is("active", "active"):
		return "restore"
	case !is("standby", "standby") && seal.Text(record, "standby") != "":
		return "stage"
	case !is("previous", "previous") && is("standby", "standby"):
		return "release"
	}
	return "restore"
}
