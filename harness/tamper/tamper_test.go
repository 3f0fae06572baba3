package tamper

import (
	"bytes"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/harness/fleet"
	"github.com/svc-edge/svc-verify/harness/forge"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

func build(t *testing.T) *fleet.Evidence {
	t.Helper()
	return must.Get(fleet.Build(fleet.Scene, 1, 0))(t)
}

// content is every file of the evidence, of the stores only the one named.
func content(t *testing.T, e *fleet.Evidence, named string) map[string]string {
	t.Helper()
	all := map[string]string{}
	for name, file := range e.Files {
		switch {
		case strings.HasPrefix(name, "stores/") && name != named:
		case !file.Mode.IsRegular():
			all[name] = file.Mode.String() + file.Target
		default:
			b := must.Get(e.Content(name))(t)
			all[name] = string(b)
		}
	}
	return all
}

// TestScripts: a script changes a copy, changes it the same way every time, and its damage
// names the changed file.
func TestScripts(t *testing.T) {
	e := build(t)
	original := content(t, e, loki.file)
	names, plays := map[string]bool{}, 0
	for _, group := range groups {
		plays += len(group)
	}
	check.Equal(t, len(Scripts()), plays, "scripts")
	for i, s := range Scripts() {
		check.That(t, !names[s.Name] && s.Summary != "" && !strings.HasSuffix(s.Summary, "."),
			"%s: twice, or without a summary: %q", s.Name, s.Summary)
		names[s.Name] = true
		if testing.Short() && i%3 != 0 {
			continue
		}
		first, damage, err := s.Apply(e)
		if err != nil {
			t.Error(err)
			continue
		}
		again, same, err := s.Apply(e)
		if err != nil || same != damage {
			t.Errorf("%s: %v, then %v, %v", s.Name, damage, same, err)
			continue
		}
		before, after := content(t, e, damage.File), content(t, first, damage.File)
		expectSame(t, s.Name+": played twice", after, content(t, again, damage.File))
		touched := after[damage.File] != before[damage.File] || damage.File == "" && len(after) == 0
		check.That(t, touched == !untouching[s.Name], "%s: %s was changed: %v", s.Name, damage.File, touched)
	}
	expectSame(t, "the evidence itself", original, content(t, e, loki.file))
}

// untouching contains the scripts whose damage names a file that they leave unchanged, since
// their change elsewhere is about it.
var untouching = map[string]bool{
	"near-store": true, "near-structured-store": true, "remove-newest-anchors": true, "near-remove-older-anchors": true,
	"untrusted-generation": true,
}

func expectSame(t *testing.T, what string, a, b map[string]string) {
	t.Helper()
	check.That(t, len(a) == len(b), "%s: %d files, and %d", what, len(a), len(b))
	for name := range a {
		check.Equal(t, a[name], b[name], "%s: %s differs", what, name)
	}
}

// TestDamageInWords checks the text that people see.
func TestDamageInWords(t *testing.T) {
	for want, d := range map[string]Damage{
		"a.ndjson":                            {File: "a.ndjson"},
		"event 7 of node/x in a.ndjson":       {"node/x", 7, 7, "a.ndjson"},
		"events 7 to 9 of node/x in a.ndjson": {"node/x", 7, 9, "a.ndjson"},
	} {
		got := d.String()
		check.That(t, got == want, "%q, want %q", got, want)
	}
}

// TestTooSmall: a script that has nothing to work on returns an error, and does not panic.
func TestTooSmall(t *testing.T) {
	small := must.Get(fleet.Build(fleet.Scene, 1, 1))(t)
	unrotated := must.Get(fleet.Build("paused", 1, 0))(t)
	none := build(t)
	none.Files = map[string]fleet.File{}
	for _, s := range Scripts() {
		_, _, err := s.Apply(small)
		check.That(t, err != nil && strings.Contains(err.Error(), s.Name), "%s on next to nothing: %v", s.Name, err)
		for _, e := range []*fleet.Evidence{unrotated, none} {
			after, _, err := s.Apply(e)
			check.That(t, (after == nil) != (err == nil), "%s: %v", s.Name, err)
		}
	}
	_, ok := Lookup("near")
	check.That(t, !ok, "a script was found by half its name")
}

// TestAlter: an altered event differs in one byte and is still an event.
func TestAlter(t *testing.T) {
	line := []byte(`{"body":{"occurred_at":"2026-03-02T09:00:00.009Z"}}`)
	got := forge.AlterTime(bytes.Clone(line))
	check.That(t, string(got) == `{"body":{"occurred_at":"2026-03-02T09:00:00.000Z"}}`, "%s", got)
}

// TestManipulations: a seed gives the same manipulations every time, each under a
// name of its own, and another seed gives others.
func TestManipulations(t *testing.T) {
	e := must.Get(fleet.Build(fleet.Scene, 1, 250))(t)
	names, others := map[string]bool{}, 0
	other := Manipulations(2)
	for i, m := range Manipulations(1) {
		check.That(t, !names[m.Name], "%s is there twice", m.Name)
		names[m.Name] = true
		one, damage := must.Two(m.Apply(e))(t)
		two, again, err := m.Apply(e)
		check.That(t, err == nil && damage == again, "%s: %v and %v, %v", m.Name, damage, again, err)
		a, errA := one.Content(damage.File)
		b, errB := two.Content(damage.File)
		_, there := one.Files[damage.File]
		check.That(t, !there || errA == nil && errB == nil && bytes.Equal(a, b), "%s: other bytes the second time", m.Name)
		if _, elsewhere, err := other[i].Apply(e); err != nil || elsewhere != damage {
			others++
		}
	}
	check.That(t, len(names) >= 100 && others >= len(names)/2,
		"%d manipulations, %d of them others under another seed", len(names), others)
}
