package main

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/forensics/cases"
	"github.com/svc-edge/svc-verify/harness/fleet"
	"github.com/svc-edge/svc-verify/harness/tamper"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// TestBlocks: a block of one repeated byte in the place of records is the trace of a crash. No
// one is blamed for it, and events that were deleted are missed all the same.
func TestBlocks(t *testing.T) {
	e := cases.Evidence(t, fleet.Scene)
	trust := trustFile(t, e, t.TempDir())
	core, content := coreOf(t, e)
	name := fleet.Journal("mesh-berlin-1")
	journal := content(name)
	block := func(c byte, from, n int) collection {
		changed := bytes.Clone(journal)
		copy(changed[from:from+n], bytes.Repeat([]byte{c}, n))
		return collection{name: changed}
	}
	lines := slices.Collect(bytes.Lines(journal))
	head, cut := bytes.Join(lines[:10], nil), bytes.Join(lines[13:], nil)
	size := len(journal) - len(head) - len(cut)
	padded := collection{name: bytes.Join(lines, bytes.Repeat([]byte(" "), 9))}
	for name, tt := range sampled(map[string]struct {
		files collection
		code  int
		want  string
		says  string
	}{
		"zeros, 512":             {block(0, 9000, 512), 3, "cause.unread-source", "512 zero octets"},
		"zeros, 2 KiB":           {block(0, 9000, 2048), 3, "cause.unread-source", "2048 zero octets"},
		"zeros for whole lines":  {block(0, len(head), size), 3, "cause.unread-source", "zero octets"},
		"zeros at the beginning": {block(0, 0, 2048), 3, "cause.unread-source", "2048 zero octets"},
		"zeros at the end":       {block(0, len(journal)-3000, 3000), 3, "cause.unread-source", "3000 zero octets"},
		"0xff":                   {block(0xff, 9000, 2048), 3, "cause.unread-source", "2048 octets 0xff"},
		"spaces":                 {block(' ', 9000, 2048), 3, "cause.unread-source", "2048 spaces"},
		"spaces for whole lines": {block(' ', len(head), size), 3, "cause.unread-source", "spaces"},
		"deleted lines": {collection{name: slices.Concat(head, cut)}, 1, "cause.events-deleted",
			"missing events 11 to 13"},
		"indented lines": {padded, 0, "", ""},
	}, 3) {
		t.Run(name, func(t *testing.T) {
			n := checkFiles(t, core.with(tt.files), trust)
			must.That(t, n.code == tt.code && fmt.Sprint(n.causes()) == fmt.Sprint(slices.DeleteFunc([]string{tt.want},
				func(s string) bool { return s == "" })), "exit %d, %q", n.code, n.causes())
			said := fmt.Sprint(n.Causes)
			check.That(t, strings.Contains(said, tt.says), "%s does not say %q", said, tt.says)
		})
	}
}

// TestForeignJournal: a journal of another environment among others is named as one. The
// trust file is for another environment only if nearly all is.
func TestForeignJournal(t *testing.T) {
	e := cases.Evidence(t, fleet.Scene)
	trust := trustFile(t, e, t.TempDir())
	other := must.Get(fleet.Build(fleet.Scene, 2, 250))(t)
	core, _ := coreOf(t, e)
	foreign, _ := coreOf(t, other)
	berlin, oslo, tenant := fleet.Journal("mesh-berlin-1"), fleet.Journal("mesh-oslo-1"), fleet.TenantLog
	most := foreign.with(collection{oslo: core[oslo]})
	journals := collection{}
	for name, content := range core {
		if strings.HasPrefix(name, "journals/") {
			journals[name] = content
		}
	}
	for name, tt := range sampled(map[string]struct {
		files collection
		want  string
	}{
		"in its place":            {core.with(collection{berlin: foreign[berlin]}), "cause.foreign-journal"},
		"beside the genuine one":  {core.with(collection{"other/b.ndjson": foreign[berlin]}), "cause.foreign-journal"},
		"among journals alone":    {journals.with(collection{berlin: foreign[berlin]}), "cause.foreign-journal"},
		"the tenant log":          {core.with(collection{tenant: foreign[tenant]}), "cause.foreign-journal"},
		"everything":              {foreign, "cause.other-environment"},
		"everything but one node": {most, "cause.other-environment"},
	}, 2) {
		t.Run(name, func(t *testing.T) {
			n := checkFiles(t, tt.files, trust)
			must.That(t, n.code == 1 && len(n.Causes) > 0 && n.Causes[0].Code == tt.want, "exit %d, %q", n.code, n.causes())
			check.That(t, tt.want != "cause.foreign-journal" || !slices.Contains(n.causes(), "cause.other-environment"),
				"%v", n.causes())
		})
	}
}

// TestCausesApart: a cause owns the findings that fit its log, range and store. A deletion
// elsewhere has a cause of its own, and a file that is no evidence comes last.
func TestCausesApart(t *testing.T) {
	e := cases.Evidence(t, fleet.Scene)
	trust := trustFile(t, e, t.TempDir())
	store := textStoreFiles[0]
	for _, script := range []string{"fork", "restore-backup", "second-copy"} {
		s, ok := tamper.Lookup(script)
		must.That(t, ok, "%v", script)
		after, _ := must.Two(s.Apply(e))(t)
		core, content := coreOf(t, after)
		for name, in := range map[string]string{"below": "node/mesh-berlin-1", "another log": "node/mesh-oslo-1"} {
			t.Run(script+" "+name, func(t *testing.T) {
				drop := func(e aboutEvent, _ int) bool { return e.LogID == in && 5 <= e.Sequence && e.Sequence <= 8 }
				n := checkFiles(t, core.with(collection{"screenshot.png": []byte("\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"),
					store: without(content(store), drop)}), trust)
				want := []string{"cause.two-histories", "cause.events-deleted", "cause.unread-source"}
				must.That(t, slices.Equal(n.causes(), want), "%v", n.causes())
				d := n.Causes[1]
				check.That(t, slices.Equal(d.Logs, []string{in}) && len(d.Stores) == 1, "%s: %q, %q", d.Message, d.Logs, d.Stores)
			})
		}
	}
}
