package archives

import (
	"bytes"
	"context"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/svc-edge/svc-verify/archive/record"
	"github.com/svc-edge/svc-verify/archive/seal"
	"github.com/svc-edge/svc-verify/archive/sealkey"
	"github.com/svc-edge/svc-verify/archive/timestamp"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/listing"
	"github.com/svc-edge/svc-verify/internal/merkle"
	"github.com/svc-edge/svc-verify/internal/must"
	tsa "github.com/svc-edge/svc-verify/internal/tsatest"
	"github.com/svc-edge/svc-verify/outcome"
)

// keptArchive is an archive whose evidence record grew over the years.
type keptArchive struct {
	dir    string
	sealed []byte // the file of the seal; records know only its content
	root   tsa.Identity
	record *record.Record
	last   timestamp.Evidence // about the newest token
}

func startOf(year int) time.Time { return time.Date(year, 3, 2, 9, 0, 0, 0, time.UTC) }

// newKept writes an archive of so many objects.
func newKept(t *testing.T, objects int) *keptArchive {
	t.Helper()
	k := &keptArchive{dir: t.TempDir(), sealed: []byte("a seal\n"),
		root: tsa.Authority("Archive root", tsa.RSA(), startOf(1990), startOf(2060))}
	for i := range objects {
		name := filepath.Join(k.dir, fmt.Sprintf("object-%d", i))
		must.Do(t, os.WriteFile(name, fmt.Appendf(nil, "object %d\n", i), 0o600))
	}
	return k
}

// grow returns the trees of the record over the archive, and a chain that is to begin.
func (k *keptArchive) grow(t *testing.T, more ...timestamp.Hash) *record.Forest {
	t.Helper()
	archive := must.Get(listing.Open(k.dir))(t)
	defer archive.Close()
	data := record.Data{Archive: archive}
	return record.Grow(k.record, k.sealed,
		must.Get(record.ReadData(context.Background(), data, k.record.ChainHashes(more...), nil))(t))
}

// stamp adds a time stamp of a year by a new signer of the authority. With a hash it begins
// a chain.
func (k *keptArchive) stamp(t *testing.T, year int, key tsa.Key, h timestamp.Hash) {
	t.Helper()
	if k.record != nil {
		certificates, evidence := []*x509.Certificate{k.root.Certificate}, []timestamp.Evidence{k.crl(t, year)}
		k.record = must.Get(k.record.Keep(certificates, evidence))(t)
	}
	var step record.Step
	if h != "" {
		step = k.grow(t, h).Begin()
	} else {
		step = k.record.Renewal()
	}
	signer := k.root.Stamper(fmt.Sprintf("signer of %d", year), key, startOf(year-1), startOf(year+6))
	request := timestamp.Request{Hash: step.Hash, Imprint: step.Imprint(), Nonce: big.NewInt(int64(year))}
	token := must.Get(step.Answer(request, signer.Stamp(request.Marshal(), startOf(year)), nil))(t)
	k.record = k.record.With(step, token)
}

// crl is revocation data of the authority for a year.
func (k *keptArchive) crl(t *testing.T, year int) timestamp.Evidence {
	t.Helper()
	at := startOf(year)
	e, fault := timestamp.ParseEvidence("crl", k.root.CRL(at.AddDate(0, -1, 0), at.AddDate(0, 1, 0), nil))
	must.That(t, fault == nil, "%v", fault)
	return e
}

// write writes the record of each object, of the seal, and the pinned certificate.
func (k *keptArchive) write(t *testing.T) (all []ofRecord) {
	t.Helper()
	out := t.TempDir()
	put := func(name string, content []byte) string {
		name = filepath.Join(out, name)
		must.Do(t, os.WriteFile(name, content, 0o600))
		return name
	}
	pin, f := put("root.cer", k.root.Certificate.Raw), k.grow(t)
	entries := must.Get(os.ReadDir(k.dir))(t)
	for i, e := range entries {
		own := put(e.Name()+".er", must.Get(f.Object(i).DER())(t))
		all = append(all, ofRecord{own, filepath.Join(k.dir, e.Name()), pin})
	}
	return append(all, ofRecord{put("seal.er", must.Get(f.Seal().DER())(t)), put("seal", k.sealed), pin})
}

// judge returns svc-verify's report on a record at a time.
func (k *keptArchive) judge(t *testing.T, r ofRecord, at int) *record.Report {
	t.Helper()
	content := must.Get(os.ReadFile(r.file))(t)
	one := must.Get(record.Parse(must.Get(os.ReadFile(r.record))(t)))(t)
	return record.Verify(record.Subject{Digest: func(h timestamp.Hash) []byte { return h.Sum(content) }}, one,
		record.Options{At: startOf(at), Revocation: []timestamp.Evidence{k.crl(t, at)},
			Authorities: []timestamp.Authority{{Name: "root", Certificates: []*x509.Certificate{k.root.Certificate}}}})
}

