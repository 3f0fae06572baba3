package fleet

import (
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/harness/dumps"
	"github.com/svc-edge/svc-verify/internal/check"
)

func evidence() *Edited {
	return &Edited{Evidence: &Evidence{Files: map[string]File{
		"a/one": Bytes([]byte("1\n2\n3\n")), "a/two": Bytes([]byte("x")), "empty": Bytes(nil),
	}}}
}

func TestEdits(t *testing.T) {
	for want, edit := range map[string]func(*Edited){
		"1\n22\n3\n":    func(e *Edited) { e.OnLine("a/one", 2, func([]byte) []byte { return []byte("22\n") }) },
		"2\n3\n":        func(e *Edited) { e.Edit("a/one", func(lines [][]byte) [][]byte { return lines[1:] }) },
		"1\n2\n3\n4\n":  func(e *Edited) { e.AddLine("a/one", []byte("4")) },
		"1\n2\n":        func(e *Edited) { e.Cut("a", 2) },
		"":              func(e *Edited) { e.Cut("a", 99) },
		"1\ntwo\n3\n":   func(e *Edited) { e.Replace("a", "2", "two") },
		"1\n2\n3\n1\n":  func(e *Edited) { e.Put("a/one", dumps.Gzip([]byte("1\n2\n3\n"), []byte("1\n"))); inflated(e) },
		"nothing of it": func(e *Edited) { e.Put("a/one", []byte("nothing of it")) },
	} {
		e := evidence()
		edit(e)
		got := string(e.Read("a/one"))
		check.That(t, got == want && e.Err == nil, "expected %q, found %q, %v", want, got, e.Err)
	}
}

func inflated(e *Edited) {
	name, plain := e.Inflate("a")
	e.Put(name, plain)
}

// TestFirstFaultStays: later edits do not hide a fault.
func TestFirstFaultStays(t *testing.T) {
	for want, edit := range map[string]func(*Edited){
		"no file below b": func(e *Edited) { e.First("b") },
		"no line in":      func(e *Edited) { e.OnLine("empty", 1, nil) },
		"no absent":       func(e *Edited) { e.Replace("a", "absent", "") },
		"a/one":           func(e *Edited) { e.Inflate("a") },
		"there":           func(e *Edited) { e.Read("there") },
	} {
		e := evidence()
		edit(e)
		e.Fail(None("other fault"))
		check.That(t, e.Err != nil && strings.Contains(e.Err.Error(), want),
			"expected an error with %q, found %v", want, e.Err)
	}
}
