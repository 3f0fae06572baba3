package server

import (
	"crypto/rand"
	"time"

	"github.com/svc-edge/svc-verify/harness/cloud"
	"github.com/svc-edge/svc-verify/harness/pki"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/service/durable"
	"github.com/svc-edge/svc-verify/service/form"
	"github.com/svc-edge/svc-verify/service/httpd"
)

// Statuses of a transaction.
const (
	statusPending = "pending"
	statusIssued  = "issued"
	statusDenied  = "denied"
	statusRevoked = "revoked"
)

// denial is why a transaction ends without a certificate in force.
type denial struct{ code, detail string }

// transaction is what the service knows of one issuance besides the evidence.
type transaction struct {
	*cloud.Transaction
	number    int64 // by order of opening
	request   seal.Object
	csr       []byte
	ended     bool // no certificate came of it, unless one was issued before
	denial         // why it ended, or its rotation did
	expiresAt time.Time
	since     time.Time         // when it began to wait for what it waits for
	votes     map[string]string // digest of each node's approval, by node id
	denials   map[string]bool   // of these, those that deny
	rotation  *rotation         // nil unless it is one
	// spurned are nodes whose answer was refused. They are not asked again.
	spurned map[string]bool
}

func (t *transaction) id() string { return t.Case.TransactionID }

// status follows from what was recorded, so that a certificate that was issued never
// looks like one that was denied.
func (t *transaction) status() string {
	switch {
	case t.Issued != nil && t.Revoked():
		return statusRevoked
	case t.Issued != nil:
		return statusIssued
	case t.ended:
		return statusDenied
	}
	return statusPending
}

// profile is the workload profile that the transaction is for.
func (t *transaction) profile() string {
	if t.rotation != nil {
		return t.rotation.ProfileID
	}
	return seal.Text(t.request, "workload_profile")
}

// required is how many approvals the terms demand, 0 before there are terms.
func (t *transaction) required() int64 {
	return seal.Integer(t.Case.Terms, "required_approvals")
}

// tookPart reports whether the transaction rests on something that the node
// signed.
func (t *transaction) tookPart(nodeID string) bool {
	return seal.SignedFor(nodeID, t.Case.Approvals) || seal.SignedFor(nodeID, t.Case.Capability)
}

// approvedBy reports whether the node is one of those that allow the
// transaction. One of them makes the customer's decision.
func (t *transaction) approvedBy(nodeID string) bool { return seal.SignedFor(nodeID, t.Case.Approvals) }

func (t *transaction) document() seal.Object {
	answers, denials := seal.Object{}, []string{}
	for id, digest := range t.votes {
		answers[id] = digest
	}
	for id := range t.denials {
		denials = append(denials, id)
	}
	o := seal.Object{
		"evidence": t.Transaction.Document(), "number": t.number, "request": t.request,
		"status": t.status(), "code": t.code, "detail": t.detail, "expires_at": seal.Time(t.expiresAt),
		"since": seal.Time(t.since), "csr": seal.Base64(t.csr), "answers": answers,
		"denials": seal.SortedStrings(denials),
	}
	if t.rotation != nil {
		o["rotation"] = t.rotation.withoutMembers()
	}
	return o
}

func restoreTransaction(o seal.Object) (*transaction, error) {
	evidence, err := cloud.RestoreTransaction(seal.Member(o, "evidence"))
	if err != nil {
		return nil, err
	}
	t := &transaction{
		Transaction: evidence, number: seal.Integer(o, "number"), request: seal.Member(o, "request"),
		ended: seal.Text(o, "status") == statusDenied, denial: denial{seal.Text(o, "code"), seal.Text(o, "detail")},
		votes: map[string]string{}, denials: map[string]bool{}, spurned: map[string]bool{},
	}
	for name, to := range map[string]*time.Time{"expires_at": &t.expiresAt, "since": &t.since} {
		if *to, err = restoreTime(o, name); err != nil {
			return nil, err
		}
	}
	if t.csr, err = seal.Unbase64(seal.Text(o, "csr")); err != nil {
		return nil, err
	}
	for id := range seal.Member(o, "answers") {
		t.votes[id] = seal.Text(seal.Member(o, "answers"), id)
	}
	for _, id := range seal.Texts(o, "denials") {
		t.denials[id] = true
	}
	if kept := seal.Member(o, "rotation"); kept != nil {
		t.rotation = &rotation{}
		err = form.Restore(kept, t.rotation)
	}
	return t, err
}

