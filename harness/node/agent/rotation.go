package agent

import (
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"errors"
	"fmt"
	"slices"

	"github.com/svc-edge/svc-verify/harness/durable"
	"github.com/svc-edge/svc-verify/harness/pki"
	"github.com/svc-edge/svc-verify/harness/wire"
)

// newKey makes a key of an algorithm of the terms, SPEC 7.2.
func newKey(algorithm string) (crypto.Signer, error) {
	switch algorithm {
	case "ecdsa-p256":
		return ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	case "ecdsa-p384":
		return ecdsa.GenerateKey(elliptic.P384(), rand.Reader)
	case "rsa-2048":
		return rsa.GenerateKey(rand.Reader, 2048)
	case "rsa-3072":
		return rsa.GenerateKey(rand.Reader, 3072)
	case "rsa-4096":
		return rsa.GenerateKey(rand.Reader, 4096)
	case "ed25519":
		_, key, err := ed25519.GenerateKey(rand.Reader)
		return key, err
	}
	return nil, fmt.Errorf("algorithm: no keys of algorithm %q", algorithm)
}

// request begins a rotation: it makes a key, and a request for its certificate.
// The key never leaves the node. A rotation that is bound to another state of
// the integration than the node's is refused, and the cloud is told why.
func (a *Agent) request(tx *durable.Tx, transaction string, r *reader) (wire.Object, error) {
	integrationID, revision := r.text("integration_id", subjectForm), r.number("revision", 1)
	names, algorithm := r.texts("names"), r.text("algorithm", identifierForm)
	slices.Sort(names) // as in the terms, SPEC 1.7
	if err := r.end(); err != nil {
		return nil, refuse(err)
	}
	result := wire.Object{"kind": "request", "transaction_id": transaction}
	data := wire.Object{"integration_id": integrationID, "revision": revision}
	if _, err := a.bound(integrationID, revision); err != nil {
		result["error_code"], data["error_code"] = codeOf(err), codeOf(err)
		a.node.Note("rotation.refused", transaction, data)
		return result, nil
	}
	key, err := newKey(algorithm)
	if err != nil {
		return nil, refuse(err)
	}
	csr, err := pki.Request(key, names)
	if err != nil {
		return nil, refuse(err)
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return nil, refuse(err)
	}
	rotation := wire.Object{
		"integration_id": integrationID, "revision": revision, "names": wire.Strings(names),
		"private_key": wire.Base64(der), "csr": wire.Base64(csr), "status": "requested",
	}
	data["csr_sha256"] = wire.SHA256(csr)
	a.node.Note("rotation.requested", transaction, data)
	result["csr"] = rotation["csr"]
	return result, tx.Put(kindRotation, transaction, rotation)
}

// delivery is work that has effects outside the node's own state. It answers by
// itself.
type delivery func(ctx context.Context, transaction string, r *reader) error

// deliver stages a certificate, and promotes it if that is to be automatic.
func (a *Agent) deliver(ctx context.Context, transaction string, r *reader) error {
	integrationID, revision := r.text("integration_id", subjectForm), r.number("revision", 1)
	certificates, promotion := r.texts("certificates"), r.text("promotion", identifierForm)
	if promotion != "manual" && promotion != "automatic_after_health" {
		r.fail("promotion", "manual or automatic_after_health")
	}
	if err := r.end(); err != nil {
		return err
	}
	rotation, err := a.rotation(transaction, integrationID, "requested")
	if err != nil {
		return err
	}
	rotation["certificates"] = wire.Strings(certificates)
	o := outcome{transaction: transaction, kind: "deliver", rotation: rotation}
	d, adapter, err := a.prepare(transaction, revision, rotation)
	if err == nil {
		err = adapter.Stage(ctx, d)
	}
	if err == nil {
		o.steps = append(o.steps, "staged")
		if promotion == "automatic_after_health" {
			if err = adapter.Promote(ctx, d); err == nil {
				o.steps = append(o.steps, "promoted")
			}
		}
	}
	return a.conclude(o, err)
}

// promote puts in use what was staged.
func (a *Agent) promote(ctx context.Context, transaction string, r *reader) error {
	integrationID, revision := r.text("integration_id", subjectForm), r.number("revision", 1)
	if err := r.end(); err != nil {
		return err
	}
	rotation, err := a.rotation(transaction, integrationID, "staged")
	if err != nil {
		return err
	}
	o := outcome{transaction: transaction, kind: "promote", rotation: rotation}
	d, adapter, err := a.prepare(transaction, revision, rotation)
	if err == nil {
		err = adapter.Promote(ctx, d)
	}
	if err == nil {
		o.steps = append(o.steps, "promoted")
	}
	return a.conclude(o, err)
}

// rotation reads a rotation of an integration that has a status.
func (a *Agent) rotation(transaction, integrationID, status string) (wire.Object, error) {
	rotation, err := a.store.Get(kindRotation, transaction)
	if err != nil {
		return nil, err
	}
	if found := wire.Text(rotation, "integration_id"); found != integrationID {
		return nil, fmt.Errorf("rotation %s: expected one of integration %s, found %q", transaction, integrationID, found)
	}
	if found := wire.Text(rotation, "status"); found != status {
		return nil, fmt.Errorf("rotation %s: expected one that is %s, found %q", transaction, status, found)
	}
	return rotation, nil
}

