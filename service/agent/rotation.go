package agent

import (
	"crypto"
	"crypto/x509"
	"errors"
	"fmt"

	"github.com/svc-edge/svc-verify/harness/chance"
	"github.com/svc-edge/svc-verify/harness/eventtype"
	"github.com/svc-edge/svc-verify/harness/pki"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/service/adapter"
	"github.com/svc-edge/svc-verify/service/durable"
	"github.com/svc-edge/svc-verify/service/form"
)

// request begins a rotation: it makes a key, and a request for its certificate. The key never
// leaves the node. A rotation that cannot begin is refused, and the cloud gets the reason; an
// intent for another node or transaction gets no answer.
func (ds *deliveries) request(tx *durable.Tx, transaction string, r *form.Reader) (seal.Object, error) {
	envelope := r.Object("intent")
	if err := r.Close(); err != nil {
		return nil, refuse(err)
	}
	want, err := ds.openIntent(transaction, envelope)
	if err != nil {
		return nil, refuse(err)
	}
	result := seal.Object{"kind": "request", "transaction_id": transaction}
	data := seal.Object{
		"integration_id": want.bound.IntegrationID, "revision": want.bound.Revision,
		"adapter_reference": want.bound.AdapterReference,
		"profile_id":        want.bound.ProfileID, "policy_sha256": want.policySHA256,
		"intent_sha256": seal.StatementDigest(envelope),
	}
	if code, cause := ds.integrations.refusal(want); code != "" {
		for _, o := range []seal.Object{result, data} {
			o["error_code"] = code
			if cause != "" {
				o["integration_error_code"] = cause
			}
		}
		ds.node.Note("rotation.refused", transaction, data)
		return result, nil
	}
	der, csr, err := newRequest(want)
	if err != nil {
		return nil, refuse(err)
	}
	data["csr_sha256"], result["csr"] = seal.SHA256(csr), seal.Base64(csr)
	ds.node.Note("rotation.requested", transaction, data)
	return result, tx.Put(kindRotation, transaction, seal.Object{
		"intent": envelope, "private_key": seal.Base64(der), "csr": seal.Base64(csr), "status": "requested",
	})
}

// openIntent reads the intent of a transaction.
func (ds *deliveries) openIntent(transaction string, envelope seal.Object) (intent, error) {
	statement, err := ds.node.OpenIntent(envelope)
	if err != nil {
		return intent{}, err
	}
	i, err := readIntent(statement)
	if err != nil {
		return i, fmt.Errorf("intent: %w", err)
	}
	if i.transaction != transaction {
		return i, fmt.Errorf("intent: transaction_id: expected %s, found %q", transaction, i.transaction)
	}
	return i, nil
}

// newRequest makes a key (PKCS #8) and a request for its certificate (PKCS #10).
func newRequest(i intent) (key, csr []byte, err error) {
	signer, err := chance.Fresh().Stream("rotation").Key(i.algorithm)
	if err != nil {
		return nil, nil, err
	}
	if csr, err = pki.Request(signer, i.names); err != nil {
		return nil, nil, err
	}
	key, err = chance.PKCS8(signer)
	return key, csr, err
}

// stored reads a rotation that has a status.
func (ds *deliveries) stored(transaction, status string) (seal.Object, error) {
	rotation, err := ds.store.Get(kindRotation, transaction)
	if err != nil {
		return nil, err
	}
	if found := seal.Text(rotation, "status"); found != status {
		return nil, fmt.Errorf("rotation %s: expected one that is %s, found %q", transaction, status, found)
	}
	return rotation, nil
}

func storedKey(rotation seal.Object) (crypto.Signer, error) {
	der, err := seal.Unbase64(seal.Text(rotation, "private_key"))
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
func (ds *deliveries) readChain(d *delivery, key crypto.Signer) ([][]byte, error) {
	texts := seal.Texts(d.rotation, "certificates")
	if len(texts) < 1 || len(texts) > maxChain {
		return nil, fmt.Errorf("certificates: expected 1 to %d, found %d", maxChain, len(texts))
	}
	var chain []*x509.Certificate
	var ders [][]byte
	for i, text := range texts {
		der, err := seal.Unbase64(text)
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
	if !ds.now().Before(chain[0].NotAfter) {
		return nil, errors.New("certificates/0: it has expired")
	}
	if err := pki.CheckNames(chain[0], d.intent.names); err != nil {
		return nil, fmt.Errorf("certificates/0: %w", err)
	}
	return ders, nil
}

// conclude makes the outcome of a delivery durable, and reports it to cloud and subscribers.
func (ds *deliveries) conclude(d *delivery, failure error) error {
	status := endedAs[d.kind]
	if failure != nil {
		ds.log.Warn("a delivery failed", "transaction_id", d.transaction, "error", failure.Error())
		status = "failed"
	}
	return ds.update(func(tx *durable.Tx) error {
		data := seal.Object{"integration_id": d.intent.bound.IntegrationID, "revision": d.intent.bound.Revision}
		result := seal.Object{"kind": "deliver", "transaction_id": d.transaction, "status": status}
		if failure != nil {
			code := adapter.CodeOf(failure)
			result["error_code"], data["error_code"] = code, code
		} else {
			data["certificate_sha256"] = leafDigest(d.rotation)
			told := seal.CloneObject(data)
			told["transaction_id"] = d.transaction
			if err := ds.publish("certificate."+status, told); err != nil {
				return err
			}
		}
		ds.node.Note(eventtype.Rotation(status), d.transaction, data)
		if status == "promoted" {
			ds.metrics.promoted.Inc()
		}
		if d.rotation["status"] = status; status != "staged" {
			delete(d.rotation, "private_key") // it is in use, or of no use
		}
		if err := tx.Put(kindRotation, d.transaction, d.rotation); err != nil {
			return err
		}
		return ds.outbox.finish(tx, d.transaction, d.kind, result)
	})
}

// leafDigest is the digest of the first certificate of a rotation.
func leafDigest(rotation seal.Object) string {
	texts := seal.Texts(rotation, "certificates")
	if len(texts) == 0 {
		return ""
	}
	der, err := seal.Unbase64(texts[0])
	if err != nil {
		return ""
	}
	return seal.SHA256(der)
}
