//go:build unix

package userkey

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// headAt is a head of the case at a place.
func headAt(place string, number int64) Head {
	return Head{place, "case", fmt.Sprint(place, number), number}
}

// TestHeads: of each place the last head is kept, the newest last, and of too many places the
// oldest is forgotten.
func TestHeads(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	check.Equal(t, len(must.Get(Heads())(t)), 0, "heads without a file")
	must.Do(t, KeepHead(headAt("a", 7)))
	must.Do(t, KeepHead(headAt("b", 1)))
	must.Do(t, KeepHead(headAt("a", 3)))
	want := []Head{headAt("b", 1), headAt("a", 3)}
	got := must.Get(Heads())(t)
	check.That(t, slices.Equal(got, want), "%v, want %v", got, want)
	must.Do(t, KeepHead(headAt("a", 0)))
	got = must.Get(Heads())(t)
	check.That(t, slices.Equal(got, want[:1]), "after one was forgotten: %v", got)
	for i := range mostHeads {
		must.Do(t, KeepHead(headAt(fmt.Sprint(i), 1)))
	}
	got = must.Get(Heads())(t)
	check.That(t, len(got) == mostHeads && got[0] == headAt("0", 1), "%d heads, from %v", len(got), got[0])
}

// TestHeadsAtOnce: commands that write at the same time lose nothing.
func TestHeadsAtOnce(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	must.Do(t, KeepHead(headAt("first", 1)))
	const places = 16
	var all sync.WaitGroup
	for i := range places {
		all.Go(func() { check.Do(t, KeepHead(headAt(fmt.Sprint(i), 1))) })
	}
	all.Wait()
	check.Equal(t, len(must.Get(Heads())(t)), places+1, "heads")
}

// TestHeadsRefused: a file that others could have written to, or that has another form, has no
// heads, and is not written over.
func TestHeadsRefused(t *testing.T) {
	content := func(text string) func(path string) error {
		return func(path string) error { return os.WriteFile(path, []byte(text), 0o600) }
	}
	for what, damage := range map[string]func(path string) error{
		"others read it":     func(path string) error { return os.Chmod(path, 0o604) },
		"a link":             moveAndLink,
		"no JSON":            content("heads"),
		"another form":       content(`[{"number":"1"}]`),
		"too long":           content("[" + strings.Repeat(" ", maxHeads) + "]"),
		"a directory":        func(path string) error { return errors.Join(os.Remove(path), os.Mkdir(path, 0o700)) },
		"others use the dir": func(path string) error { return os.Chmod(filepath.Dir(path), 0o701) },
	} {
		t.Run(what, func(t *testing.T) {
			state := t.TempDir()
			t.Setenv("XDG_STATE_HOME", state)
			must.Do(t, KeepHead(headAt("a", 1)))
			must.Do(t, damage(filepath.Join(state, directory, headsName)))
			all, err := Heads()
			check.That(t, err != nil, "heads: %v", all)
			check.That(t, KeepHead(headAt("b", 1)) != nil, "a head was kept")
		})
	}
	state := t.TempDir()
	t.Setenv("XDG_STATE_HOME", state)
	must.Do(t, KeepHead(headAt("a", 1)))
	must.Do(t, os.WriteFile(filepath.Join(state, directory, headsName), nil, 0o600))
	check.Do(t, KeepHead(headAt("a", 1))) // as after a crash of the machine
}
