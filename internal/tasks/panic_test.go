package tasks_test

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/tasks"
)

func outOfRange(b []byte, i int) byte { return b[i] }

func TestGuard(t *testing.T) {
	for name, call := range map[string]func(){
		"index":        func() { outOfRange(nil, 7) },
		"nil":          func() { var p *[4]byte; p[len(name())] = 1 },
		"by its words": func() { panic("no luck") },
	} {
		err := tasks.Guard(func() error { call(); return nil })
		var f *tasks.Panic
		check.That(t, errors.As(err, &f) && strings.Contains(f.Place, "panic_test.go:") && f.Cause != "", "%s: %v", name,
			err)
	}
	if err := tasks.Guard(func() error { return io.EOF }); err != io.EOF {
		t.Error(err)
	}
}

func name() string { return "abc" }
