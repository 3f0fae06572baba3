package seal

import (
	"bytes"
	"crypto/sha256"
	"crypto/sha512"
	"fmt"
	"time"

	"github.com/svc-edge/svc-verify/archive/codec"
	"github.com/svc-edge/svc-verify/archive/run"
	"github.com/svc-edge/svc-verify/archive/sealkey"
	"github.com/svc-edge/svc-verify/archive/timestamp"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/internal/form"
	"github.com/svc-edge/svc-verify/internal/ijson"
	"github.com/svc-edge/svc-verify/internal/listing"
)

// Protocol is the protocol of the statement of a seal (SPEC 16.6).
const Protocol = "svc.archive-seal.v1"

// Spelling is the code of a document that is not in its one spelling.
const Spelling = string(SealSpelling)

// The bounds of a seal.
const (
	// MaxSeal is the largest size of a seal in bytes: two signatures, and 64 trust files.
	MaxSeal = 64 << 10
	// MaxTrustFiles is how many trust files a seal can name.
	MaxTrustFiles = 64
)

// Digest is a digest under the hash that the seal names.
type Digest = sealkey.Digest

// The hashes of trees and objects (SPEC 16.5). A seal is made with the first, unless an
// archive is hashed again.
const (
	SHA512  = timestamp.SHA512
	SHA3512 = timestamp.SHA3x512
)

// Statement is the statement of a seal (SPEC 16.6).
type Statement struct {
	Hash    timestamp.Hash // of the tree, of the objects and of Previous
	Root    Digest         // of the tree
	Objects int64          // leaves of the tree
	Octets  int64          // of all objects together
	// Run is the newest run of the ledger (SPEC 15.2), under which every object was as
	// it is in the tree.
	Run [sha256.Size]byte
	// Trust are the SHA-512 of the trust files, ascending.
	Trust    [][sha512.Size]byte
	SealedAt time.Time        // as the signer claims
	Ignored  listing.Patterns // of files in the folder that are not sealed
	Previous Digest           // of the file of the seal before; zeros if there is none
}

// describeMembers describes the statement of a seal.
func (s *Statement) describeMembers(m *codec.Members, signer *sealkey.ID) {
	codec.OneOf(m, "hash", &s.Hash, string(SHA512), string(SHA3512))
	run.PackPatterns(m, "ignored?", &s.Ignored)
	codec.Number(m, "objects", &s.Objects, 1, form.MaxInt)
	codec.Number(m, "octets", &s.Octets, 0, form.MaxInt)
	codec.Hash512(m, "previous?", &s.Previous)
	m.Protocol(Protocol)
	codec.Hash512(m, "root", &s.Root)
	m.Hash("run_sha256", &s.Run)
	m.Time("sealed_at", &s.SealedAt)
	m.Inner("signer", signer.DescribeMembers)
	if list, texts := codec.Hashes512(m, "trust_sha512", &s.Trust, 1, MaxTrustFiles); list != nil {
		m.Ascending(list, texts)
	}
}

// Sign returns the file of a seal: canonical JSON and a line feed.
func Sign(s Statement, k *sealkey.Key) ([]byte, error) {
	file, err := k.Wrap(Protocol, s.describeMembers)
	if err != nil {
		return nil, err
	}
	file = append(file, '\n')
	if _, faults := Parse(file); len(faults) > 0 {
		return nil, fmt.Errorf("these do not make a seal: %w", &faults[0])
	}
	return file, nil
}

// Seal is a seal that has its form. It is not verified.
type Seal struct {
	Envelope  sealkey.Envelope
	Statement Statement
	File      []byte // as it was read
}

// Digest returns the digest of the file under a hash: how the next seal names it.
func (s *Seal) Digest(h timestamp.Hash) Digest { return Digest(h.Sum(s.File)) }

// Parse reads a seal. It is nil if there are faults.
func Parse(file []byte) (*Seal, []ijson.Fault) {
	return parseFile(file, MaxSeal, func(r *form.Reader, v *ijson.Value) *Seal {
		s := read(r, v)
		s.File = file
		return s
	})
}

// parseFile reads a file of one spelling: canonical JSON and a line feed.
func parseFile[T any](file []byte, most int, read func(*form.Reader, *ijson.Value) *T) (*T, []ijson.Fault) {
	v, fault := form.Parse(file, most, "octets")
	if fault != nil {
		return nil, []ijson.Fault{*fault}
	}
	if doc, ended := bytes.CutSuffix(file, []byte("\n")); !ended || !ijson.IsCanonical(doc) {
		return nil, []ijson.Fault{{Code: Spelling, Expected: "canonical JSON and a line feed", Found: "another spelling"}}
	}
	var r form.Reader
	one := read(&r, v)
	if faults := r.Faults(); len(faults) > 0 {
		return nil, faults
	}
	return one, nil
}

// read reads the envelope of a seal.
func read(r *form.Reader, v *ijson.Value) *Seal {
	s := &Seal{}
	s.Envelope = sealkey.ReadEnvelope(r, v, s.Statement.describeMembers)
	return s
}

// Recognise returns the protocol of a document: [Protocol] or [ProofProtocol]. A seal has its
// protocol in its statement, a proof its own at the top. Of anything else it returns a report.
func Recognise(file []byte) (protocol string, other *Report) {
	v, fault := form.Parse(file, MaxProof, "octets")
	switch {
	case fault != nil:
	case textAt(v, "protocol") == ProofProtocol:
		return ProofProtocol, nil
	case textAt(v, "statement", "protocol") == Protocol:
		return Protocol, nil
	default:
		fault = &ijson.Fault{Code: form.UnknownProtocol, Found: "another document"}
	}
	r := newReport()
	fault.Expected = "a seal, the proof of an object, or a bag"
	r.add("file", finding.OfFault(*fault))
	return "", r
}

// textAt returns the string that members lead to, "" if they lead to none.
func textAt(v *ijson.Value, names ...string) string {
	for _, name := range names {
		if v, _ = v.Member(name); v == nil {
			return ""
		}
	}
	return v.Text()
}
