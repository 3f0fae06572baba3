package server

import (
	"crypto/rand"
	"time"

	"github.com/svc-edge/svc-verify/harness/cloud"
	"github.com/svc-edge/svc-verify/harness/pki"
	"github.com/svc-edge/svc-verify/harness/seal"
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
type denial struct {
	Code   string `json:"code"`
	Detail string `json:"detail"`
}

// transaction is the service's state of one issuance besides the evidence.
type transaction struct {
	*cloud.Transaction `json:"-"`
	Number             int64             `json:"number"` // by order of opening
	Request            form.Object       `json:"request"`
	CSR                []byte            `json:"csr,omitempty"`
	Ended              bool              `json:"ended"` // no certificate came of it, unless one was issued before
	denial                               // why it ended, or its rotation did
	ExpiresAt          time.Time         `json:"expires_at"`
	Since              time.Time         `json:"since"`              // when its current wait began
	Votes              map[string]string `json:"answers"`            // digest of each node's approval, by node id
	Denials            map[string]bool   `json:"denials"`            // of these, those that deny
	Rotation           *rotation         `json:"rotation,omitempty"` // nil unless it is one
	spurned            map[string]bool   // nodes whose answer was refused: they are not asked again
}

func (t *transaction) id() string { return t.Case.TransactionID }

// status follows from the recorded state, so that a certificate that was issued never looks
// like one that was denied.
func (t *transaction) status() string {
	switch {
	case t.Issued != nil && t.Revoked():
		return statusRevoked
	case t.Issued != nil:
		return statusIssued
	case t.Ended:
		return statusDenied
	}
	return statusPending
}

// profile is the workload profile that the transaction is for.
func (t *transaction) profile() string {
	if t.Rotation != nil {
		return t.Rotation.ProfileID
	}
	return seal.Text(seal.Object(t.Request), "workload_profile")
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
	o := form.Document(t)
	o["evidence"] = t.Transaction.Document()
	return o
}

func restoreTransaction(o seal.Object) (*transaction, error) {
	evidence, err := cloud.RestoreTransaction(seal.Member(o, "evidence"))
	if err != nil {
		return nil, err
	}
	t := &transaction{Transaction: evidence, Votes: map[string]string{}, Denials: map[string]bool{},
		spurned: map[string]bool{}}
	return t, form.Restore(o, t)
}

// view is the transaction as its owner sees it.
func (t *transaction) view() seal.Object {
	o := seal.Object{
		"transaction_id": t.id(), "status": t.status(), "workload_profile": t.profile(),
		"approvals": seal.Object{"received": int64(len(t.Case.Approvals)), "required": t.required()},
	}
	if t.Code != "" {
		o["code"], o["detail"] = t.Code, t.Detail
	}
	if t.Issued != nil {
		receipt := seal.Member(t.Issued.Receipt, "statement")
		o["certificate_serial"], o["not_after"] = receipt["certificate_serial"], receipt["not_after"]
		o["certificates"] = seal.Strings([]string{seal.Base64(t.Issued.Leaf), seal.Base64(t.Issued.Issuer)})
	}
	if names := seal.List(t.Case.Terms, "names"); len(names) > 0 {
		o["names"] = names
	}
	if t.Rotation != nil {
		o["rotation"] = t.Rotation.view()
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

// readApplication reads a caller's application. A workload may ask for its own profile only.
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
