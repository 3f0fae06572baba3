package edge_test

import (
	"crypto"
	"maps"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/service/edge"
	"github.com/svc-edge/svc-verify/service/edge/edgetest"
)

func TestHealth(t *testing.T) {
	n := edgetest.Start(t)
	for name, c := range map[string]struct {
		change func(seal.Object)
		ok     bool
	}{
		"healthy":             {func(seal.Object) {}, true},
		"nothing yet":         {nothingYet, true},
		"no integrations":     {func(h seal.Object) { h["integrations"] = []any{} }, true},
		"an unknown member":   {func(h seal.Object) { h["uptime"] = int64(1) }, false},
		"a member missing":    {func(h seal.Object) { delete(h, "audit_head") }, false},
		"another status":      {func(h seal.Object) { h["status"] = "fine" }, false},
		"no time":             {func(h seal.Object) { h["policy_last_synced_at"] = "yesterday" }, false},
		"a time of elsewhere": {func(h seal.Object) { h["policy_last_synced_at"] = "2026-03-02T09:00:00+01:00" }, false},
		"no digest":           {func(h seal.Object) { h["policy_sha256"] = "" }, false},
		"a count below zero":  {func(h seal.Object) { seal.Member(h, "dependency_discovery")["failed"] = int64(-1) }, false},
		"enabled as text":     {func(h seal.Object) { seal.Member(h, "dependency_discovery")["enabled"] = "true" }, false},
		"degraded, no cause":  {entry(0, "health", "degraded"), false},
		"a cause, healthy":    {entry(0, "error_code", "x"), false},
		"degraded with cause": {func(h seal.Object) {
			entry(0, "health", "degraded")(h)
			entry(0, "error_code",
				"reload_failed")(h)
		}, true},
		"an unknown health": {entry(0, "health", "pending"), false},
		"an exporter in part": {func(h seal.Object) { delete(seal.List(h, "integrations")[1].(seal.Object), "backlog") },
			false},
		"a cursor of no one": {entry(0, "cursor", int64(1)), false},
		"an exporter that off": {func(h seal.Object) {
			seal.List(h, "integrations")[1] = seal.Object{"kind": "otlp_audit", "enabled": false, "health": "healthy"}
		}, true},
		"exporting while off": {entry(1, "enabled", false), false},
	} {
		want := edgetest.Healthy()
		c.change(want)
		n.Report(func(h seal.Object) {
			clear(h)
			maps.Copy(h, want)
		})
		h, err := client(t, config(t, n)).Health(t.Context())
		check.Equal(t, err == nil, c.ok, "%s: %v", name, err)
		check.That(t, err != nil || string(h.Document) == string(seal.Canonical(want)), "%s: the document was changed", name)
	}
}

// nothingYet makes a report of a node that has just been started.
func nothingYet(h seal.Object) {
	h["policy_version"], h["audit_sequence"] = int64(0), int64(0)
	h["policy_sha256"], h["policy_last_synced_at"], h["audit_head"] = "", "", ""
}

// entry changes a member of an integration.
func entry(i int, name string, value any) func(seal.Object) {
	return func(h seal.Object) { seal.List(h, "integrations")[i].(seal.Object)[name] = value }
}

func TestCursorFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "cursor")
	c, err := edge.ReadCursor(path)
	check.That(t, err == nil && c == (edge.Cursor{}), "no file: %v, %v", c, err)
	for i := range int64(3) {
		want := edge.Cursor{Node: "mesh.oslo:1", Sequence: i * 1_000_000}
		must.Do(t, want.WriteFile(path))
		c, err := edge.ReadCursor(path)
		check.That(t, err == nil && c == want, "%v, %v; expected %v", c, err, want)
	}
	left, _ := filepath.Glob(filepath.Join(filepath.Dir(path), ".*"))
	check.That(t, len(left) == 0, "left behind: %q", left)
	check.That(t, (edge.Cursor{Node: "n"}).WriteFile(filepath.Join(path, "x")) != nil,
		"a folder that is a file was written into")
}

func TestParseCursor(t *testing.T) {
	for _, text := range []string{"", ".", "n", "n.", ".1", "n.01", "n.-1", "n.+1", "n.1 ", " n.1", "n.1\n", "n/2.1",
		"n.9007199254740992", "n.0x1", "n.1e3", strings.Repeat("n", 101) + ".1"} {
		c, err := edge.ParseCursor(text)
		check.That(t, err != nil, "%q was read as %v", text, c)
	}
	for _, c := range []edge.Cursor{{"n", 0}, {"n.5", 7}, {strings.Repeat("n", 100), 1<<53 - 1}} {
		found, err := edge.ParseCursor(c.String())
		check.That(t, err == nil && found == c, "%v: found %v, %v", c, found, err)
	}
}

func FuzzParseCursor(f *testing.F) {
	f.Add("mesh-oslo-1.42")
	f.Add("a.b.0" + strconv.Itoa(1))
	f.Fuzz(func(t *testing.T, text string) {
		c, err := edge.ParseCursor(text)
		check.That(t, err != nil || c.String() == text, "%q was read as %q", text, c)
	})
}

