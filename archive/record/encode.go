package record

import (
	"slices"

	"golang.org/x/crypto/cryptobyte"
	asn1tag "golang.org/x/crypto/cryptobyte/asn1"

	"github.com/svc-edge/svc-verify/archive/timestamp"
)

// Record is an evidence record. Nothing in it is verified.
type Record struct {
	Chains []Chain
}

// Chain is an ArchiveTimeStampChain. Its time stamps have one hash.
type Chain struct {
	Hash   timestamp.Hash
	Stamps []Stamp

	der []byte // as it was read; nil for one that was made here
}

// Stamp is an ArchiveTimeStamp: a token, and the way from an object to its imprint.
type Stamp struct {
	// Lists is the reduced hash tree: lists of hashes, the one with the object first. It is
	// nil if the imprint is the hash itself.
	Lists [][][]byte
	Token *timestamp.Token
}

// The tags of the structures (RFC 4998, appendix A).
const (
	tagHash       = asn1tag.Tag(0 | 0xa0) // digestAlgorithm
	tagAttributes = asn1tag.Tag(1 | 0xa0)
	tagTree       = asn1tag.Tag(2 | 0xa0) // reducedHashtree
	tagCrypto     = asn1tag.Tag(0 | 0xa0) // cryptoInfos
)

// version is the version of an EvidenceRecord.
const version = 1

// DER returns the record in its one encoding (SPEC 17.2).
func (r *Record) DER() ([]byte, error) {
	var b cryptobyte.Builder
	b.AddASN1(asn1tag.SEQUENCE, func(b *cryptobyte.Builder) {
		b.AddASN1Int64(version)
		b.AddASN1(asn1tag.SEQUENCE, func(b *cryptobyte.Builder) {
			for _, h := range r.Hashes() {
				b.AddASN1(asn1tag.SEQUENCE, func(b *cryptobyte.Builder) { b.AddBytes(h.Identifier()) })
			}
		})
		b.AddBytes(sequenceOf(r.Chains))
	})
	return b.Bytes()
}

// ChainHashes returns the hash function of each chain, and then some of chains that are to
// begin. The record is nil if there is none.
func (r *Record) ChainHashes(more ...timestamp.Hash) (all []timestamp.Hash) {
	if r != nil {
		for i := range r.Chains {
			all = append(all, r.Chains[i].Hash)
		}
	}
	return append(all, more...)
}

// Hashes returns the hash functions of the chains in their order, each once.
func (r *Record) Hashes() (all []timestamp.Hash) {
	for _, h := range r.ChainHashes() {
		if !slices.Contains(all, h) {
			all = append(all, h)
		}
	}
	return all
}

// Stamps returns how many time stamps the record has.
func (r *Record) Stamps() (n int) {
	for i := range r.Chains {
		n += len(r.Chains[i].Stamps)
	}
	return n
}

// sequenceOf returns the ArchiveTimeStampSequence of some chains in DER.
func sequenceOf(chains []Chain) []byte {
	var b cryptobyte.Builder
	b.AddASN1(asn1tag.SEQUENCE, func(b *cryptobyte.Builder) {
		for i := range chains {
			chains[i].appendTo(b)
		}
	})
	return b.BytesOrPanic() // lengths below 2^32 do not fail
}

func (c *Chain) appendTo(b *cryptobyte.Builder) {
	if c.der != nil {
		b.AddBytes(c.der)
		return
	}
	b.AddASN1(asn1tag.SEQUENCE, func(b *cryptobyte.Builder) {
		for i := range c.Stamps {
			c.Stamps[i].appendTo(b, c.Hash)
		}
	})
}

func (s *Stamp) appendTo(b *cryptobyte.Builder, h timestamp.Hash) {
	b.AddASN1(asn1tag.SEQUENCE, func(b *cryptobyte.Builder) {
		b.AddASN1(tagHash, func(b *cryptobyte.Builder) { b.AddBytes(h.Identifier()) })
		b.AddASN1(tagTree, func(b *cryptobyte.Builder) {
			for _, list := range s.Lists {
				b.AddASN1(asn1tag.SEQUENCE, func(b *cryptobyte.Builder) {
					for _, one := range list {
						b.AddASN1OctetString(one)
					}
				})
			}
		})
		b.AddBytes(s.Token.DER)
	})
}
