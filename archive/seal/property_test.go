package seal_test

import (
	"bytes"
	"context"
	"crypto/sha512"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/svc-edge/svc-verify/archive/object"
	"github.com/svc-edge/svc-verify/archive/seal"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/outcome"
)

// mutate changes a document: a byte, a few bytes less, more, or moved. The result is never the
// document itself.
func mutate(t *rapid.T, file []byte) []byte {
	at := rapid.IntRange(0, len(file)-1).Draw(t, "at")
	n := rapid.IntRange(1, min(40, len(file)-at)).Draw(t, "octets")
	switch rapid.IntRange(0, 4).Draw(t, "how") {
	case 0:
		b := bytes.Clone(file)
		b[at] ^= byte(rapid.IntRange(1, 255).Draw(t, "bits"))
		return b
	case 1:
		return slices.Concat(file[:at], file[at+n:])
	case 2:
		return slices.Concat(file[:at+n], file[at:])
	case 3:
		return slices.Concat(file[:at], rapid.SliceOfN(rapid.Byte(), 1, 8).Draw(t, "more"), file[at:])
	}
	to := rapid.IntRange(0, len(file)-n).Draw(t, "to")
	rest := slices.Concat(file[:at], file[at+n:])
	moved := slices.Concat(rest[:to], file[at:at+n], rest[to:])
	if bytes.Equal(moved, file) {
		moved[at] ^= 1
	}
	return moved
}

// TestNoMutationVerifies: a seal, a proof and a list of leaves no longer verify once a byte of
// them changed.
func TestNoMutationVerifies(t *testing.T) {
	s := newSealed(t, base).sign(t, key(t, 1))
	file, list := []byte(s.file(t)), []byte(s.list(t))
	proof := []byte(canonical(t, s.proof(t, 0)) + "\n")
	trust, content := trusted(t, key(t, 1)), base[s.leaves[0]["path"].(string)]
	parsed, _ := seal.Parse(file)
	rapid.Check(t, func(t *rapid.T) {
		var r *seal.Report
		var err error
		switch rapid.SampledFrom([]string{"seal", "leaves", "proof", "object"}).Draw(t, "what") {
		case "seal":
			changed := mutate(t, file)
			r, err = seal.Verify(context.Background(), changed, trust, seal.Against{})
		case "leaves":
			changed := mutate(t, list)
			if proof, err := seal.Prove(parsed, bytes.NewReader(changed), "case.db"); err == nil {
				t.Fatalf("a proof was made of other leaves: %s", proof)
			}
			r, err = seal.Verify(context.Background(), file, trust, seal.Against{Leaves: bytes.NewReader(changed)})
		case "proof":
			changed := mutate(t, proof)
			r, err = seal.VerifyObject(changed, trust, strings.NewReader(content))
		default:
			changed := mutate(t, []byte(content))
			r, err = seal.VerifyObject(proof, trust, bytes.NewReader(changed))
		}
		must.That(t, err == nil && r.Verdict != outcome.Verified && len(r.Findings) != 0, "%+v, %v", r, err)
	})
}

// TestAnyArchive: a seal of any archive, with any names, follows the specification, and each
// of its objects has its proof.
func TestAnyArchive(t *testing.T) {
	k := key(t, 1)
	tr := trusted(t, k)
	rapid.Check(t, func(rt *rapid.T) {
		names := rapid.SliceOfNDistinct(rapid.StringMatching(`[a-zA-Z%\\"' é.-]{1,6}`), 1, 12, rapid.ID).Draw(rt, "names")
		files := archive{}
		for _, name := range names {
			if name != "." && name != ".." {
				files[name] = rapid.StringN(0, 40, -1).Draw(rt, "content")
			}
		}
		if len(files) == 0 {
			rt.Skip("no name")
		}
		var list bytes.Buffer
		for _, known := range files.known() {
			leaf := seal.Leaf{Path: known.Path, Size: known.Size, Digest: sha512.Sum512([]byte(files[known.Path]))}
			list.Write(append(leaf.Append(nil), '\n'))
		}
		want := make([]string, 0, len(files))
		for _, known := range files.known() {
			want = append(want, canonical(t, leafOf(object.PathText(known.Path), files[known.Path])))
		}
		got := strings.Join(want, "\n") + "\n"
		must.That(rt, got == list.String(), "the list is\n%swant\n%s", list.String(), got)
		st := seal.Statement{Hash: seal.SHA512, Root: seal.Digest([]byte(rootOf(want))), Objects: int64(len(want)), Run: run,
			Trust: [][64]byte{{1}}, SealedAt: sealedAt}
		for _, known := range files.known() {
			st.Octets += known.Size
		}
		file := must.Get(seal.Sign(st, k))(rt)
		s, _ := seal.Parse(file)
		must.Do(rt, seal.Check(s, seal.ReadLeaves(bytes.NewReader(list.Bytes()))))
		path := files.known()[rapid.IntRange(0, len(want)-1).Draw(rt, "object")].Path
		proof := must.Get(seal.Prove(s, bytes.NewReader(list.Bytes()), path))(rt)
		r, err := seal.VerifyObject(proof, tr, strings.NewReader(files[path]))
		must.That(rt, err == nil && r.Verdict == outcome.Verified, "%q: %q, %v", path, what(r), err)
	})
}

// FuzzParse: a seal, a proof or a leaf that is read is written in the same way again, and
// nothing panics.
func FuzzParse(f *testing.F) {
	s := newSealed(f, base).sign(f, key(f, 1))
	f.Add([]byte(s.file(f)))
	f.Add([]byte(s.list(f)))
	f.Add([]byte(canonical(f, s.proof(f, 2)) + "\n"))
	f.Add([]byte("{}\n"))
	tr := trusted(f, key(f, 1))
	f.Fuzz(func(t *testing.T, doc []byte) {
		if parsed, faults := seal.Parse(doc); len(faults) == 0 {
			check.That(t, parsed.Statement.Objects >= 1 && len(parsed.Statement.Trust) != 0 && doc[len(doc)-1] == '\n',
				"a seal that says nothing: %+v", parsed.Statement)
		}
		if r, err := seal.Verify(context.Background(), doc, tr, seal.Against{}); err != nil ||
			r.Verdict == outcome.Verified && string(doc) != s.file(t) {
			t.Errorf("another seal verifies: %v", err)
		}
		if r, err := seal.VerifyObject(doc, tr, strings.NewReader("")); err != nil ||
			r.Verdict == outcome.Verified && r.Object.Size != 0 {
			t.Errorf("a proof of nothing: %v", err)
		}
		var again bytes.Buffer
		for leaves := seal.ReadLeaves(bytes.NewReader(doc)); ; {
			leaf, err := leaves.Next()
			if errors.Is(err, io.EOF) {
				check.That(t, bytes.Equal(again.Bytes(), doc), "a list is read otherwise than it is written:\n%q\n%q", doc,
					again.Bytes())
				return
			}
			if err != nil {
				return
			}
			again.Write(append(leaf.Append(nil), '\n'))
		}
	})
}
