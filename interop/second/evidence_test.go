package second_test

import (
	"crypto"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"maps"
	"slices"
	"testing"

	"github.com/svc-edge/svc-verify/harness"
	"github.com/svc-edge/svc-verify/harness/forge"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/must"

	"golang.org/x/crypto/cryptobyte"
	cbasn1 "golang.org/x/crypto/cryptobyte/asn1"
)

const transaction = "tx-2026-0001"

// evidence defines a bundle: two certificates, and the statements of the other parts about
// them, where these differ from the scene's. The maker of the bundle holds every key, so only
// the certificates can be at fault.
type evidence struct {
	leaf, issuer draft
	sign         func(tbs []byte) []byte // the leaf's signature
	terms        seal.Object             // members to set in the terms of every part
	receipt      seal.Object             // members to set in the signer receipt
	serial       string                  // as the receipt and the manifest have it
}

// draft is a certificate in its members, each the DER of a whole value.
type draft struct {
	version, serial, inner, issuer, validity, subject, keyInfo, outer []byte

	extensions []extension
	block      []byte // in place of the extensions, unless it is nil
	signature  []byte // in place of the signature that belongs there, unless it is nil
	build      func(tbs, algorithm, signature []byte) []byte
}

// extension is one extension of a draft: the DER of its identifier and of its
// critical, and the content of its OCTET STRING.
type extension struct{ id, critical, value []byte }

// der encodes a value: its tag, its length and its content.
func der(tag byte, parts ...[]byte) []byte {
	content := slices.Concat(parts...)
	var b cryptobyte.Builder
	b.AddASN1(cbasn1.Tag(tag), func(b *cryptobyte.Builder) { b.AddBytes(content) })
	return b.BytesOrPanic()
}

func sequence(parts ...[]byte) []byte { return der(0x30, parts...) }

// bits is a BIT STRING of whole bytes.
func bits(octets []byte) []byte { return der(0x03, []byte{0}, octets) }

// raw decodes bytes in hex.
func raw(digits string) []byte {
	octets, err := hex.DecodeString(digits)
	if err != nil {
		panic(err) // the tables of this package are wrong
	}
	return octets
}

// children splits the content of a value into the values it consists of.
func children(value []byte) (found [][]byte) {
	s, content := cryptobyte.String(value), cryptobyte.String(nil)
	if !s.ReadAnyASN1(&content, nil) {
		panic("not DER")
	}
	for !content.Empty() {
		var child cryptobyte.String
		if !content.ReadAnyASN1Element(&child, nil) {
			panic("not DER")
		}
		found = append(found, slices.Clone(child))
	}
	return found
}

// content returns the content bytes of a value.
func content(value []byte) []byte {
	s, inner := cryptobyte.String(value), cryptobyte.String(nil)
	if !s.ReadAnyASN1(&inner, nil) {
		panic("not DER")
	}
	return inner
}

// read parses a certificate of the scene.
func read(text string) draft {
	certificate, err := seal.Unbase64(text)
	if err != nil {
		panic(err)
	}
	outer := children(certificate)
	m := children(outer[0])
	d := draft{
		version: m[0], serial: m[1], inner: m[2], issuer: m[3], validity: m[4], subject: m[5], keyInfo: m[6],
		outer: outer[1], signature: outer[2],
		build: func(tbs, algorithm, signature []byte) []byte { return sequence(tbs, algorithm, signature) },
	}
	for _, e := range children(children(m[7])[0]) {
		fields := children(e)
		x := extension{id: fields[0], value: content(fields[len(fields)-1])}
		if len(fields) == 3 {
			x.critical = fields[1]
		}
		d.extensions = append(d.extensions, x)
	}
	return d
}

// algorithm sets the signature algorithm in both places.
func (d *draft) algorithm(identifier []byte) { d.inner, d.outer = identifier, identifier }

// at returns the extension of an identifier, which is added if there is none.
func (d *draft) at(id string) *extension {
	for i := range d.extensions {
		if string(d.extensions[i].id) == string(raw(id)) {
			return &d.extensions[i]
		}
	}
	d.extensions = append(d.extensions, extension{id: raw(id)})
	return &d.extensions[len(d.extensions)-1]
}

