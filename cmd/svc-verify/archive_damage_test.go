package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/harness/chance"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// TestDamagedSeals damages every file that the commands of testdata/seal-readers.txt read. Each command
// ends with an answer, and never with 0 if something was changed that matters.
func TestDamagedSeals(t *testing.T) {
	readers := must.Rows(t, "testdata", "seal-readers.txt")
	s := newSealedScene(t)
	draw, tried := chance.New(22).Stream("damage"), 0
	for _, row := range readers {
		line := strings.NewReplacer("NEWEST", s.newest, "JUDGED", judgedAt).Replace(row[0])
		matter, reads := strings.Fields(row[1]), strings.Fields(row[2])
		s.must(t, line) // the control: nothing is damaged
		s.restore(t)
		for _, name := range slices.Sorted(maps.Keys(s.files)) {
			begins := func(prefix string) bool { return strings.HasPrefix(name, prefix) }
			matters := slices.ContainsFunc(matter, begins) &&
				(!strings.HasPrefix(filepath.Ext(name), ".leaves") || strings.Contains(line, " data"))
			if !matters && !slices.ContainsFunc(reads, begins) {
				continue
			}
			for _, d := range s.damages(t, name, draw) {
				every := chance.Sized(2, 60)
				if tried++; tried%every != 0 {
					continue
				}
				d.do(t, name)
				code, stdout, stderr := call(nil, strings.Fields(line)...)
				if at := unanswered(code, stdout, stderr); at != "" || code == 0 && matters && !d.harmless(name) {
					t.Errorf("%s: %s %s: exit code %d %s\n%s%s", line, name, d.what, code, at, stdout, stderr)
				}
				s.restore(t)
			}
		}
	}
	check.That(t, tried >= 1000, "only %d damages were tried", tried)
}

// unanswered returns the fault of an answer.
func unanswered(code int, stdout, stderr string) string {
	switch {
	case code < 0 || code > 3:
		return "no exit code of the program"
	case strings.Contains(stdout+stderr, "goroutine"):
		return "a stack trace"
	case code != 0 && stderr == "":
		return "no sentence"
	}
	for line := range strings.Lines(stderr) {
		if !strings.HasPrefix(line, "svc-verify: ") && !(code == 2 && strings.HasPrefix(line, "Run 'svc-verify ")) {
			return "a line that is no sentence"
		}
	}
	return ""
}

// damage is one thing that happens to a file.
type damage struct {
	what string
	doc  []byte // nil if the file is removed
}

func (d damage) do(t *testing.T, name string) {
	t.Helper()
	if d.doc == nil {
		must.Do(t, os.Remove(name))
		return
	}
	must.Do(t, os.WriteFile(name, d.doc, 0o600))
}

// harmless reports whether a command need not notice the damage: a list of leaves can be
// absent, as the root of the seal commits to them; so can a record; and a manifest of tag files need not
// list them all.
func (d damage) harmless(name string) bool {
	absent := strings.HasPrefix(name, "s.seal.leaves") || strings.HasSuffix(name, ".er")
	return d.doc == nil && absent || name == "bag/tagmanifest-sha512.txt"
}

// damages returns the kinds of damage to a file: truncations, changed bytes, other documents
// and files, and members of JSON that are null or of another kind.
func (s *sealedScene) damages(t *testing.T, name string, draw *chance.Stream) []damage {
	doc := s.files[name]
	all := []damage{{"is removed", nil}}
	add := func(what string, to []byte) {
		if !bytes.Equal(doc, to) {
			all = append(all, damage{what, append([]byte{}, to...)})
		}
	}
	for _, n := range []int{0, 1, len(doc) / 2, len(doc) - 1, draw.Below(len(doc)), draw.Below(len(doc))} {
		add(fmt.Sprintf("is cut at %d", n), doc[:n])
	}
	for range 6 {
		at, to := draw.Below(len(doc)), bytes.Clone(doc)
		to[at] ^= byte(1 + draw.Below(255))
		add(fmt.Sprintf("has another octet at %d", at), to)
	}
	for _, other := range []string{"null", "{}", "[]", "\"\"", "0", "null\n", "{}\n", "[]\n", "\x30\x00", "\x30\x80"} {
		add(fmt.Sprintf("is %q", other), []byte(other))
	}
	names := slices.Sorted(maps.Keys(s.files))
	for range 3 {
		other := names[draw.Below(len(names))]
		add("is "+other, s.files[other])
	}
	lines := bytes.Split(doc, []byte("\n"))
	for i, line := range lines {
		var root any
		if json.Unmarshal(line, &root) != nil || strings.HasPrefix(name, "data/") {
			continue
		}
		eachMember(root, func(place string, _ any, set func(any)) {
			to := []any{nil, map[string]any{}, []any{}, "", -1}[draw.Below(5)]
			set(to)
			changed := slices.Clone(lines)
			changed[i] = must.Get(json.Marshal(root))(t) // canonical, but for null
			add(fmt.Sprintf("has %#v at %d%s", to, i, place), bytes.Join(changed, []byte("\n")))
		})
	}
	return all
}

// eachMember calls f for every member and element of a document, with its value and a function that sets another
// one. The document is as before afterwards.
func eachMember(v any, f func(place string, old any, set func(any))) {
	switch v := v.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			old := v[name]
			eachMember(old, func(place string, inner any, set func(any)) { f("/"+name+place, inner, set) })
			f("/"+name, old, func(to any) { v[name] = to })
			v[name] = old
		}
	case []any:
		for i, old := range v {
			eachMember(old, func(place string, inner any, set func(any)) { f(fmt.Sprint("/", i, place), inner, set) })
			f(fmt.Sprint("/", i), old, func(to any) { v[i] = to })
			v[i] = old
		}
	}
}