// TestCheckCursorFile: a file that could not be replaced is refused beforehand,
// and nothing is left by the question.
func TestCheckCursorFile(t *testing.T) {
	dir := t.TempDir()
	check.Do(t, edge.CheckCursorFile(filepath.Join(dir, "cursor")))
	entries, err := os.ReadDir(dir)
	check.That(t, err == nil && len(entries) == 0, "%v, %v", entries, err)
	check.That(t, edge.CheckCursorFile(filepath.Join(dir, "none", "cursor")) != nil,
		"a file in a folder that is not there can be written")
}

func TestOrigin(t *testing.T) {
	for _, text := range []string{"https://oslo.example", "https://oslo.example:8443", "https://127.0.0.1:1",
		"https://[2001:db8::7]:8443", "https://[::1]"} {
		check.Do(t, edge.Origin(text))
	}
	for _, text := range []string{"", "oslo.example", "http://oslo.example", "https://", "https://oslo.example/",
		"https://oslo.example/x", "https://oslo.example?x", "https://oslo.example#x",
		"https://u:s3cret@oslo.example", "https://oslo.example:", "https://oslo.example:0", "https://oslo.example:65536",
		"https://oslo.example:08443", "https://[fe80::1%25eth0]:1", "HTTPS://oslo.example", "https://oslo .example",
		"https://oslo.example\x1b"} {
		err := edge.Origin(text)
		check.That(t, err != nil && !strings.Contains(err.Error(), "s3cret") && !strings.ContainsRune(err.Error(), '\x1b'),
			"%q: %v", text, err)
	}
}

// TestFilesThatAreRefused: every faulty file of the configuration is refused.
func TestFilesThatAreRefused(t *testing.T) {
	n := edgetest.Start(t)
	read := func(name string) string { return readText(t, filepath.Join(n.Dir, name)) }
	put := func(content string, mode os.FileMode) string { return putText(t, content, mode) }
	open := func(change func(*edge.Config)) error {
		c := config(t, n)
		change(&c)
		_, err := edge.NewClient(c)
		return err
	}
	key := read("node.pem")
	pinned := func(content string) error { _, err := edge.ReadPins(put(content, 0o644), ""); return err }
	for name, err := range map[string]error{
		"a key that others may read":   open(func(c *edge.Config) { c.Key = put(read("observer.key"), 0o640) }),
		"a key of another certificate": open(func(c *edge.Config) { c.Key = filepath.Join(n.Dir, "stranger.key") }),
		"no key":                       open(func(c *edge.Config) { c.Key = filepath.Join(n.Dir, "\x1b[2J") }),
		"a CA that is none":            open(func(c *edge.Config) { c.CA = filepath.Join(n.Dir, "observer.pem") }),
		"a CA file with a key":         open(func(c *edge.Config) { c.CA = put(read("ca.pem")+key, 0o644) }),
		"an empty CA file":             open(func(c *edge.Config) { c.CA = put("\n", 0o644) }),
		"a damaged CA file": open(
			func(c *edge.Config) { c.CA = put(strings.Replace(read("ca.pem"), "M", "!", 1)+read("ca.pem"), 0o644) }),
		"a CA file that is too large": open(func(c *edge.Config) { c.CA = put(strings.Repeat("\n", 1<<20+1), 0o644) }),
		"a CA file that is a folder":  open(func(c *edge.Config) { c.CA = n.Dir }),
		"no pin":                      func() error { _, err := edge.ReadPins("", ""); return err }(),
		"a digest in capitals": func() error {
			_,
				err := edge.ReadPins("", strings.Repeat("A", 64))
			return err
		}(),
		"an empty file of keys":            pinned(""),
		"a certificate in place of a key":  pinned(read("observer.pem")),
		"a key called something else":      pinned(strings.ReplaceAll(key, "PUBLIC KEY", "RSA PUBLIC KEY")),
		"a private key":                    pinned(read("observer.key")),
		"a key twice":                      pinned(key + key),
		"text beside the key":              pinned("the node's key:\n" + key),
		"text behind the key":              pinned(key + "that was it\n"),
		"a damaged key before a sound one": pinned(strings.Replace(key, "M", "!", 1) + read("other-node.pem")),
		"a key that is none":               pinned("-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n"),
		"seventeen keys":                   pinned(keys(t, 17)),
	} {
		check.That(t, err != nil && !strings.ContainsRune(err.Error(), '\x1b'), "%s: found %v", name, err)
	}
	check.OK(t, pinned("\n"+keys(t, 16)+"\n"), "sixteen keys")
}

func readText(t *testing.T, path string) string {
	t.Helper()
	return string(must.Get(os.ReadFile(path))(t))
}

// putText writes a file and returns its path.
func putText(t *testing.T, content string, mode os.FileMode) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file")
	must.Do(t, os.WriteFile(path, []byte(content), mode))
	return path
}

// keys returns so many public keys.
func keys(t *testing.T, n int) string {
	t.Helper()
	var all []crypto.PublicKey
	for range n {
		all = append(all, newKey(t, "").Public())
	}
	path := filepath.Join(t.TempDir(), "keys.pem")
	edgetest.WritePublic(t, path, all...)
	return readText(t, path)
}
