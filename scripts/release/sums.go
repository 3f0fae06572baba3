package main

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// The list of digests, as sha256sum reads it, and the purpose of its signature (ssh-keygen -Y sign -n).
const (
	sumsName      = "SHA256SUMS"
	signatureName = sumsName + ".sig"
	namespace     = "svc-verify-release"
)

// writeRelease writes files to a new folder, with their digests, and signs these if there is a key.
func writeRelease(folder string, files []file, key string) error {
	if err := os.Mkdir(folder, 0o755); err != nil { // #nosec G301 -- for everyone
		return err
	}
	files = slices.SortedFunc(slices.Values(files), func(a, b file) int { return cmp.Compare(a.name, b.name) })
	var sums strings.Builder
	for _, f := range files {
		fmt.Fprintf(&sums, "%x  %s\n", sha256.Sum256(f.data), f.name)
	}
	for _, f := range append(files, file{name: sumsName, data: []byte(sums.String())}) {
		if err := os.WriteFile(filepath.Join(folder, f.name), f.data, 0o644); err != nil { // #nosec G306 -- for everyone
			return err
		}
	}
	if key == "" {
		return nil
	}
	return signFile(filepath.Join(folder, sumsName), key)
}

// signFile signs a file with a key, for whose passphrase ssh-keygen may ask.
func signFile(path, key string) error {
	c := exec.Command("ssh-keygen", "-Y", "sign", "-f", key, "-n", namespace, path) // #nosec G204 -- the key is given
	c.Stdin, c.Stderr = os.Stdin, os.Stderr
	if err := c.Run(); err != nil {
		return fmt.Errorf("ssh-keygen -Y sign: %w", err)
	}
	return nil
}
