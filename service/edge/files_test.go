package edge_test

import (
	"crypto"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/service/edge"
	"github.com/svc-edge/svc-verify/service/edge/edgetest"
)

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

// TestFilesThatAreRefused: each file of the configuration that is not what it
// should be.
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
