package check

import (
	"errors"
	"fmt"
	"iter"
	"maps"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
)

// Ways are the ways through the functions of a package on which something is called, and the one
// on which the call fails. A test tries each, and wants the error back.
type Ways struct {
	Package string // its last name
	Fails   string // the way on which a call fails, "" for none

	mu   sync.Mutex
	seen map[string]bool
}

// ErrWay is the error of a call that fails.
var ErrWay = errors.New("it cannot be read")

// Seen returns the ways of all calls so far, ascending.
func (w *Ways) Seen() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Sorted(maps.Keys(w.seen))
}

func (w *Ways) noteCall() error {
	callers := make([]uintptr, 64)
	frames := runtime.CallersFrames(callers[:runtime.Callers(2, callers)])
	way := ""
	for more := true; more; {
		var frame runtime.Frame
		frame, more = frames.Next()
		if strings.Contains(frame.Function, "/"+w.Package+".") && !strings.HasSuffix(frame.File, "_test.go") {
			way += fmt.Sprintf(" %s:%d", filepath.Base(frame.File), frame.Line)
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.seen == nil {
		w.seen = map[string]bool{}
	}
	if w.seen[way] = true; way == w.Fails {
		return ErrWay
	}
	return nil
}

// OrFails returns the result of a call, or [ErrWay] on the way that fails.
func OrFails[V any](w *Ways, v V, err error) (V, error) {
	if fault := w.noteCall(); fault != nil {
		return *new(V), fault
	}
	return v, err
}

// UntilFails yields a sequence, or [ErrWay] alone on the way that fails.
func UntilFails[V any](w *Ways, all iter.Seq2[V, error]) iter.Seq2[V, error] {
	return func(yield func(V, error) bool) {
		if fault := w.noteCall(); fault != nil {
			yield(*new(V), fault)
			return
		}
		all(yield)
	}
}
