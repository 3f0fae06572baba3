package seal_test

import (
	"bytes"
	"context"
	"crypto/sha512"
	"fmt"
	"io"
	"math/rand/v2"
	"testing"

	"github.com/svc-edge/svc-verify/archive/seal"
	"github.com/svc-edge/svc-verify/internal/must"
)

// BenchmarkArchive reads an archive of objects of the size of a bundle, as sealing and
// verifying do; ns/op are for one object.
func BenchmarkArchive(b *testing.B) {
	const objects = 2000
	content := make([]byte, 16_500)
	random := rand.NewChaCha8([32]byte{})
	files := archive{}
	for i := range objects {
		random.Read(content)
		files[fmt.Sprintf("2026/%02d/tx-%04d.json", i%12, i)] = string(content)
	}
	dir, known, k := files.write(b), files.known(), key(b, 1)
	st := seal.Statement{Hash: seal.SHA512, Run: run, Trust: [][64]byte{sha512.Sum512(nil)}, SealedAt: sealedAt}
	var list bytes.Buffer
	file, _ := must.Two(seal.Make(context.Background(),
		seal.Options{Archive: open(b, dir), Known: each(known), Key: k, Statement: st, Leaves: &list}))(b)
	tr := trusted(b, k)
	b.Run("seal", func(b *testing.B) {
		for n := 0; n < b.N; n += objects {
			must.Two(seal.Make(context.Background(),
				seal.Options{Archive: open(b, dir), Known: each(known), Key: k, Statement: st, Leaves: io.Discard}))(b)
		}
	})
	b.Run("verify", func(b *testing.B) {
		for n := 0; n < b.N; n += objects {
			a := seal.Against{Leaves: bytes.NewReader(list.Bytes()), Archive: open(b, dir)}
			r, err := seal.Verify(context.Background(), file, tr, a)
			must.That(b, err == nil && len(r.Findings) == 0, "%v", err)
		}
	})
	b.Run("prove", func(b *testing.B) { // one proof: ns/op for each leaf
		s, _ := seal.Parse(file)
		for n := 0; n < b.N; n += objects {
			must.Get(seal.Prove(s, bytes.NewReader(list.Bytes()), known[7].Path))(b)
		}
	})
}