// write keeps the transaction.
func (t *transaction) write(tx *durable.Tx) error {
	return tx.Put(kindTransaction, t.id(), t.document())
}

// view is the transaction as its owner sees it.
func (t *transaction) view() seal.Object {
	o := seal.Object{
		"transaction_id": t.id(), "status": t.status(), "workload_profile": t.profile(),
		"approvals": seal.Object{"received": int64(len(t.Case.Approvals)), "required": t.required()},
	}
	if t.code != "" {
		o["code"], o["detail"] = t.code, t.detail
	}
	if t.Issued != nil {
		receipt := seal.Member(t.Issued.Receipt, "statement")
		o["certificate_serial"], o["not_after"] = receipt["certificate_serial"], receipt["not_after"]
		o["certificates"] = seal.Strings([]string{seal.Base64(t.Issued.Leaf), seal.Base64(t.Issued.Issuer)})
	}
	if names := seal.List(t.Case.Terms, "names"); len(names) > 0 {
		o["names"] = names
	}
	if t.rotation != nil {
		o["rotation"] = t.rotation.view()
	}
	return o
}

// application is a certificate that a caller asks for.
type application struct {
	id      string      // of the transaction
	terms   seal.Object // as far as they do not follow from the policy
	csr     []byte
	request seal.Object // terms, and who asked for them
}

// readApplication reads what a caller asks for. A workload may ask for its own
// profile only.
func readApplication(c *call, f *fields) (application, error) {
	a := application{id: "tx-" + rand.Text()}
	if f.Has("transaction_id") {
		a.id = f.Text("transaction_id", form.SubjectID)
	}
	a.terms = seal.Object{
		"workload_profile":    f.Text("workload_profile", form.Identifier),
		"lifetime_seconds":    f.Number("lifetime_seconds", 1, maximumLifetime),
		"names":               seal.Strings(f.names("names")),
		"extended_key_usages": seal.Strings(f.names("extended_key_usages")),
	}
	a.csr = f.octets("csr")
	if err := f.close(); err != nil {
		return a, err
	}
	if err := addKey(a.terms, a.csr); err != nil {
		return a, err
	}
	if profile := seal.Text(a.terms, "workload_profile"); c.who.Role == roleWorkload && c.who.Name != profile {
		return a, httpd.Forbidden("%s may not ask for profile %s", c.who.Name, profile)
	}
	a.request = seal.CloneObject(a.terms)
	a.request["by"] = c.who.Role + "/" + c.who.Name
	return a, nil
}

// addKey completes terms with the key of a certificate request, and checks that
// the request asks for their names.
func addKey(terms seal.Object, csr []byte) error {
	request, err := pki.ReadRequest(csr)
	if err != nil {
		return httpd.Invalid("csr: expected a PKCS #10 request that the holder of its key signed")
	}
	algorithm, err := pki.AlgorithmOf(request.PublicKey)
	if err != nil {
		return httpd.Invalid("csr: %s", err)
	}
	terms["algorithm"], terms["public_key_sha256"] = algorithm, seal.SHA256(request.RawSubjectPublicKeyInfo)
	if err := pki.CheckTerms(request, terms); err != nil {
		return httpd.Invalid("csr: %s", err)
	}
	if _, err := pki.Leaf(terms, nil, time.Time{}); err != nil {
		return httpd.Invalid("%s", err)
	}
	return nil
}
