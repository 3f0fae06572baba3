package messy

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/svc-edge/svc-verify/harness/dumps"
	"github.com/svc-edge/svc-verify/harness/seal"
)

// hidingActs can hide an alteration: they end files early, or leave signatures without a key.
var hidingActs = []act{
	{"a store asked earlier", (*Collection).earlierStore},
	{"copies in any order", (*Collection).anyOrder},
	{"a log copied before its anchors", (*Collection).beforeAnchors},
	{"a stale trust file", (*Collection).staleTrust},
}

// laterActs continue after the evidence as it was: scripts of package tamper that alter
// nothing.
var laterActs = []act{
	{"a node restored from a backup that lacks nothing", func(c *Collection) { c.goOn("near-restored-backup") }},
	{"an approval of which nothing was exported", func(c *Collection) { c.goOn("near-approval-in-both") }},
	{"a head witnessed again", func(c *Collection) { c.goOn("near-witness-again") }},
	{"a restored journal exported again", (*Collection).restoreBackup},
}

// goOn copies the changes of a script into files that are still as they were. A file that was
// changed was copied before. It happens once: another script would go on from the same end.
func (c *Collection) goOn(script string) {
	if c.wentOn {
		return
	}
	c.wentOn = true
	e := c.source.evidenceAfter(script)
	for _, name := range e.Names(given...) {
		content, _ := e.Content(name)
		before, err := c.source.genuine.Content(name)
		if err != nil || bytes.Equal(c.Files[name], before) {
			c.Files[name] = content
		}
	}
}

// restoreBackup makes a journal begin again where a backup of it ended: the lines from there
// on were written twice.
func (c *Collection) restoreBackup() {
	if logs := c.wholeLogs(); len(logs) > 0 {
		name := pickOne(c, logs)
		lines := linesOf(c.Files[name])
		c.Files[name] = joinLines(append(slices.Clone(lines), lines[c.draw.Below(len(lines)):]...)...)
	}
}

// earlierStore ends the dump of a store early.
func (c *Collection) earlierStore() {
	for _, name := range c.Names() {
		if slices.Contains(stores, name) && strings.HasSuffix(name, ".jsonl") {
			lines := linesOf(c.Files[name])
			c.Files[name] = joinLines(lines[:2*(1+c.draw.Below(len(lines)/2))]...)
		}
	}
}

// anyOrder ends any of the files that grow by lines at a time of its own, and leaves out
// some proofs.
func (c *Collection) anyOrder() {
	for _, name := range c.Names() {
		grows := slices.Contains(c.wholeLogs(), name) || name == "checkpoints.ndjson" || strings.HasPrefix(name, "cursors/")
		switch {
		case c.draw.Below(2) == 0:
		case grows:
			c.endEarly(name)
		case strings.HasPrefix(name, "bundles/"):
			delete(c.Files, name)
		}
	}
	if c.draw.Below(2) == 0 {
		c.earlierStore()
	}
}

// beforeAnchors replaces one log by an earlier copy of itself.
func (c *Collection) beforeAnchors() {
	if logs := c.wholeLogs(); len(logs) > 0 {
		c.endEarly(pickOne(c, logs))
	}
}

func (c *Collection) endEarly(name string) {
	lines := linesOf(c.Files[name])
	c.Files[name] = joinLines(lines[:1+c.draw.Below(len(lines))]...)
}

// staleTrust is a trust file from before keys were rotated.
func (c *Collection) staleTrust() {
	var root map[string]any
	seal.Do(json.Unmarshal(c.Trust, &root))
	for _, kind := range []string{"nodes", "audit_keys", "registries", "protected_signer_keys"} {
		keys, _ := root[kind].(map[string]any)
		for _, id := range []string{"audit-2026-2", "signer-2026-2", "2", "mesh-berlin-1/2", "mesh-oslo-1/2",
			"mesh-paris-1/2", "mesh-vienna-1/2"} {
			if c.draw.Below(3) == 0 {
				delete(keys, id)
			}
		}
	}
	c.Trust, _ = json.Marshal(root) // it was read from JSON
}

// addForeign adds a file that holds no evidence.
func (c *Collection) addForeign() {
	kind := pickOne(c, []struct {
		name    string
		content []byte
	}{
		{"notes.txt", []byte("Collected by hand, see ticket 4711.\n")},
		{"journals/.DS_Store", append([]byte("\x00\x00\x00\x01Bud1"), c.draw.Bytes(200)...)},
		{"screenshot.png", append([]byte("\x89PNG\r\n\x1a\n"), c.draw.Bytes(900)...)},
		{"config/app.json", []byte(`{"listen":"127.0.0.1:8443","nodes":["mesh-berlin-1"]}` + "\n")},
		{"other/web.log", []byte(`{"level":"info","msg":"GET /","status":200}` + "\n" + `{"level":"warn","msg":"slow"}` + "\n")},
		{"table.csv", []byte("host,seconds\nmesh-oslo-1,12\n")},
		{"empty.txt", nil},
	})
	c.addFile(kind.name, kind.content)
}

// compressFile makes a file one of gzip.
func (c *Collection) compressFile() {
	if listed := c.lineFiles(); len(listed) > 0 {
		name := pickOne(c, listed)
		compressed := dumps.Gzip(c.Files[name])
		delete(c.Files, name)
		c.addFile(name+".gz", compressed)
	}
}
