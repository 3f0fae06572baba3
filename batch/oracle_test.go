package batch_test

import (
	"crypto/x509"
	"slices"
	"testing"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/must"
)

// said contains the statements of a genuine bundle, as SPEC 14 has them: read from its JSON by
// the producer's own code, which shares nothing with the verifier.
type said struct {
	tenant, transaction, manifest, issuance string // issuance is the hash of the event
	issuer, serial, certificate             string
	checkpoint, revocation                  uint64 // sequences; revocation is 0 if there is none
	hashes                                  map[uint64]string
}

func sayings(t testing.TB, doc []byte) *said {
	t.Helper()
	o := must.Get(seal.Parse(doc))(t)
	manifest, checkpoint := seal.Member(o, "manifest"), seal.Member(seal.Member(o, "checkpoint"), "statement")
	s := &said{tenant: seal.Text(manifest, "tenant_id"), transaction: seal.Text(manifest, "transaction_id"),
		manifest: seal.Digest(manifest), serial: seal.Text(seal.Member(manifest, "certificate"), "serial"),
		certificate: seal.Text(seal.Member(manifest, "certificate"), "sha256"),
		checkpoint:  uint64(seal.Integer(checkpoint, "sequence")), hashes: map[uint64]string{}}
	der := must.Get(seal.Unbase64(seal.Texts(o, "certificates")[1]))(t)
	issuer := must.Get(x509.ParseCertificate(der))(t)
	s.issuer = string(issuer.RawSubjectPublicKeyInfo)
	s.hashes[s.checkpoint] = seal.Text(checkpoint, "head_hash")
	for _, link := range seal.List(seal.Member(o, "audit_path"), "links") {
		s.follow(link.(seal.Object))
	}
	return s
}

// follow records the content of a link of the path.
func (s *said) follow(link seal.Object) {
	n := uint64(seal.Integer(link, "sequence"))
	if event := seal.Member(link, "event"); event != nil {
		link = event
		body := seal.Member(event, "body")
		n = uint64(seal.Integer(body, "sequence"))
		switch seal.Text(body, "type") {
		case "issuance.completed":
			s.issuance = seal.Text(event, "hash")
		case "certificate.revoked":
			s.revocation = n
		}
	}
	for at, name := range map[uint64]string{n - 1: "previous_hash", seal.Skip(n): "skip_hash"} {
		if at > 0 {
			s.hashes[at] = seal.Text(link, name)
		}
	}
}

// codes are the codes of contradictions, the most specific first, each with the condition
// under which two bundles contradict each other.
var codes = []struct {
	code  finding.Code
	holds func(a, b *said) bool
}{
	{"transaction.issued-twice", func(a, b *said) bool {
		return a.subject() == b.subject() && (a.manifest != b.manifest || a.issuance != b.issuance)
	}},
	{"certificate.serial-reused", func(a, b *said) bool {
		return a.issuer == b.issuer && a.serial == b.serial && a.certificate != b.certificate
	}},
	{"revocation.withheld", func(a, b *said) bool {
		return a.subject() == b.subject() && (a.revocation == 0 && b.revocation != 0 && a.checkpoint >= b.revocation ||
			b.revocation == 0 && a.revocation != 0 && b.checkpoint >= a.revocation)
	}},
	{"anchor.split-view", func(a, b *said) bool {
		return a.tenant == b.tenant && a.checkpoint == b.checkpoint && a.hashes[a.checkpoint] != b.hashes[b.checkpoint]
	}},
	{"chain.contradiction", func(a, b *said) bool {
		for n, hash := range a.hashes {
			if other := b.hashes[n]; a.tenant == b.tenant && other != "" && other != hash {
				return true
			}
		}
		return false
	}},
}

func (s *said) subject() string { return s.tenant + " " + s.transaction }

// codeOf is the most specific contradiction of two bundles, "" if there is none.
func codeOf(a, b *said) finding.Code {
	for _, c := range codes {
		if c.holds(a, b) {
			return c.code
		}
	}
	return ""
}

// contradictionsOf are the contradictions of a set, nil being entries that say
// nothing: for each entry and each way to contradict it, the first other that does;
// each pair once, in the order of the entries that have them.
func contradictionsOf(set []*said) (all []found) {
	for n, s := range set {
		var others []int
		for _, c := range codes {
			o := slices.IndexFunc(set, func(o *said) bool { return s != nil && o != nil && c.holds(s, o) })
			if o >= 0 {
				others = append(others, o)
			}
		}
		slices.Sort(others)
		for _, o := range slices.Compact(others) {
			if f := (found{min(n, o), max(n, o), codeOf(s, set[o])}); !slices.Contains(all, f) {
				all = append(all, f)
			}
		}
	}
	return all
}

// found is a contradiction of two entries, by their numbers.
type found struct {
	first, second int
	code          finding.Code
}

// TestOracle checks the rules of this file against the planted pairs: it finds the planted
// contradictions, and nothing in a near miss.
func TestOracle(t *testing.T) {
	all := allPairs()
	for _, p := range all {
		if code := codeOf(sayings(t, p.A), sayings(t, p.B)); string(code) != p.Code {
			t.Errorf("%s is %q, planted was %q", p.Name, code, p.Code)
		}
	}
}
