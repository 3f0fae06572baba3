package edge

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/svc-edge/svc-verify/internal/access"
	"github.com/svc-edge/svc-verify/internal/form"
	"github.com/svc-edge/svc-verify/internal/safetext"
	"github.com/svc-edge/svc-verify/service/topic"
	"github.com/svc-edge/svc-verify/trust"
)

// Between two tries to reach a node there are at least leastPause, and twice as
// long after every further failure, up to mostPause.
const (
	leastPause = time.Second
	mostPause  = 30 * time.Second
)

// Watch reads the trust events of one node in their order.
type Watch struct {
	Client *Client
	Tenant string
	Topics []string // all if there are none
	Wait   time.Duration
	Cursor Cursor // where to go on; it moves as events are shown

	// Show gets one verified event as a line of canonical JSON. The cursor moves only if there
	// is no error.
	Show func(line []byte) error
	// Save keeps the cursor.
	Save func(Cursor) error
	// Rotated hears of a key that is accepted from here on, though it is not
	// pinned.
	Rotated func(Rotation)
	// Retrying hears why the node cannot be reached for now.
	Retrying func(error)

	began bool // the node and a sequence are known
	keys  *keyring
}

// Once shows the present events; up to [Watch.Wait] may pass until the first one.
func (w *Watch) Once(ctx context.Context) error {
	for wait := w.Wait; ; wait = 0 {
		before := w.Cursor
		if err := w.step(ctx, wait); err != nil || w.Cursor == before {
			return err
		}
	}
}

// Follow shows events as they come, until ctx ends. It tries again whenever the
// node cannot be reached; every other error ends it.
func (w *Watch) Follow(ctx context.Context) error {
	failures := 0
	for ctx.Err() == nil {
		before, began := w.Cursor, time.Now()
		err := w.step(ctx, w.Wait)
		switch {
		case err != nil && ctx.Err() != nil && errors.Is(err, context.Canceled):
			return nil
		case err != nil && !mayPass(err):
			return err
		case err != nil:
			failures++
			w.Retrying(err)
			pauseFor(ctx, backoffTime(failures))
			continue
		case w.Cursor == before: // a node that does not wait is not asked without end
			pauseFor(ctx, leastPause-time.Since(began))
		}
		failures = 0
	}
	return nil
}

// mayPass reports whether the cause of an error may pass by itself.
func mayPass(err error) bool {
	var unreachable *Unreachable
	var refused *Refused
	return errors.As(err, &unreachable) || errors.As(err, &refused) && refused.Status >= http.StatusInternalServerError
}

// backoffTime returns how long to wait after so many failures, from half of the
// bound up to the bound, so that many watchers do not come back at once.
func backoffTime(failures int) time.Duration {
	bound := min(mostPause, leastPause<<min(failures, 10))
	return bound/2 + rand.N(bound/2) // #nosec G404 -- no secret
}

func pauseFor(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}

// step asks once, and shows the new events. Every event is verified, shown and only then
// passed by the cursor, one after the other.
func (w *Watch) step(ctx context.Context, wait time.Duration) error {
	w.began = w.Cursor != (Cursor{})
	a, err := w.ask(ctx, wait)
	if err != nil {
		return err
	}
	if err := w.place(a); err != nil {
		return err
	}
	if err := w.prepare(a.cursor.Node); err != nil {
		return err
	}
	for _, e := range a.events {
		if err := w.pass(e); err != nil {
			return err
		}
	}
	return w.move(a.cursor)
}

// prepare makes the keys at the first answer: a digest names no key before.
func (w *Watch) prepare(node string) error {
	w.Cursor.Node = node
	if w.keys != nil {
		return nil
	}
	pinned, err := w.Client.pins.signing(w.Client.leaf)
	if err != nil {
		return err
	}
	w.keys = &keyring{pinned: append([]trust.PublicKey{}, pinned...), byID: map[string]trust.PublicKey{}}
	return nil
}

// pass verifies an event, shows it and moves the cursor behind it.
func (w *Watch) pass(e event) error {
	if err := w.verify(e); err != nil {
		return err
	}
	if e.topic == topic.IdentityRotated {
		rotation, err := w.keys.rotate(e)
		if err != nil {
			return &Unverified{"an event identity.rotated: " + err.Error()}
		}
		if rotation != nil {
			w.Rotated(*rotation)
		}
	}
	if err := w.Show(e.line()); err != nil {
		return err
	}
	return w.move(Cursor{w.Cursor.Node, e.sequence})
}

// move keeps a cursor, if it is not the one that is kept.
func (w *Watch) move(c Cursor) error {
	if w.began && c == w.Cursor {
		return nil
	}
	w.Cursor, w.began = c, true
	return w.Save(c)
}

// maxCursor bounds a cursor file in bytes: a node id, a dot, a sequence and a
// newline.
const maxCursor = 128

// Cursor is how far a subscriber has come: the node, and the sequence of the
// last event that was looked at. The zero Cursor is before the oldest event
// that any node still keeps.
type Cursor struct {
	Node     string
	Sequence int64
}

// String writes the cursor as the node reads it: <node id>.<sequence>.
func (c Cursor) String() string { return c.Node + "." + strconv.FormatInt(c.Sequence, 10) }

// ParseCursor reads a cursor in the one form that String writes.
func ParseCursor(s string) (Cursor, error) {
	i := strings.LastIndexByte(s, '.')
	if i < 0 || !form.Subject(s[:i]) {
		return Cursor{}, fmt.Errorf("expected a cursor such as mesh-oslo-1.42, found %s", safetext.Quote(s))
	}
	n, err := strconv.ParseInt(s[i+1:], 10, 64)
	if err != nil || n < 0 || n > form.MaxInt || strconv.FormatInt(n, 10) != s[i+1:] {
		return Cursor{}, fmt.Errorf("expected a cursor such as mesh-oslo-1.42, found %s", safetext.Quote(s))
	}
	return Cursor{s[:i], n}, nil
}

// ReadCursor reads a cursor file. A file that is not there holds the zero Cursor. Anything
// else is an error: it is unknown which events it covers.
func ReadCursor(path string) (Cursor, error) {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return Cursor{}, nil
	}
	if err != nil {
		return Cursor{}, quotedPath(path, err)
	}
	if !info.Mode().IsRegular() { // a link would be replaced, not its target
		return Cursor{}, fmt.Errorf("%s: expected a regular file, found %s", safetext.Quote(path), info.Mode().Type())
	}
	b, err := readFile(path, maxCursor)
	if err != nil {
		return Cursor{}, err
	}
	c, err := ParseCursor(strings.TrimSuffix(string(b), "\n"))
	if err != nil {
		return Cursor{}, fmt.Errorf("%s: %w", safetext.Quote(path), err)
	}
	return c, nil
}

// CheckCursorFile checks that a cursor can be put into a file, before an event is
// shown that could not be remembered.
func CheckCursorFile(path string) error {
	if err := access.Writable(path); err != nil {
		return quotedPath(path, errors.Unwrap(err))
	}
	return nil
}

// WriteFile puts the cursor into a file: after a crash at any moment the file
// holds either the cursor before or this one, whole.
func (c Cursor) WriteFile(path string) error {
	f, err := access.OpenAside(path)
	if err == nil {
		defer f.Discard()
		_, err = io.WriteString(f, c.String()+"\n")
	}
	if err == nil {
		err = f.Commit()
	}
	if err == nil {
		err = access.SyncFolder(filepath.Dir(path))
	}
	if err != nil {
		return fmt.Errorf("moving the cursor: %w", quotedPath(path, errors.Unwrap(err)))
	}
	return nil
}
