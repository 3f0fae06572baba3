package seal_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"crypto/sha512"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/svc-edge/svc-verify/archive/listing"
	"github.com/svc-edge/svc-verify/archive/seal"
	"github.com/svc-edge/svc-verify/archive/sealkey"
)

var (
	sealedAt = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	run      = sha256.Sum256([]byte("run"))
)

// archive is a folder with objects by path.
type archive map[string]string

func (a archive) write(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	for path, content := range a {
		name := filepath.Join(dir, filepath.FromSlash(path))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// known is the archive as its ledger has it.
func (a archive) known() []seal.Known {
	var all []seal.Known
	for path, content := range a {
		all = append(all, seal.Known{Path: path, Size: int64(len(content)), SHA256: sha256.Sum256([]byte(content))})
	}
	slices.SortFunc(all, func(a, b seal.Known) int { return strings.Compare(a.Path, b.Path) })
	return all
}

func each(all []seal.Known) iter.Seq2[seal.Known, error] {
	return func(yield func(seal.Known, error) bool) {
		for _, k := range all {
			if !yield(k, nil) {
				return
			}
		}
	}
}

func open(t testing.TB, dir string) *listing.Root {
	t.Helper()
	root, err := listing.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	return root
}

func key(t testing.TB, octet byte) *sealkey.Key {
	t.Helper()
	seed := [sealkey.SeedSize]byte(bytes.Repeat([]byte{octet}, sealkey.SeedSize))
	k, err := sealkey.FromSeeds("office", seed, seed)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func trusted(t testing.TB, k *sealkey.Key) *sealkey.Trust {
	t.Helper()
	doc, err := sealkey.PinFile("office", k.Public(), sealedAt, time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	tr, err := sealkey.ParseTrust(doc)
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

// sealing seals a folder. The file is nil if the ledger does not fit.
func sealing(t testing.TB, dir string, known []seal.Known) (file, leaves []byte, r *seal.Report) {
	t.Helper()
	var list bytes.Buffer
	file, r, err := seal.Make(context.Background(), seal.Options{Archive: open(t, dir), Known: each(known), Key: key(t, 1),
		Statement: seal.Statement{Hash: seal.SHA512, Run: run, Trust: [][64]byte{sha512.Sum512([]byte("trust"))}, SealedAt: sealedAt},
		Leaves:    &list})
	if err != nil {
		t.Fatal(err)
	}
	return file, list.Bytes(), r
}
