package main

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

const plain = `package p

func TestShort(t *testing.T)      { _ = testing.Short() }
func TestSized(t *testing.T)      { _ = chance.Sized(2, 1) }
func TestByFunction(t *testing.T) { draws() }
func TestByMethod(t *testing.T)   { set{}.draw() }
func TestByValue(t *testing.T)    { each(t, draws) }
func TestDraws(t *testing.T)      { rapid.Check(t, nil) }
func TestSame(t *testing.T)       { draw(); testing.Verbose() }
func TestName(t *testing.T)       { draws := 1; _ = draws }

func draws() int       { return count() }
func count() int       { if testing.Short() { return 1 }; return 2 }
func draw() int        { return 1 }
func (s set) draw()    { draws() }
func each(any, any)    {}
`

const tagged = `//go:build linux && heavy

package p

func TestTagged(t *testing.T) {}
func helper()                 {}
`

const other = `//go:build linux

package p

func TestLinux(t *testing.T) { helper() } // heavy is only a word here
`

// TestLargerTests: a test is larger if it, or a function that it calls, depends on -short.
func TestLargerTests(t *testing.T) {
	var files []string
	for name, text := range map[string]string{"a_test.go": plain, "b_test.go": tagged, "c_test.go": other} {
		path := filepath.Join(t.TempDir(), name)
		must.Do(t, os.WriteFile(path, []byte(text), 0o600))
		files = append(files, path)
	}
	got := largerTests(files)
	slices.Sort(got)
	want := []string{"TestByFunction", "TestByMethod", "TestByValue", "TestDraws", "TestShort", "TestSized", "TestTagged"}
	check.That(t, slices.Equal(got, want), "found %v, want %v", got, want)
}
