package tasks

import (
	"fmt"
	"path"
	"runtime"
	"strings"
)

// Panic is a panic of a call of [Guard].
type Panic struct {
	Cause string // the text of the panic
	Place string // the function, file and line of the panic
}

// Error implements error.
func (e *Panic) Error() string {
	return fmt.Sprintf("a fault of svc-verify (%s, in %s) ended the examination: report it; the rest was not examined",
		e.Cause, e.Place)
}

// Guard calls a function. It returns its error, or a [Panic] if it panics. The caller must
// drop anything that the function left half done.
func Guard(call func() error) (err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = &Panic{fmt.Sprint(cause), panicPlace()}
		}
	}()
	return call()
}

// panicPlace returns where the panic began that is being recovered.
func panicPlace() string {
	var callers [32]uintptr
	frames := runtime.CallersFrames(callers[:runtime.Callers(1, callers[:])])
	for panics := false; ; {
		f, more := frames.Next()
		ours := !strings.HasPrefix(f.Function, "runtime.")
		if panics && ours {
			return fmt.Sprintf("%s, %s:%d", path.Base(f.Function), path.Base(f.File), f.Line)
		}
		if panics = panics || !ours; !more {
			return "an unknown place"
		}
	}
}
