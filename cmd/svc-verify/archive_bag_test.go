package main

import (
	"os"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// TestSealInBag: a seal goes into a bag with its record and its lists of leaves, so that
// a receiver verifies the seal, its time and the objects from the bag alone.
func TestSealInBag(t *testing.T) {
	s := newSealedScene(t)
	s.must(t, "archive export --ledger l.db --trust trust.json --seal s.seal --seal a.proof --out new data")
	for _, name := range []string{"s.seal", "s.seal.er", "s.seal.leaves", "s.seal.leaves-2", "a.proof", "a.proof.er",
		"a.proof.seal.er"} {
		must.Get(os.Stat("new/svc-verify/seals/" + name))(t)
	}
	s.must(t, "archive verify new")
	const seal = "archive verify --revocation r.crl new/svc-verify/seals/s.seal new/data" + judgedAt
	said := s.must(t, seal)
	check.That(t, strings.Contains(said, "existed before  2026-03-02T09:00:01.000Z"), "%s", said)
	said = s.must(t, "archive verify --revocation r.crl new/svc-verify/seals/a.proof new/data/a.json"+judgedAt)
	check.That(t, strings.Contains(said, ", by the first token of the object"), "%s", said)
	must.Do(t, os.WriteFile("new/data/b/c.txt", []byte("Notes\n"), 0o600))
	code, _, stderr := call(nil, strings.Fields(seal)...)
	check.That(t, code == 1 && strings.Contains(stderr, "object.altered"), "exit code %d: %s", code, stderr)
}
