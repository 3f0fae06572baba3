package certificate

import (
	"encoding/asn1"
	"fmt"
	"math/big"

	"golang.org/x/crypto/cryptobyte"
	cbasn1 "golang.org/x/crypto/cryptobyte/asn1"
)

// readExtensions reads the list, and the content of four known extensions. The
// error names the extension that is wrong.
func (c *Certificate) readExtensions(tbs *cryptobyte.String) error {
	var explicit, list cryptobyte.String
	if !tbs.ReadASN1(&explicit, cbasn1.Tag(3).ContextSpecific().Constructed()) ||
		!explicit.ReadASN1(&list, cbasn1.SEQUENCE) || !explicit.Empty() || list.Empty() {
		return errExtensions
	}
	seen := map[OID]bool{}
	for !list.Empty() {
		var e Extension
		switch {
		case !readExtension(&list, &e):
			return fmt.Errorf("a malformed extension: %s", e.ID.Label())
		case seen[e.ID]:
			return fmt.Errorf("an extension that occurs twice: %s", e.ID.Label())
		case !c.readContent(e):
			return fmt.Errorf("an extension with malformed content: %s", e.ID.Label())
		}
		seen[e.ID] = true
		c.Extensions = append(c.Extensions, e)
	}
	return nil
}

func readExtension(list *cryptobyte.String, e *Extension) bool {
	var extension, value cryptobyte.String
	if !list.ReadASN1(&extension, cbasn1.SEQUENCE) || !readOID(&extension, &e.ID) {
		return false
	}
	if extension.PeekASN1Tag(cbasn1.BOOLEAN) && (!extension.ReadASN1Boolean(&e.Critical) || !e.Critical) {
		return false
	}
	if !extension.ReadASN1(&value, cbasn1.OCTET_STRING) || !extension.Empty() {
		return false
	}
	e.Value = value
	return true
}

// readContent reads the content of an extension that the checks look into.
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

// readKeyUsage reads a named bit list in DER, whose last bit is always set.
func (c *Certificate) readKeyUsage(s cryptobyte.String) bool {
	var bits asn1.BitString
	if !s.ReadASN1BitString(&bits) || !s.Empty() || bits.BitLength > len(useNames) ||
		bits.At(bits.BitLength-1) != 1 {
		return false
	}
	for i := range bits.BitLength {
		c.KeyUsage |= KeyUsage(bits.At(i)) << i
	}
	return true
}

func (c *Certificate) readUsages(s cryptobyte.String) bool {
	var list cryptobyte.String
	if !s.ReadASN1(&list, cbasn1.SEQUENCE) || !s.Empty() || list.Empty() {
		return false
	}
	for !list.Empty() {
		var oid OID
		if !readOID(&list, &oid) {
			return false
		}
		c.Usages = append(c.Usages, oid)
	}
	return true
}

// readAltNames reads the entries as tagged bytes. The check of the leaf decides
// which tags are allowed.
func (c *Certificate) readAltNames(s cryptobyte.String) bool {
	const constructed, context, number = 0x20, 0x80, 0x1f
	var list cryptobyte.String
	if !s.ReadASN1(&list, cbasn1.SEQUENCE) || !s.Empty() || list.Empty() {
		return false
	}
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
