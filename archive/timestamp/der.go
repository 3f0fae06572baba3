package timestamp

import (
	"bytes"
	"encoding/asn1"
	"math/big"
	"slices"
	"time"

	"golang.org/x/crypto/cryptobyte"
	asn1tag "golang.org/x/crypto/cryptobyte/asn1"
)

// Tags of the structures below.
const (
	context0 = asn1tag.Tag(0 | 0x80)
	context1 = asn1tag.Tag(1 | 0x80)
	context2 = asn1tag.Tag(2 | 0x80)
	inner0   = asn1tag.Tag(0 | 0xa0)
	inner1   = asn1tag.Tag(1 | 0xa0)
	inner2   = asn1tag.Tag(2 | 0xa0)
	inner3   = asn1tag.Tag(3 | 0xa0)
)

// algorithm is an AlgorithmIdentifier. Parameters is the whole element, nil if it is
// absent.
type algorithm struct {
	oid        asn1.ObjectIdentifier
	parameters []byte
}

// plain reports whether the algorithm is the one with this identifier, without
// parameters or with NULL.
func (a algorithm) plain(oid asn1.ObjectIdentifier) bool {
	return a.oid.Equal(oid) && (a.parameters == nil || bytes.Equal(a.parameters, null))
}

// null is the element NULL.
var null = []byte{5, 0}

// readOID reads an object identifier that is written in the one right way.
func readOID(s *cryptobyte.String, oid *asn1.ObjectIdentifier) bool {
	var element cryptobyte.String
	if !s.ReadASN1Element(&element, asn1tag.OBJECT_IDENTIFIER) {
		return false
	}
	again := element
	if !again.ReadASN1ObjectIdentifier(oid) {
		return false
	}
	written, err := asn1.Marshal(*oid)
	return err == nil && bytes.Equal(written, element)
}

// readAlgorithm reads an AlgorithmIdentifier.
func readAlgorithm(s *cryptobyte.String, to *algorithm) bool {
	var inner cryptobyte.String
	if !s.ReadASN1(&inner, asn1tag.SEQUENCE) {
		return false
	}
	return readAlgorithmContent(inner, to)
}

func readAlgorithmContent(inner cryptobyte.String, to *algorithm) bool {
	*to = algorithm{}
	if !readOID(&inner, &to.oid) {
		return false
	}
	if inner.Empty() {
		return true
	}
	var parameters cryptobyte.String
	if !inner.ReadAnyASN1Element(&parameters, nil) || !inner.Empty() {
		return false
	}
	to.parameters = parameters
	return true
}

// readHash reads the AlgorithmIdentifier of a hash function that is known.
func readHash(s *cryptobyte.String, to *Hash) bool {
	var a algorithm
	if !readAlgorithm(s, &a) {
		return false
	}
	*to = a.hash()
	return *to != ""
}

// hash returns the hash function that the algorithm is, or "".
func (a algorithm) hash() Hash {
	for name, known := range hashes {
		if a.plain(known.oid) {
			return name
		}
	}
	return ""
}

// readTime reads a GeneralizedTime as RFC 3161 and RFC 5280 write it: UTC with
// seconds and, if fraction, parts of a second without zeros at the end.
func readTime(s *cryptobyte.String, to *time.Time, fraction bool) bool {
	var text cryptobyte.String
	if !s.ReadASN1(&text, asn1tag.GeneralizedTime) {
		return false
	}
	const seconds = "20060102150405"
	if len(text) <= len(seconds) || text[len(text)-1] != 'Z' {
		return false
	}
	at, err := time.Parse(seconds, string(text[:len(seconds)]))
	if err != nil {
		return false
	}
	part := text[len(seconds) : len(text)-1]
	if len(part) > 0 {
		if !fraction || len(part) < 2 || len(part) > 10 || part[0] != '.' || part[len(part)-1] == '0' {
			return false
		}
		unit := time.Second / 10
		for _, digit := range part[1:] {
			if digit-'0' > 9 {
				return false
			}
			at = at.Add(time.Duration(digit-'0') * unit)
			unit /= 10
		}
	}
	*to = at
	return true
}

// readNumber reads an INTEGER of at most 160 bits, without its sign.
func readNumber(s *cryptobyte.String, to *big.Int) bool {
	return s.ReadASN1Integer(to) && to.BitLen() <= maxNumber
}

// maxNumber bounds serials in bits.
const maxNumber = 160

// readBytes reads an OCTET STRING.
func readBytes(s *cryptobyte.String, to *[]byte) bool {
	var octets cryptobyte.String
	if !s.ReadASN1(&octets, asn1tag.OCTET_STRING) {
		return false
	}
	*to = octets
	return true
}

// readFlag reads a BOOLEAN DEFAULT FALSE.
func readFlag(s *cryptobyte.String, to *bool) bool {
	*to = false
	return !s.PeekASN1Tag(asn1tag.BOOLEAN) || s.ReadASN1Boolean(to)
}

// extension is an Extension of RFC 5280.
type extension struct {
	oid      asn1.ObjectIdentifier
	critical bool
	value    []byte
}

// readOptional reads an element that can be absent. Its content is read whole.
func readOptional(s *cryptobyte.String, tag asn1tag.Tag, read func(*cryptobyte.String) bool) bool {
	var inner cryptobyte.String
	there := false
	return s.ReadOptionalASN1(&inner, &there, tag) && (!there || read(&inner) && inner.Empty())
}

// readExtensions reads the elements of Extensions, at most 32, of each kind one.
func readExtensions(s *cryptobyte.String) (all []extension, ok bool) {
	var list cryptobyte.String
	if !s.ReadASN1(&list, asn1tag.SEQUENCE) {
		return nil, false
	}
	return readExtensionList(list)
}

func readExtensionList(list cryptobyte.String) (all []extension, ok bool) {
	for !list.Empty() {
		var one cryptobyte.String
		var e extension
		if !list.ReadASN1(&one, asn1tag.SEQUENCE) || !readOID(&one, &e.oid) ||
			!readFlag(&one, &e.critical) || !readBytes(&one, &e.value) || !one.Empty() {
			return nil, false
		}
		twice := slices.ContainsFunc(all, func(before extension) bool { return before.oid.Equal(e.oid) })
		if all = append(all, e); twice || len(all) > 32 {
			return nil, false
		}
	}
	return all, true
}
