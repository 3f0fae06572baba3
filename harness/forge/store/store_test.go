package store

import (
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/harness/fleet"
	"github.com/svc-edge/svc-verify/internal/check"
)

func evidence() *Evidence {
	return &Evidence{Evidence: &fleet.Evidence{Files: map[string]fleet.File{
		"a/one": fleet.Bytes([]byte("1\n2\n3\n")), "a/two": fleet.Bytes([]byte("x")), "empty": fleet.Bytes(nil),
	}}}
}

func TestEdits(t *testing.T) {
	for want, edit := range map[string]func(*Evidence){
		"1\n22\n3\n":    func(e *Evidence) { e.OnLine("a/one", 2, func([]byte) []byte { return []byte("22\n") }) },
		"2\n3\n":        func(e *Evidence) { e.Edit("a/one", func(lines [][]byte) [][]byte { return lines[1:] }) },
		"1\n2\n3\n4\n":  func(e *Evidence) { e.AddLine("a/one", []byte("4")) },
		"1\n2\n":        func(e *Evidence) { e.Cut("a", 2) },
		"":              func(e *Evidence) { e.Cut("a", 99) },
		"1\ntwo\n3\n":   func(e *Evidence) { e.Replace("a", "2", "two") },
		"1\n2\n3\n1\n":  func(e *Evidence) { e.Deflate("a/one", []byte("1\n2\n3\n"), []byte("1\n")); inflated(e) },
		"nothing of it": func(e *Evidence) { e.Put("a/one", []byte("nothing of it")) },
	} {
		e := evidence()
		edit(e)
		if got := string(e.Read("a/one")); got != want || e.Err != nil {
			t.Errorf("expected %q, found %q, %v", want, got, e.Err)
		}
	}
}

func inflated(e *Evidence) {
	name, plain := e.Inflate("a")
	e.Put(name, plain)
}

// TestFirstFaultStays: what follows a fault does not hide it.
func TestFirstFaultStays(t *testing.T) {
	for want, edit := range map[string]func(*Evidence){
		"no file below b": func(e *Evidence) { e.First("b") },
		"no line in":      func(e *Evidence) { e.OnLine("empty", 1, nil) },
		"no absent":       func(e *Evidence) { e.Replace("a", "absent", "") },
		"a/one":           func(e *Evidence) { e.Inflate("a") },
		"there":           func(e *Evidence) { e.Read("there") },
	} {
		e := evidence()
		edit(e)
		e.Fail(None("other fault"))
		check.That(t, e.Err != nil && strings.Contains(e.Err.Error(), want),
			"expected an error with %q, found %v", want, e.Err)
	}
}