// drop removes the extension of an identifier.
func (d *draft) drop(id string) {
	d.extensions = slices.DeleteFunc(d.extensions, func(e extension) bool { return string(e.id) == string(raw(id)) })
}

// list is the SEQUENCE of the extensions.
func (d *draft) list() []byte {
	var list []byte
	for _, e := range d.extensions {
		list = append(list, sequence(e.id, e.critical, der(0x04, e.value))...)
	}
	return sequence(list)
}

// tbs is the part that is signed.
func (d *draft) tbs() []byte {
	block := d.block
	if block == nil {
		block = der(0xa3, d.list())
	}
	return sequence(d.version, d.serial, d.inner, d.issuer, d.validity, d.subject, d.keyInfo, block)
}

func (d *draft) certificate(sign func([]byte) []byte) []byte {
	tbs, signature := d.tbs(), d.signature
	if signature == nil {
		signature = bits(sign(tbs))
	}
	return d.build(tbs, d.outer, signature)
}

// stage is the played scene that all evidence is made from.
type stage struct {
	scene        *harness.Scene
	leaf, issuer draft
	key          crypto.Signer // the issuer's
}

func newStage(t *testing.T) *stage {
	t.Helper()
	scene := must.Get(harness.Build("issued", 1, harness.Options{}))(t)
	s := &stage{scene: scene}
	texts := seal.Texts(scene.Bundle(transaction), "certificates")
	s.leaf, s.issuer = read(texts[0]), read(texts[1])
	s.leaf.signature = nil
	for _, issuer := range scene.Keys.Issuer {
		s.key = issuer.Key
	}
	return s
}

// honest is the evidence as the scene has it, to be changed.
func (s *stage) honest() *evidence {
	e := &evidence{leaf: s.leaf, issuer: s.issuer, terms: seal.Object{}, receipt: seal.Object{}}
	e.leaf.extensions, e.issuer.extensions = slices.Clone(e.leaf.extensions), slices.Clone(e.issuer.extensions)
	e.sign = func(tbs []byte) []byte { return digestAndSign(s.key, crypto.SHA256, tbs) }
	return e
}

// digestAndSign signs with a key of a kind that signs digests.
func digestAndSign(key crypto.Signer, hash crypto.Hash, message []byte) []byte {
	h := hash.New()
	h.Write(message)
	signature, err := key.Sign(nil, h.Sum(nil), hash)
	if err != nil {
		panic(err) // the keys here can sign
	}
	return signature
}

// seal makes bundle and trust file of the evidence: everything that commits to
// the certificates does so rightly.
func (s *stage) seal(e *evidence) (bundle, trust []byte, err error) {
	e.terms["public_key_sha256"] = seal.SHA256(e.leaf.keyInfo)
	certificates := []any{seal.Base64(e.leaf.certificate(e.sign)), seal.Base64(e.issuer.certificate(e.sign))}
	f, err := forge.Open(s.scene, transaction)
	if err != nil {
		return nil, nil, err
	}
	b := f.Document
	b["certificates"] = certificates
	receipt, manifest := statement(b["signer_receipt"]), seal.Member(b, "manifest")
	maps.Copy(receipt, e.receipt)
	if e.serial != "" {
		receipt["certificate_serial"], seal.Member(manifest, "certificate")["serial"] = e.serial, e.serial
	}
	for member, value := range e.terms {
		err = errors.Join(err, f.SetTerms(member, value))
	}
	signer(b)["issuer_public_key_sha256"] = []any{seal.SHA256(e.issuer.keyInfo)}
	if err := errors.Join(err, f.Reseal(s.scene.Keys)); err != nil {
		return nil, nil, err
	}
	root := seal.CloneObject(s.scene.Trust)
	pin := sha256.Sum256(seal.Canonical(seal.List(b, "signer_registries")[0]))
	seal.Member(root, "registries")["1"] = seal.Base64(pin[:])
	return seal.Canonical(b), seal.Canonical(root), nil
}

func statement(envelope any) seal.Object { return seal.Member(envelope.(seal.Object), "statement") }

func signer(b seal.Object) seal.Object {
	registry := seal.List(b, "signer_registries")[0].(seal.Object)
	return seal.List(registry, "signers")[0].(seal.Object)
}
