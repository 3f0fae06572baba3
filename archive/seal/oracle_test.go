package seal_test

import (
	"crypto/sha512"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/gowebpki/jcs"

	"github.com/svc-edge/svc-verify/archive/sealkey"
	"github.com/svc-edge/svc-verify/internal/must"
)

// This file makes seals by the specification, and shares nothing with the package but
// the signatures: a tree by recursion over all leaves, documents by maps and a library
// for canonical JSON.

type doc = map[string]any

// canonical returns the canonical JSON of a document.
func canonical(t testing.TB, d any) string {
	t.Helper()
	return string(must.Get(jcs.Transform(must.Get(json.Marshal(d))(t)))(t))
}

func sha(parts ...string) string {
	h := sha512.Sum512([]byte(strings.Join(parts, "")))
	return string(h[:])
}

func hexed(s string) string { return hex.EncodeToString([]byte(s)) }

// leafOf returns the document of a leaf. The path must be plain ASCII, or its text.
func leafOf(path, content string) doc {
	return doc{"path": path, "size": len(content), "digest": hexed(sha(content))}
}

// rootOf is MTH of RFC 6962, and pathOf PATH.
func rootOf(leaves []string) string {
	if len(leaves) == 1 {
		return sha("\x00", leaves[0])
	}
	k := half(len(leaves))
	return sha("\x01", rootOf(leaves[:k]), rootOf(leaves[k:]))
}

func pathOf(m int, leaves []string) []string {
	if len(leaves) == 1 {
		return []string{}
	}
	k := half(len(leaves))
	if m < k {
		return append(pathOf(m, leaves[:k]), hexed(rootOf(leaves[k:])))
	}
	return append(pathOf(m-k, leaves[k:]), hexed(rootOf(leaves[:k])))
}

func half(n int) int {
	k := 1
	for 2*k < n {
		k *= 2
	}
	return k
}

// sealed is an archive with its seal, part by part, so that each can be changed.
type sealed struct {
	files     archive
	leaves    []doc // in order
	statement doc
	envelope  doc // without the statement, once signed
}

// sealing by the specification.
func newSealed(t testing.TB, files archive) *sealed {
	t.Helper()
	s := &sealed{files: files}
	octets := 0
	for path, content := range files {
		s.leaves = append(s.leaves, leafOf(strings.ReplaceAll(path, "%", "%25"), content))
		octets += len(content)
	}
	slices.SortFunc(s.leaves, func(a, b doc) int { return strings.Compare(a["path"].(string), b["path"].(string)) })
	id := key(t, 1).Public().ID()
	s.statement = doc{"protocol": "svc.archive-seal.v1", "signer": signer(id), "hash": "sha-512",
		"root":    hexed(rootOf(s.lines(t))),
		"objects": len(s.leaves), "octets": octets, "run_sha256": fmt.Sprintf("%x", run),
		"trust_sha512": []any{hexed(sha("trust"))},
		"sealed_at":    "2026-11-22T12:00:00.000Z"}
	return s
}

func signer(id sealkey.ID) doc {
	return doc{"ed25519": id.Ed25519.String(), "ml_dsa_65": id.MLDSA65.String()}
}

// lines are the contents of the leaves.
func (s *sealed) lines(t testing.TB) []string {
	lines := make([]string, len(s.leaves))
	for i, l := range s.leaves {
		lines[i] = canonical(t, l)
	}
	return lines
}

func (s *sealed) list(t testing.TB) string {
	return strings.Join(s.lines(t), "\n") + "\n"
}

// sign signs the statement as it is.
func (s *sealed) sign(t testing.TB, k *sealkey.Key) *sealed {
	t.Helper()
	sig := must.Get(k.Sign("svc.archive-seal.v1", []byte(canonical(t, s.statement))))(t)
	s.envelope = doc{"signatures": doc{"ed25519": text64(sig.Ed25519), "ml_dsa_65": text64(sig.MLDSA65)},
		"statement": s.statement}
	return s
}

func (s *sealed) file(t testing.TB) string { return canonical(t, s.envelope) + "\n" }

// proof returns the proof of an object, as a document.
func (s *sealed) proof(t testing.TB, index int) doc {
	path := []any{}
	for _, h := range pathOf(index, s.lines(t)) {
		path = append(path, h)
	}
	return doc{"protocol": "svc.archive-object-proof.v1", "index": index, "leaf": s.leaves[index], "inclusion": path,
		"seal": s.envelope}
}
