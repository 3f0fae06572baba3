package certificate

import (
	"encoding/asn1"
	"math/big"

	"golang.org/x/crypto/cryptobyte"
	cbasn1 "golang.org/x/crypto/cryptobyte/asn1"
)

// readContent reads the content of an extension whose content is judged.
func (c *Certificate) readContent(e Extension) bool {
	s := cryptobyte.String(e.Value)
	switch e.ID {
	case OIDBasicConstraints:
		return c.readBasicConstraints(s)
	case OIDKeyUsage:
		return c.readKeyUsage(s)
	case OIDExtKeyUsage:
		return c.readUsages(s)
	case OIDSubjectAltName:
		return c.readAltNames(s)
	}
	return true
}

func (c *Certificate) readBasicConstraints(s cryptobyte.String) bool {
	var constraints cryptobyte.String
	if !s.ReadASN1(&constraints, cbasn1.SEQUENCE) || !s.Empty() {
		return false
	}
	if constraints.PeekASN1Tag(cbasn1.BOOLEAN) && !constraints.ReadASN1Boolean(&c.IsCA) {
		return false
	}
	if constraints.Empty() {
		return true
	}
	pathLen := new(big.Int)
	return constraints.ReadASN1Integer(pathLen) && pathLen.Sign() >= 0 && constraints.Empty()
}

// readKeyUsage reads a named bit list in DER: the last bit that is there is
// set.
func (c *Certificate) readKeyUsage(s cryptobyte.String) bool {
	const certSign, crlSign, most = 5, 6, 9
	var bits asn1.BitString
	if !s.ReadASN1BitString(&bits) || !s.Empty() || bits.BitLength < 1 || bits.BitLength > most || bits.At(bits.BitLength-1) != 1 {
		return false
	}
	c.KeyUsage = &KeyUsage{CertSign: bits.At(certSign) == 1, CRLSign: bits.At(crlSign) == 1}
	return true
}

func (c *Certificate) readUsages(s cryptobyte.String) bool {
	var list cryptobyte.String
	if !s.ReadASN1(&list, cbasn1.SEQUENCE) || !s.Empty() || list.Empty() {
		return false
	}
	c.HasUsages = true
	for !list.Empty() {
		var oid OID
		if !readOID(&list, &oid) {
			return false
		}
		c.Usages = append(c.Usages, oid)
	}
	return true
}

// readAltNames reads the entries as tagged octets. Which tags count is for the
// leaf's check to say.
func (c *Certificate) readAltNames(s cryptobyte.String) bool {
	const constructed, context, number = 0x20, 0x80, 0x1f
	var list cryptobyte.String
	if !s.ReadASN1(&list, cbasn1.SEQUENCE) || !s.Empty() || list.Empty() {
		return false
	}
	c.HasNames = true
	for !list.Empty() {
		var value cryptobyte.String
		var tag cbasn1.Tag
		if !list.ReadAnyASN1(&value, &tag) {
			return false
		}
		name := AltName{Tag: int(tag & number), Constructed: tag&constructed != 0, Value: value}
		if tag&0xc0 != context {
			name.Tag = -1
		}
		c.AltNames = append(c.AltNames, name)
	}
	return true
}
