package server

import (
	"time"

	"github.com/svc-edge/svc-verify/harness/eventtype"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/harness/signer"
	"github.com/svc-edge/svc-verify/service/server/revocation"
)

// publish keeps what the signer must not forget of a transaction's certificate,
// and publishes it.
func (a *authority) publish(transactionID string) {
	c, _ := a.signer.Certificate(transactionID)
	o := seal.Object{
		"transaction_id": c.TransactionID, "sha256": c.SHA256, "serial": c.Serial, "issuer": c.IssuerKey,
		"not_after": seal.Time(c.NotAfter),
	}
	if !c.RevokedAt.IsZero() {
		o["revoked_at"], o["reason"] = seal.Time(c.RevokedAt), c.Reason
	}
	a.put(kindCertificate, transactionID, o)
	if err := a.publisher.Put(c); err != nil {
		a.config.Log.Error("a certificate cannot be published", "error", err.Error())
	}
}

func restoreCertificate(o seal.Object) (signer.Certificate, error) {
	c := signer.Certificate{
		TransactionID: seal.Text(o, "transaction_id"), SHA256: seal.Text(o, "sha256"), Serial: seal.Text(o, "serial"),
		IssuerKey: seal.Text(o, "issuer"), Reason: seal.Text(o, "reason"),
	}
	var err error
	if c.NotAfter, err = restoreTime(o, "not_after"); err != nil {
		return c, err
	}
	c.RevokedAt, err = restoreTime(o, "revoked_at")
	return c, err
}

// revoke has the signer revoke the certificate of a transaction, logs that, and
// publishes it. Who asked for it, and why, stands in an event of its own, since
// the data of certificate.revoked is closed (SPEC 4.4).
func (a *authority) revoke(t *transaction, reason string) error {
	data := seal.Object{"reason": reason}
	if t.code != "" {
		data["code"] = t.code
	}
	a.cloud.NoteOf(t.id(), eventtype.RevocationRequested, data)
	receipt, registry, err := a.signer.Revoke(t.id(), reason)
	if err != nil {
		return err
	}
	if err := a.cloud.RecordRevocation(t.Transaction, receipt, registry); err != nil {
		return err
	}
	a.publish(t.id())
	a.save(t)
	a.publishLists(a.now())
	return nil
}

// discard revokes a certificate that nobody was given (SPEC 8.21). The transaction
// is denied for this cause.
func (a *authority) discard(t *transaction, issued *signer.Issued, cause denial) error {
	receipt, _, err := a.signer.Revoke(t.id(), "cessationOfOperation")
	if err == nil {
		err = a.cloud.NeverReleased(t.Transaction, issued, receipt, cause.code, cause.detail)
	}
	if err != nil {
		return err
	}
	a.publish(t.id())
	a.publishLists(a.now())
	return nil
}

// reason is why the certificate of a transaction was revoked.
func (a *authority) reason(transactionID string) string {
	certificate, _ := a.signer.Certificate(transactionID)
	return certificate.Reason
}

// issued reports whether the signer issued for a transaction.
func (a *authority) issued(transactionID string) bool {
	_, issued := a.signer.Certificate(transactionID)
	return issued
}

// publishLists publishes the revocation lists that are due.
func (a *authority) publishLists(now time.Time) {
	lists, err := a.publisher.Publish(now)
	for _, list := range lists {
		a.put(kindList, list.IssuerKey, seal.Object{
			"issuer": list.IssuerKey, "number": list.Number, "der": seal.Base64(list.DER),
			"this_update": seal.Time(list.ThisUpdate), "next_update": seal.Time(list.NextUpdate),
		})
	}
	complaint := ""
	if err != nil {
		complaint = err.Error()
	}
	if complaint != a.complaint && err != nil {
		a.config.Log.Error("a revocation list was not published", "error", complaint)
	}
	a.complaint = complaint
}

func restoreList(o seal.Object) (revocation.List, error) {
	list := revocation.List{IssuerKey: seal.Text(o, "issuer"), Number: seal.Integer(o, "number")}
	var err error
	if list.DER, err = seal.Unbase64(seal.Text(o, "der")); err != nil {
		return list, err
	}
	if list.ThisUpdate, err = restoreTime(o, "this_update"); err != nil {
		return list, err
	}
	list.NextUpdate, err = restoreTime(o, "next_update")
	return list, err
}
