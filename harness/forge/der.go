package forge

import (
	"bytes"
	"crypto"
	"crypto/sha256"
	"encoding/asn1"
	"encoding/hex"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/crypto/cryptobyte"
	cbasn1 "golang.org/x/crypto/cryptobyte/asn1"
)

// DER encodes bytes in a short notation:
//
//	0500           bytes in hexadecimal digits
//	30(...)        a tag, and content whose length is filled in
//	'text'         the bytes of a text without apostrophes
//	125*'a.'       the same so many times
//	{2.5.29.17}    an OBJECT IDENTIFIER, whole
//
// Blanks separate. The notation has no bound on its depth: it is for recipes
// and tests.
func DER(notation string) ([]byte, error) {
	der, rest, err := encodeNotation(notation)
	if err == nil && rest != "" {
		err = fmt.Errorf("expected the end, found %q", rest)
	}
	return der, err
}

// encodeNotation encodes up to the end or a closing parenthesis.
func encodeNotation(text string) (der []byte, rest string, err error) {
	for text != "" && text[0] != ')' && err == nil {
		var part []byte
		var found bool
		literal := text[1:]
		times, quoted, _ := strings.Cut(repetition.FindString(text), "*")
		if quoted != "" {
			text = text[len(times)+1:]
			literal = text[1:]
		}
		switch text[0] {
		case ' ':
			text = literal
			continue
		case '\'':
			literal, text, found = strings.Cut(literal, "'")
			part = repeatText(literal, times)
		case '{':
			literal, text, found = strings.Cut(literal, "}")
			part, err = encodeIdentifier(literal)
		default:
			found = len(text) > 1
			if found {
				part, err = hex.DecodeString(text[:2])
				text = text[2:]
			}
			if found && err == nil && strings.HasPrefix(text, "(") {
				part, text, found, err = encodeConstructed(part[0], text[1:])
			}
		}
		if !found {
			return nil, text, fmt.Errorf("expected DER, found %q", text)
		}
		der = append(der, part...)
	}
	return der, text, err
}

// repetition is a number of times in front of a text.
var repetition = regexp.MustCompile(`^[0-9]{1,4}\*'`)

func repeatText(text, times string) []byte {
	n, err := strconv.Atoi(times)
	if err != nil {
		n = 1 // no number of times is given
	}
	return bytes.Repeat([]byte(text), n)
}

// encodeConstructed encodes a value up to its closing parenthesis.
func encodeConstructed(tag byte, text string) (der []byte, rest string, closed bool, err error) {
	content, rest, err := encodeNotation(text)
	rest, closed = strings.CutPrefix(rest, ")")
	return encodeValue(cbasn1.Tag(tag), content), rest, closed, err
}

func encodeIdentifier(dotted string) ([]byte, error) {
	var id asn1.ObjectIdentifier
	for arc := range strings.SplitSeq(dotted, ".") {
		n, err := strconv.Atoi(arc)
		if err != nil {
			return nil, err
		}
		id = append(id, n)
	}
	return asn1.Marshal(id)
}

// encodeValue is the DER of a value of these contents.
func encodeValue(tag cbasn1.Tag, parts ...[]byte) []byte {
	content := slices.Concat(parts...)
	var b cryptobyte.Builder
	b.AddASN1(tag, func(b *cryptobyte.Builder) { b.AddBytes(content) })
	return b.BytesOrPanic() // nothing here is longer than DER can say
}

func encodeSequence(parts ...[]byte) []byte { return encodeValue(cbasn1.SEQUENCE, parts...) }

// bitString is a BIT STRING of whole bytes.
func bitString(octets []byte) []byte { return encodeValue(cbasn1.BIT_STRING, []byte{0}, octets) }

// splitChildren splits the content of a constructed value into values.
func splitChildren(der []byte) (found [][]byte, err error) {
	s, content := cryptobyte.String(der), cryptobyte.String(nil)
	ok := s.ReadAnyASN1(&content, nil)
	for ok && !content.Empty() {
		var child cryptobyte.String
		ok = content.ReadAnyASN1Element(&child, nil)
		found = append(found, slices.Clone(child))
	}
	if !ok {
		return nil, fmt.Errorf("expected DER, found %x", der)
	}
	return found, nil
}

// Parts is a certificate in its parts: the members of tbsCertificate in their
// order, each the DER of a whole value, and the signature algorithm outside.
type Parts struct {
	Version, Serial, Algorithm, Issuer, Validity, Subject, Key, Extensions []byte

	Outer []byte
}

// memberNames are the members of tbsCertificate by the names of recipes.
func (p *Parts) memberNames() []*[]byte {
	return []*[]byte{&p.Version, &p.Serial, &p.Algorithm, &p.Issuer, &p.Validity, &p.Subject, &p.Key, &p.Extensions}
}

// parseParts splits a certificate of version 3 into its parts.
func parseParts(certificate []byte) (*Parts, error) {
	outer, err := splitChildren(certificate)
	if err != nil {
		return nil, err
	}
	tbs, err := splitChildren(outer[0])
	p := &Parts{}
	if err != nil || len(outer) < 2 || len(tbs) != len(p.memberNames()) {
		return nil, fmt.Errorf("expected a certificate of version 3: %w", err)
	}
	for i, member := range p.memberNames() {
		*member = tbs[i]
	}
	p.Outer = outer[1]
	return p, nil
}

// Signed is the certificate of the parts, signed with SHA-256.
func (p *Parts) Signed(key crypto.Signer) ([]byte, error) {
	var tbs []byte
	for _, member := range p.memberNames() {
		tbs = append(tbs, *member...)
	}
	tbs = encodeSequence(tbs)
	digest := sha256.Sum256(tbs)
	signature, err := key.Sign(nil, digest[:], crypto.SHA256)
	return encodeSequence(tbs, p.Outer, bitString(signature)), err
}

// Extend removes the extension of an identifier, and appends another one if
// there is one. All are the DER of whole values.
func (p *Parts) Extend(removed, extension []byte) error {
	return p.eachExtension(func(list [][]byte) [][]byte {
		list = slices.DeleteFunc(list, func(e []byte) bool { return isExtension(e, removed) })
		return append(list, extension)
	})
}

// ReplaceExtension puts an extension in the place of the one of an identifier.
func (p *Parts) ReplaceExtension(id, extension []byte) error {
	return p.eachExtension(func(list [][]byte) [][]byte {
		for i := range list {
			if isExtension(list[i], id) {
				list[i] = extension
			}
		}
		return list
	})
}

func isExtension(extension, id []byte) bool {
	fields, err := splitChildren(extension)
	return err == nil && len(fields) > 0 && slices.Equal(fields[0], id)
}

// eachExtension changes the list of extensions.
func (p *Parts) eachExtension(change func([][]byte) [][]byte) error {
	wrapped, err := splitChildren(p.Extensions)
	if err != nil {
		return err
	}
	list, err := splitChildren(wrapped[0])
	p.Extensions = encodeValue(cbasn1.Tag(3).ContextSpecific().Constructed(), encodeSequence(change(list)...))
	return err
}