// TestThirtyYears: the record of each object of three archives, stamped in 1996 and kept up
// every five years, hashed again on the way, is verified by svc-verify and by both peers. Of
// an object with another byte, and of a renewal that came too late, it is not.
func TestThirtyYears(t *testing.T) {
	var sound, bad []ofRecord
	for _, objects := range []int{1, 3, 6} {
		k := newKept(t, objects)
		k.stamp(t, 1996, tsa.RSA(), timestamp.SHA512)
		k.stamp(t, 2001, tsa.ECDSA(), "")
		k.stamp(t, 2006, tsa.RSA(), "")
		k.stamp(t, 2011, tsa.ECDSA(), timestamp.SHA3x512)
		k.stamp(t, 2016, tsa.RSA(), "")
		k.stamp(t, 2021, tsa.ECDSA(), "")
		k.stamp(t, 2025, tsa.ECDSA(), "")
		all := k.write(t)
		for _, r := range all {
			got := k.judge(t, r, 2026)
			since := strings.HasPrefix(got.ExistedBefore, "1996-")
			check.That(t, got.Verdict == outcome.Verified && since, "%s: %s %+v", r.record, got.Verdict, got.Findings)
		}
		other := ofRecord{all[0].record, filepath.Join(t.TempDir(), "other"), all[0].certificate}
		must.Do(t, os.WriteFile(other.file, append(must.Get(os.ReadFile(all[0].file))(t), '.'), 0o600))
		check.Equal(t, k.judge(t, other, 2026).Verdict, outcome.Rejected, "another object")
		sound, bad = append(sound, all...), append(bad, other)
	}
	judgedByPeers(t, sound, bad)
}

// TestMissedRenewal: a renewal that came too late is refused here. The peers do not look at
// the times of tokens without a policy.
func TestMissedRenewal(t *testing.T) {
	k := newKept(t, 2)
	k.stamp(t, 1996, tsa.RSA(), timestamp.SHA512)
	k.stamp(t, 2003, tsa.ECDSA(), "")
	got := k.judge(t, k.write(t)[0], 2004)
	check.That(t, got.Verdict == outcome.Rejected && got.Findings[0].Step == 1, "%s %+v", got.Verdict, got.Findings)
}

// TestPostQuantum: Bouncy Castle verifies a newest token under ML-DSA.
func TestPostQuantum(t *testing.T) {
	k := newKept(t, 2)
	k.stamp(t, 2021, tsa.RSA(), timestamp.SHA512)
	k.stamp(t, 2025, tsa.MLDSA(), timestamp.SHA3x512)
	for i, answer := range judgeRecords(t, "bc", k.write(t)) {
		check.That(t, strings.HasPrefix(answer, "valid"), "object %d: %s", i, answer)
	}
}

// TestVerifyIn2046 follows the page of docs/archives.md with its program: a sealed object
// whose record was renewed and hashed again, and then another object.
func TestVerifyIn2046(t *testing.T) {
	peers(t)
	dir := t.TempDir()
	put := func(name string, content []byte) { must.Do(t, os.WriteFile(filepath.Join(dir, name), content, 0o600)) }
	k := newKept(t, 5)
	proof := k.seal(t, "object-3")
	k.stamp(t, 2023, tsa.RSA(), timestamp.SHA512)
	k.stamp(t, 2024, tsa.ECDSA(), "")
	k.stamp(t, 2025, tsa.ECDSA(), timestamp.SHA3x512)
	f := k.grow(t)
	put("record.py", program(t))
	put("tx-2.proof", proof)
	put("tx-2.proof.er", must.Get(f.Object(3).DER())(t))
	put("tx-2.proof.seal.er", must.Get(f.Seal().DER())(t))
	put("roots.pem", pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: k.root.Certificate.Raw}))
	commands := recipe(t, "../../docs/archives.md", "Verify this in 2046", 1)[0]
	put("tx-2.json", []byte("object 3\n"))
	stdout, stderr, ok := run(t, "env", "-C", dir, "sh", "-e", "-c", commands)
	check.That(t, ok && strings.Contains(stdout, "it is object-3 in a seal of 2023"), "%s%s", stdout, stderr)
	byRecord := []string{"-C", dir, "python3", "record.py", "tx-2.proof.er", "tx-2.json"}
	stdout, stderr, ok = run(t, "env", byRecord...)
	check.That(t, ok, "by its record alone: %s%s", stdout, stderr)

	put("tx-2.json", []byte("object 4\n"))
	stdout, stderr, ok = run(t, "env", "-C", dir, "sh", "-e", "-c", commands)
	check.That(t, !ok, "another object is accepted: %s%s", stdout, stderr)
	stdout, stderr, ok = run(t, "env", byRecord...)
	check.That(t, !ok, "another object is accepted by its record alone: %s%s", stdout, stderr)
}

// program is the one that the page prints, of at most sixty lines.
func program(t *testing.T) []byte {
	t.Helper()
	text := must.Get(os.ReadFile("../../docs/archives.md"))(t)
	_, rest, _ := bytes.Cut(text, []byte("\n```python\n"))
	program, _, found := bytes.Cut(rest, []byte("```\n"))
	lines := bytes.Count(program, []byte("\n"))
	must.That(t, found && lines > 40 && lines <= 60, "a program of %d lines", lines)
	return program
}

// seal seals the archive, and returns the proof of an object.
func (k *keptArchive) seal(t *testing.T, path string) []byte {
	t.Helper()
	var list bytes.Buffer
	archive := must.Get(listing.Open(k.dir))(t)
	defer archive.Close()
	data := record.Data{Archive: archive}
	v := must.Get(record.ReadData(context.Background(), data, []timestamp.Hash{timestamp.SHA512}, &list))(t)
	tree := merkle.New(seal.SHA512.New())
	for line := range bytes.Lines(list.Bytes()) {
		tree.Add(bytes.TrimSuffix(line, []byte("\n")))
	}
	key := must.Get(sealkey.FromSeeds("records", [32]byte{1}, [32]byte{2}))(t)
	file := must.Get(seal.Sign(seal.Statement{Hash: seal.SHA512, Root: seal.Digest(tree.Root()), Objects: v.Objects,
		Octets: v.Bytes, Trust: [][64]byte{{1}}, SealedAt: startOf(2023).Add(-time.Hour)}, key))(t)
	k.sealed = file
	s, faults := seal.Parse(file)
	must.That(t, len(faults) == 0, "%v", faults)
	return must.Get(seal.Prove(s, bytes.NewReader(list.Bytes()), path))(t)
}
