package main

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/internal/must"
)

// sealedScene is the working folder of a test: a sealed archive whose seal has a record
// of three tokens, and everything that the commands around seals read.
type sealedScene struct {
	files  map[string][]byte
	newest string // the digest of the newest entry of the history
}

// judgedAt contains the flags with which the records of the scene are judged.
const judgedAt = " --seal-trust pins.json --algorithms dates.json --at 2046-03-02T09:00:00Z "

// newSealedScene seals in 2026, renews in 2031, hashes again in 2034, and copies the seal
// to one whose next request waits for its token.
func newSealedScene(t testing.TB) *sealedScene {
	t.Helper()
	t.Chdir(t.TempDir())
	s := &sealedScene{}
	write := func(name string, doc []byte) { must.WriteFile(t, name, doc) }
	must.WriteFiles(t, ".", map[string]string{"data/a.json": string(pool().Bundles[0][0]), "data/b/c.txt": "notes\n",
		"trust.json": string(pool().Trust), "dates.json": damageDates})
	s.must(t, "archive check data --ledger l.db --trust trust.json --at 2026-01-05T00:00:00Z")
	s.must(t, "archive key records.key --new --by records")
	write("pins.json", []byte(s.must(t, "archive key records.key --from 2026-01-01")))
	pinAuthorities("pins.json", []string{"rsa", "ecdsa", "ml-dsa"})
	s.must(t, "archive seal --ledger l.db --key records.key --trust trust.json --at 2026-03-01T00:00:00Z "+
		"--out s.seal data")
	s.must(t, "archive export --ledger l.db --trust trust.json --seal s.seal --out bag data")
	const add = "trust history --add trust.json --key records.key --by A --reason r --seal-trust pins.json "
	s.must(t, add+"--from 2026-01-05 trust.history")
	added := strings.Fields(s.must(t, add+"--from 2026-06-05 trust.history"))
	s.newest = added[len(added)-1]
	prepare := func(args, at string) {
		s.must(t, "archive seal --request 1.tsq --seal-trust pins.json --algorithms dates.json "+
			"--at "+at+"-03-02T09:00:00Z s.seal "+args)
	}
	stamp := func(name string, year int) {
		request := must.Get(os.ReadFile("1.tsq"))(t)
		write("1.tsr", scriptAuthorities()[name].signer.Stamp(request, yearOf(year)))
		must.Do(t, os.Remove("1.tsq"))
	}
	crl := func(name string, year int) {
		at := yearOf(year)
		write("r.crl", scriptAuthorities()[name].root.CRL(at.AddDate(0, -1, 0), at.AddDate(0, 1, 0), nil))
	}
	const take = "archive seal --seal-trust pins.json --algorithms dates.json --token 1.tsr s.seal --at "
	s.copy(t, "s.seal", "q.seal")
	prepare("", "2026")
	stamp("rsa", 2026)
	s.must(t, take+"2026-03-02T10:00:00Z")
	crl("rsa", 2031)
	prepare("--revocation r.crl", "2031")
	stamp("ecdsa", 2031)
	s.must(t, take+"2031-03-02T10:00:00Z")
	crl("ecdsa", 2034)
	prepare("data --revocation r.crl --rehash sha3-512", "2034")
	stamp("ml-dsa", 2034)
	s.must(t, take+"2034-03-02T10:00:00Z")
	crl("ml-dsa", 2046)
	s.must(t, "archive prove --out a.proof s.seal a.json")
	s.copy(t, "s.seal", "p.seal")
	s.must(t, "archive seal --revocation r.crl --request 1.tsq p.seal"+judgedAt)
	stamp("ml-dsa", 2046)
	must.Do(t, os.RemoveAll("l.db.lock"))
	s.files = must.FilesBelow(t, ".")
	return s
}

const damageDates = `{"algorithms":[{"bits":256,"name":"ecdsa","until":"2035-01-01T00:00:00.000Z"},` +
	`{"name":"ed25519","until":"2035-01-01T00:00:00.000Z"},{"name":"ml-dsa-65","until":"2060-01-01T00:00:00.000Z"},` +
	`{"bits":2048,"name":"rsa","until":"2035-01-01T00:00:00.000Z"},` +
	`{"name":"sha-256","until":"2035-01-01T00:00:00.000Z"},{"name":"sha-512","until":"2050-01-01T00:00:00.000Z"},` +
	`{"name":"sha3-512","until":"2070-01-01T00:00:00.000Z"}],"protocol":"svc.archive-algorithms.v1"}`

// must runs a command line that has to succeed.
func (s *sealedScene) must(t testing.TB, line string) string {
	t.Helper()
	code, stdout, stderr := call(nil, strings.Fields(line)...)
	must.That(t, code == 0, "%s: exit code %d\n%s%s", line, code, stdout, stderr)
	return stdout
}

// copy copies a seal and all other files whose names begin with its name.
func (s *sealedScene) copy(t testing.TB, from, to string) {
	t.Helper()
	for name, doc := range must.FilesBelow(t, ".") {
		if rest, ok := strings.CutPrefix(name, from); ok {
			must.WriteFile(t, to+rest, doc)
		}
	}
}

// restore puts the working folder back.
func (s *sealedScene) restore(t *testing.T) {
	t.Helper()
	for _, made := range []string{"out", "out.er", "out.seal.er", "s.seal.request", "s.seal.leaves-3", "q.seal.request"} {
		must.Do(t, os.RemoveAll(made))
	}
	for name, doc := range s.files {
		if now, err := os.ReadFile(name); err != nil || !bytes.Equal(now, doc) {
			must.Do(t, os.WriteFile(name, doc, 0o600))
		}
	}
}