// prepare makes the delivery of a rotation, if the integration is still as the
// rotation was bound to it, and the certificates are those of its request.
func (a *Agent) prepare(transaction string, revision int64, rotation wire.Object) (Delivery, Adapter, error) {
	a.mu.Lock()
	desired, err := a.bound(wire.Text(rotation, "integration_id"), revision)
	a.mu.Unlock()
	if err != nil {
		return Delivery{}, nil, err
	}
	if begun := wire.Integer(rotation, "revision"); begun != revision {
		return Delivery{}, nil, fault(bindingCode(desired.Kind, "integration_binding_mismatch"), fmt.Errorf("the rotation began at revision %d, not at %d", begun, revision))
	}
	d := Delivery{Desired: desired, TransactionID: transaction}
	if d.Key, err = storedKey(rotation); err != nil {
		return d, nil, err
	}
	if d.Certificates, err = a.readChain(rotation, d.Key); err != nil {
		return d, nil, fault(codeDeliveryInvalid, err)
	}
	return d, a.adapter(desired.Kind), nil
}

func storedKey(rotation wire.Object) (crypto.Signer, error) {
	der, err := wire.Unbase64(wire.Text(rotation, "private_key"))
	if err != nil {
		return nil, errors.New("the stored key cannot be read")
	}
	key, err := x509.ParsePKCS8PrivateKey(der)
	signer, ok := key.(crypto.Signer)
	if err != nil || !ok {
		return nil, errors.New("the stored key cannot be read")
	}
	return signer, nil
}

// Limits of a delivered chain.
const (
	maxChain       = 8
	maxCertificate = 64 << 10
)

// readChain reads certificates, the leaf first and each one's issuer behind it.
// The leaf has the key and exactly the names of the rotation's request.
func (a *Agent) readChain(rotation wire.Object, key crypto.Signer) ([][]byte, error) {
	texts := wire.Texts(rotation, "certificates")
	if len(texts) < 1 || len(texts) > maxChain {
		return nil, fmt.Errorf("certificates: expected 1 to %d, found %d", maxChain, len(texts))
	}
	var chain []*x509.Certificate
	var ders [][]byte
	for i, text := range texts {
		der, err := wire.Unbase64(text)
		if err != nil || len(der) > maxCertificate {
			return nil, fmt.Errorf("certificates/%d: expected at most %d bytes in base64url", i, maxCertificate)
		}
		certificate, err := x509.ParseCertificate(der)
		if err != nil {
			return nil, fmt.Errorf("certificates/%d: %w", i, err)
		}
		if i > 0 {
			if err := chain[i-1].CheckSignatureFrom(certificate); err != nil {
				return nil, fmt.Errorf("certificates/%d: it did not issue the one before: %w", i, err)
			}
		}
		chain, ders = append(chain, certificate), append(ders, der)
	}
	public, ok := key.Public().(interface{ Equal(crypto.PublicKey) bool })
	if !ok || !public.Equal(chain[0].PublicKey) {
		return nil, errors.New("certificates/0: it has another key than the request")
	}
	if !a.now().Before(chain[0].NotAfter) {
		return nil, errors.New("certificates/0: it has expired")
	}
	if err := pki.CheckNames(chain[0], wire.Texts(rotation, "names")); err != nil {
		return nil, fmt.Errorf("certificates/0: %w", err)
	}
	return ders, nil
}

// outcome is what became of a delivery.
type outcome struct {
	transaction, kind string
	rotation          wire.Object
	steps             []string // staged, promoted: what was reached
}

// conclude makes the outcome of a delivery durable, and tells cloud and
// subscribers of it.
func (a *Agent) conclude(o outcome, failure error) error {
	if failure != nil {
		a.log.Warn("a delivery failed", "transaction_id", o.transaction, "error", failure.Error())
	}
	return a.decide(func(tx *durable.Tx) error {
		data := wire.Object{"integration_id": o.rotation["integration_id"], "revision": o.rotation["revision"]}
		result := wire.Object{"kind": "deliver", "transaction_id": o.transaction}
		for _, step := range o.steps {
			data["certificate_sha256"] = leafDigest(o.rotation)
			result["status"], o.rotation["status"] = step, step
			a.node.Note("rotation."+step, o.transaction, wire.CloneObject(data))
			if err := a.publish("certificate."+step, withTransaction(data, o.transaction)); err != nil {
				return err
			}
			if step == "promoted" {
				a.metrics.promoted.Inc()
			}
		}
		if failure != nil {
			result["status"], o.rotation["status"] = "failed", "failed"
			result["error_code"], data["error_code"] = codeOf(failure), codeOf(failure)
			a.node.Note("rotation.failed", o.transaction, data)
		}
		if wire.Text(o.rotation, "status") != "staged" {
			delete(o.rotation, "private_key") // it is in use, or of no use
		}
		if err := tx.Put(kindRotation, o.transaction, o.rotation); err != nil {
			return err
		}
		return a.answer(tx, o.transaction, o.kind, result)
	})
}

// leafDigest is the digest of the first certificate of a rotation.
func leafDigest(rotation wire.Object) string {
	texts := wire.Texts(rotation, "certificates")
	if len(texts) == 0 {
		return ""
	}
	der, err := wire.Unbase64(texts[0])
	if err != nil {
		return ""
	}
	return wire.SHA256(der)
}

func withTransaction(data wire.Object, transaction string) wire.Object {
	o := wire.CloneObject(data)
	o["transaction_id"] = transaction
	return o
}
